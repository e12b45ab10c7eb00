import type { Knex } from 'knex';

import { parseLike } from '../../database/samples';
import { findCollection, listCollections } from '../../community/collections/queries';
import { placeOf } from '../../api/request/pagination';
import { MAX_COLLECTIONS } from '../../limits';
import { listFeaturedFor, listProjects, listTagged, listUserProjects } from '../../projects/lists';
import { CollectionHeading, Gallery, Person } from '../gallery';
import { NotFound, Text } from '../shells';
import type { ShownProject } from '../shown';
import { MISSING, writePage } from './layout';
import type { ArchiveLook } from './layout';
import { linkPages, projectPages, projectsOf, shownIn } from './lists';
import type { ListedProject } from './lists';
import { fileOf } from './names';
import { archivedPeople } from './queries';

/** Projects of each list on the first page. */
const FEW = 6;

/** Tags on the first page. */
const FEW_TAGS = 10;

/** A collection, as lists have it. */
interface ListedCollection {
    id: string;
    title: string;
    description: string;
    projects: number;
}

/** The name of a language in another one; undefined if it is none that has a name, as the tags of accounts may be anything. */
function nameOf(tag: string, language: string): string | undefined {
    try {
        return new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(tag);
    }
    catch {
        return undefined;
    }
}

/** Writes a list that the first page shows, too. @param note is told of each project of it @returns the first ones */
async function writeList(look: ArchiveLook, name: 'featured' | 'new', projects: AsyncIterable<ListedProject>, note?: (project: ListedProject) => Promise<void>): Promise<ShownProject[]> {
    const title = look.t(`gallery.${name}`);
    const few: ShownProject[] = [];
    const pages = projectPages(look, `/browse/${name}`, title, () => <h1>{title}</h1>);
    for await (const project of projects) {
        if (few.length < FEW) {
            few.push(project);
        }

        await pages.add(project);
        await note?.(project);
    }

    await pages.end();
    return few;
}

/** Writes the newest projects, and those of each language of their authors. */
async function writeNew(db: Knex, look: ArchiveLook): Promise<ShownProject[]> {
    const { t, language } = look;
    const byLanguage = new Map<string, { title: string; pages: ReturnType<typeof projectPages> }>();
    const few = await writeList(look, 'new', projectsOf(look, (at) => listProjects(db, at)), async (project) => {
        const tag = project.author.locale.language.toLowerCase().split(/[^a-z0-9]/, 1).join('');
        const title = nameOf(tag, language);
        if (title !== undefined && !byLanguage.has(tag)) {
            byLanguage.set(tag, { title, pages: projectPages(look, `/languages/${tag}`, title, () => <h1><bdi>{title}</bdi></h1>) });
        }

        await byLanguage.get(tag)?.pages.add(project);
    });
    const links = linkPages(look, '/languages', t('page.languages'), 'tags');
    for (const [tag, { title, pages }] of byLanguage) {
        await pages.end();
        await links.add({ address: `/languages/${tag}`, text: title });
    }

    await links.end();
    return few;
}

async function writeTags(db: Knex, look: ArchiveLook, tags: ReadonlySet<string>): Promise<void> {
    const links = linkPages(look, '/tags', look.t('gallery.tags'), 'tags');
    for (const tag of tags) {
        const address = `/tags/${encodeURIComponent(tag)}`;
        const pages = projectPages(look, address, `#${tag}`, () => <h1>#<bdi>{tag}</bdi></h1>);
        let count = 0;
        for await (const project of projectsOf(look, (at) => listTagged(db, tag, at))) {
            count++;
            await pages.add(project);
        }

        // A project of the archive may have had it a moment ago.
        await pages.end();
        await (count > 0 && links.add({ address, text: `#${tag}` }));
    }

    await links.end();
}

/** Writes the page of a collection. */
async function writeCollection(db: Knex, look: ArchiveLook, { id, title, description }: ListedCollection, username: string): Promise<void> {
    const pages = projectPages(look, `/c/${id}`, title, (page) =>
        <CollectionHeading page={page} title={title} description={description} username={username} />);
    for await (const project of projectsOf(look, (at) => findCollection(db, id, at, null))) {
        await pages.add(project);
    }

    await pages.end();
}

/** Writes the pages of people who have something in the archive, and those of their collections. */
async function writePeople(db: Knex, look: ArchiveLook): Promise<void> {
    const { t } = look;
    const people = linkPages(look, '/people', t('archive.people'), 'links');
    const all = linkPages(look, '/collections', t('person.collections'), 'links');
    for await (const person of archivedPeople(db)) {
        const { id, username } = person;
        // None if the account was deleted a moment ago.
        const { items } = { items: '', ...await listCollections(db, id, placeOf({ count: MAX_COLLECTIONS }), null) };
        const collections = parseLike<ListedCollection[]>(`[${items}]`, [{ id: '', title: '', description: '', projects: 1 }]);
        for (const collection of collections) {
            await writeCollection(db, look, collection, username);
            await all.add({ address: `/c/${collection.id}`, text: collection.title });
        }

        const address = `/u/${encodeURIComponent(username)}`;
        const pages = projectPages(look, address, username, (page) => <Person page={page} person={person} collections={collections} />);
        let count = collections.length;
        for await (const project of projectsOf(look, (at) => listUserProjects(db, id, at))) {
            count++;
            await pages.add(project);
        }

        if (count > 0) {
            await pages.end();
            await people.add({ address, text: username });
        }
    }

    await people.end();
    await all.end();
}

/** Writes the pages of the gallery. @param tags those that have a page */
export async function writeGallery(db: Knex, look: ArchiveLook, tags: ReadonlySet<string>): Promise<void> {
    const { t, language, built, place } = look;
    const first = {
        featured: await writeList(look, 'featured', projectsOf(look, (at) => listFeaturedFor(db, language, at))),
        new: await writeNew(db, look)
    };
    await writeTags(db, look, tags);
    await writePeople(db, look);
    for (const [name, html] of built.placeTexts) {
        const title = t(`page.${name}`);
        await writePage(look, fileOf(`/${name}`), title, () => <Text title={title} html={html} />);
    }

    await writePage(look, MISSING, t('missing.title'), (page) => <NotFound page={page} />);
    await writePage(look, fileOf('/'), place.name, async (page) => {
        const lists = await Promise.all((['featured', 'new'] as const).map(async (name) => ({ name, list: await shownIn(look, fileOf('/'), first[name], '2') })));
        const shown = [...new Set(first.featured.flatMap((project) => project.tags))].filter((tag) => tags.has(tag)).slice(0, FEW_TAGS);
        return <Gallery page={page} lists={lists} tags={shown} hasModerator />;
    });
}
