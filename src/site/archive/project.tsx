import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { Knex } from 'knex';
import { renderToString } from 'preact-render-to-string';

import { parseLike } from '../../database/samples';
import { ChangedWhileSent } from '../../api/request/streamed-body';
import { errorMessage } from '../../database/statements/error-message';
import type { Read, Snapshots } from '../../database/statements/snapshot';
import type { BuiltPlayer } from '../../files/exports/built-player';
import { htmlFile } from '../../files/exports/html-file';
import { findExported } from '../../files/exports/queries';
import type { Exported } from '../../files/exports/queries';
import { findAsset } from '../../files/assets/queries';
import type { Scale } from '../../files/assets/scaled';
import { storedName } from '../../files/assets/storage';
import type { AssetStorage } from '../../files/assets/storage';
import { isPicture } from '../../files/assets/types';
import { guest } from '../../rules/visibility';
import { directionOf } from '../languages';
import { Facts } from '../player';
import { findPlayable } from '../queries';
import type { Playable } from '../queries';
import { thumbnailOf } from '../thumbnail';
import { Bottom, MISSING, Top, pageIn } from './layout';
import type { ArchiveLook } from './layout';
import { between, fileOf, projectFile } from './names';
import { findArchived } from './queries';
import type { Archived } from './queries';

/** The width of thumbnails in pixels. */
const WIDTH = 320;

/** The mark at a file's end: it says whether the file is whole and up to date, and which other files its links lead to. */
interface Mark {
    state: string;
    /** ids of other projects that it has links to, whether they are in the archive or not */
    linked: string[];
    /** files of the archive that it has links to */
    files: string[];
}

const mark = /<!--pagewright-archive (\{[^\n]*\})-->\n$/;

/** The mark of the file of a project; undefined if there is none, or it is no whole file of a project. */
export async function markOf({ folder }: Pick<ArchiveLook, 'folder'>, id: string): Promise<Mark | undefined> {
    const [, json] = mark.exec(await folder.end(`${projectFile(id)}.html`) ?? '') ?? [];
    return json === undefined ? undefined : parseLike<Mark>(json, { state: '', linked: [''], files: [''] });
}

/** The file of a project's thumbnail. */
export const thumbnailFile = (id: string): string => `${projectFile(id)}.webp`;

/** The dependencies of what writes projects. */
export interface ProjectServices {
    db: Knex;
    look: ArchiveLook;
    assets: AssetStorage;
    scale: Scale;
    player: BuiltPlayer;
    /** differs from that of another release, or of other colours, whose files are different */
    release: string;
    /** those that have a page */
    tags: ReadonlySet<string>;
    inSnapshot: Snapshots;
    /** Tells an operator something. */
    remark(line: string): void;
}

/** The bytes of a thumbnail; undefined if it has none. A drawing is none, as it could run a script where it is opened by itself. */
async function bytesOfThumbnail({ db, assets, scale }: ProjectServices, hash: string): Promise<Readable | undefined> {
    const facts = await findAsset(db, hash);
    if (facts === undefined || facts.withheld || !isPicture(facts.type)) {
        return undefined;
    }

    await scale(hash, WIDTH, 'archive', new AbortController().signal);
    return await assets.open(storedName(hash, WIDTH));
}

/** Writes the thumbnail of a project, if it has one. @returns whether that did not fail: a project without a thumbnail is better than none */
async function writeThumbnail(services: ProjectServices, id: string, hash: string | undefined): Promise<boolean> {
    const { look: { folder }, remark } = services;
    try {
        const bytes = hash === undefined ? undefined : await bytesOfThumbnail(services, hash);
        await (bytes === undefined ? folder.remove(thumbnailFile(id)) : folder.write(thumbnailFile(id), bytes));
        return true;
    }
    catch (error) {
        remark(`Project ${id} has no thumbnail: ${errorMessage(error)}.`);
        await folder.remove(thumbnailFile(id));
        return false;
    }
}

/** The frame of the player, and the files that it has links to. */
function frameOf({ look, tags }: ProjectServices, { project, source }: Playable, isSourceHere: boolean): { before: string; after: string; files: string[] } {
    const file = `${projectFile(project.id)}.html`;
    const page = pageIn(file, look);
    const files = new Set<string>();
    const noting = { ...page, href: (address: string) => {
        files.add(fileOf(address));
        return page.href(address);
    } };
    // A source that everybody may read, and that is in no list, is not shown here.
    const shown = source?.available && !isSourceHere ? { available: false } : source;
    const facts = renderToString(<div class="about"><Facts page={noting} project={{ ...project, tags: project.tags.filter((tag) => tags.has(tag)) }} source={shown} /></div>);
    return {
        before: `${renderToString(<Top page={page} />)}<main id="content" tabindex="-1"><article class="player">`,
        after: `${facts}</article></main>${renderToString(<Bottom page={page} built={look.built} />)}`,
        files: [...files].sort()
    };
}

/** The addresses of those of other projects that are in the archive, in the file of one. */
async function addressesIn(db: Knex, id: string, linked: readonly string[]): Promise<Record<string, string>> {
    const here = await findArchived(db, linked);
    return Object.fromEntries(linked.filter((one) => here.has(one)).map((one) => [one, between(projectFile(id), `${projectFile(one)}.html`)]));
}

/**
 * Writes the file of a project, and its thumbnail, unless they are there and up to date.
 * @returns undefined if the project is not public any more
 * @throws ChangedWhileSent
 */
export async function writeProject(services: ProjectServices, { id, user_id: userId }: Archived): Promise<'written' | 'unchanged' | undefined> {
    const { db, look, look: { folder, language }, assets, player, release, inSnapshot } = services;
    const file = `${projectFile(id)}.html`;
    const found = await findPlayable(db, id, null);
    if (!found?.listed) {
        return undefined;
    }

    const { project, source } = found;
    const sources = source?.id === undefined ? [] : [source.id];
    const { before, after, files } = frameOf(services, found, (await findArchived(db, sources)).size > 0);
    const thumbnail = thumbnailOf(project)?.hash;
    const stateWith = (addresses: object, shown: string | undefined): string => createHash('sha256').update(JSON.stringify([release, project.revision, shown, before, after, language, addresses])).digest('hex');
    const was = await markOf(look, id);
    if (was?.state === stateWith(await addressesIn(db, id, was?.linked ?? []), thumbnail)) {
        return 'unchanged';
    }

    // One that failed is tried again the next time.
    const shown = await writeThumbnail(services, id, thumbnail) ? thumbnail : 'failed';
    const find = async (read: Read): Promise<Exported> => {
        const exported = await findExported(read, userId, id, guest);
        if (exported === undefined || exported.revision !== project.revision) {
            throw new ChangedWhileSent();
        }

        return exported;
    };

    let linked: string[] = [];
    let addresses = {};
    const frame = {
        language, direction: directionOf(language), before, after, missing: between(file, MISSING),
        addressesOf: async (projects: readonly string[]) => {
            linked = projects.filter((one) => one !== id).sort();
            addresses = await addressesIn(db, id, linked);
            return addresses;
        }
    };

    await folder.write(file, (async function* () {
        for await (const piece of inSnapshot((read) => htmlFile(read, assets, find, { origin: '', place: look.place.name, player, frame }))) {
            yield piece;
        }

        const end: Mark = { state: stateWith(addresses, shown), linked, files: [...files, ...Object.keys(addresses).map((one) => `${projectFile(one)}.html`)] };
        yield `<!--pagewright-archive ${JSON.stringify(end)}-->\n`;
    })());
    return 'written';
}
