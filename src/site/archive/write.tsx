import type { Knex } from 'knex';

import { ChangedWhileSent } from '../../api/request/streamed-body';
import { defined } from '../../api/errors/defined';
import { isId } from '../../api/request/schema';
import { errorMessage } from '../../database/statements/error-message';
import { snapshots } from '../../database/statements/snapshot';
import type { FilePool } from '../../files/assets/file-work';
import { pictureScaler } from '../../files/assets/scaled';
import { NoSuchBytes } from '../../files/assets/storage';
import type { AssetStorage } from '../../files/assets/storage';
import { builtPlayer, withStyles } from '../../files/exports/built-player';
import type { SiteConfig } from '../../config/site';
import { readBuiltFiles } from '../built-files';
import { accentStyles } from '../colors';
import { translations } from '../languages';
import { NotFound } from '../shells';
import { ArchiveFolder } from './folder';
import { writeGallery } from './gallery';
import { STYLES, writePage } from './layout';
import type { ArchiveLook } from './layout';
import { projectFile } from './names';
import { markOf, thumbnailFile, writeProject } from './project';
import type { ProjectServices } from './project';
import { archivedProjects, countLeftOut, findArchived, findDatabaseId, findTags } from './queries';
import type { Archived, LeftOut } from './queries';

/** How often a project is tried that changes while it is written. */
const ATTEMPTS = 3;

/** An archive's source and options. */
export interface ArchiveSource {
    db: Knex;
    assets: AssetStorage;
    files: FilePool;
    place: SiteConfig;
    /** of its pages */
    language: string;
    /** Tells an operator something. */
    remark(line: string): void;
}

/** A run's counts. */
export interface ArchiveCounts {
    /** projects that are new or were written again */
    written: number;
    unchanged: number;
    /** projects that are not public any more */
    removed: number;
    /** projects that could not be written */
    failed: number;
    /** files of the whole archive, and their bytes */
    files: number;
    bytes: number;
    leftOut: LeftOut;
}

/** Removes the projects that are not public any more, and what an earlier run left half. It comes first, so that they do not stay while all else is written. */
async function removeProjects({ db, look: { folder } }: ProjectServices): Promise<number> {
    let removed = 0;
    for (const thousand of await folder.list('p')) {
        const names = await folder.list(`p/${thousand}`);
        const idOf = (name: string): string => name.replace(/\.(?:html|webp)$/, '');
        const here = await findArchived(db, [...new Set(names.map(idOf))].filter(isId));
        for (const name of names.filter((each) => !here.has(idOf(each)))) {
            await folder.remove(`p/${thousand}/${name}`);
            removed += Number(name.endsWith('.html'));
        }
    }

    return removed;
}

/** Writes a project, also if it changes meanwhile. @returns undefined if it is not public any more @throws ChangedWhileSent, NoSuchBytes */
async function tried(services: ProjectServices, project: Archived, left = ATTEMPTS): ReturnType<typeof writeProject> {
    try {
        return await writeProject(services, project);
    }
    catch (error) {
        if (error instanceof ChangedWhileSent && left > 1) {
            return await tried(services, project, left - 1);
        }

        throw error;
    }
}

async function writeProjects(services: ProjectServices): Promise<Pick<ArchiveCounts, 'written' | 'unchanged' | 'removed' | 'failed'>> {
    const { db, look: { folder }, remark } = services;
    const counts = { written: 0, unchanged: 0, removed: 0, failed: 0 };
    for await (const project of archivedProjects(db)) {
        const { id } = project;
        try {
            const done = await tried(services, project);
            counts[done ?? 'removed']++;
            if (done === undefined) {
                await folder.remove(`${projectFile(id)}.html`);
                await folder.remove(thumbnailFile(id));
            }
        }
        catch (error) {
            if (!(error instanceof ChangedWhileSent || error instanceof NoSuchBytes)) {
                throw error;
            }

            counts.failed++;
            remark(`Project ${id} was not written: ${errorMessage(error)}.`);
        }
    }

    return counts;
}

/** Writes a page that says that there is nothing for each file that projects lead to and that is not there: what was public when they were written and is not now. */
async function fillGaps(look: ArchiveLook): Promise<void> {
    const { folder, t } = look;
    for (const thousand of await folder.list('p')) {
        for (const name of (await folder.list(`p/${thousand}`)).filter((each) => each.endsWith('.html'))) {
            for (const file of (await markOf(look, name.slice(0, -'.html'.length)))?.files ?? []) {
                await (await folder.has(file) || writePage(look, file, t('missing.title'), (page) => <NotFound page={page} />));
            }
        }
    }
}

/**
 * Writes all that is public as files that need no server, or brings them up to date. What is there and has not changed stays as it is, so
 * it can be ended at any time and begun again. A project and a page of a list are in memory at a time.
 * @throws Error for an operator, if the folder has something else in it
 */
export async function writeArchive({ db, assets, files, place, language, remark }: ArchiveSource, root: string): Promise<ArchiveCounts> {
    const folder = new ArchiveFolder(root);
    await folder.begin(await findDatabaseId(db), place.name);
    const built = await readBuiltFiles(place);
    const player = withStyles(await builtPlayer(), place.color === null ? '' : accentStyles(place.color));
    await folder.write(STYLES, player.styles);
    if (built.logo !== undefined) {
        await folder.write(`site/${built.logo.file}`, defined(built.files.get(built.logo.file)).response.body);
    }

    const look: ArchiveLook = { folder, built, place, language, t: translations(built)(language) };
    const tags = new Set(await findTags(db));
    const services: ProjectServices = { db, look, assets, scale: pictureScaler(assets, files), player, release: JSON.stringify([built.release, player.policy, player.fonts]), tags, inSnapshot: snapshots(db, 1), remark };
    const removed = await removeProjects(services);
    const { written, unchanged, removed: removedLater, failed } = await writeProjects(services);
    await writeGallery(db, look, tags);
    await folder.removeOlder();
    await fillGaps(look);
    return { written, unchanged, removed: removed + removedLater, failed, ...await folder.size(), leftOut: await countLeftOut(db) };
}
