import type { ComponentChildren } from 'preact';

import { projectSample } from '../shown-lists';
import { parseLike } from '../../database/samples';
import { nextOf, placeOf } from '../../api/request/pagination';
import type { ListPlace, ListRow } from '../../api/request/pagination';
import type { ListQuery } from '../../api/request/list-url';
import { Listing } from '../gallery';
import type { PageContext } from '../context';
import type { ShownList, ShownProject } from '../shown';
import { writePage } from './layout';
import type { ArchiveLook } from './layout';
import { between, fileOf } from './names';
import { markOf, thumbnailFile } from './project';

/** Projects, and links, on one page of a list. */
const MANY = 24;
const MANY_LINKS = 200;

/** Rows that are read together. */
const TOGETHER = 100;

/** A project of a list, with its author as all lists have them. */
export type ListedProject = ShownProject & { author: { locale: { language: string } } };

/** A part of a list that has none. */
const noRows: ListRow = { items: '', rank: null, time: null, id: null };

/** The projects of a list that are in the archive, whatever has become public meanwhile. @param list reads a part of it; undefined if there is no such list any more */
export async function* projectsOf(look: ArchiveLook, list: (place: ListPlace) => Promise<ListRow | undefined>): AsyncGenerator<ListedProject> {
    let query: ListQuery | undefined = { count: TOGETHER };
    while (query !== undefined) {
        const row: ListRow = { ...noRows, ...await list(placeOf(query)) };
        const projects = parseLike<ListedProject[]>(`[${row.items}]`, [projectSample]);
        for (const project of projects) {
            if (await markOf(look, project.id) !== undefined) {
                yield project;
            }
        }

        const after = nextOf(row);
        query = after === null ? undefined : { count: TOGETHER, after };
    }
}

/** A list that is written page by page, as what is in it comes. */
class Pages<Item> {
    readonly #most: number;
    readonly #write: (items: readonly Item[], address: string, next: string | null) => Promise<void>;
    readonly #address: string;
    #items: Item[] = [];
    #page = 1;

    constructor(address: string, most: number, write: (items: readonly Item[], address: string, next: string | null) => Promise<void>) {
        this.#address = address;
        this.#most = most;
        this.#write = write;
    }

    async #flush(isLast: boolean): Promise<void> {
        const address = this.#page === 1 ? this.#address : `${this.#address}?after=${this.#page}`;
        await this.#write(this.#items, address, isLast ? null : String(this.#page + 1));
        this.#items = [];
        this.#page++;
    }

    async add(item: Item): Promise<void> {
        if (this.#items.length === this.#most) {
            await this.#flush(false);
        }

        this.#items.push(item);
    }

    /** Writes the last page, which may be an empty first one. */
    end(): Promise<void> {
        return this.#flush(true);
    }
}

/** Projects with those of their thumbnails that are in the archive, as the page in a file shows them. */
export async function shownIn(look: ArchiveLook, file: string, projects: readonly ShownProject[], next: string | null): Promise<ShownList> {
    const thumbnails = new Map<string, string>();
    for (const { id } of projects) {
        if (await look.folder.has(thumbnailFile(id))) {
            thumbnails.set(id, between(file, thumbnailFile(id)));
        }
    }

    return { projects: [...projects], thumbnails, next };
}

/** A list of projects. @param heading what is above it on each page */
export const projectPages = (look: ArchiveLook, address: string, title: string, heading: (page: PageContext) => ComponentChildren): Pages<ShownProject> => (
    new Pages(address, MANY, (projects, at, next) => writePage(look, fileOf(at), title, async (page) => (
        <Listing page={page} list={await shownIn(look, fileOf(at), projects, next)} address={address}>{heading(page)}</Listing>
    )))
);

/** A link of a list of links. */
interface ListedLink {
    address: string;
    text: string;
}

/** A list of links. @param className the look of the list */
export const linkPages = (look: ArchiveLook, address: string, title: string, className: 'links' | 'tags'): Pages<ListedLink> => (
    new Pages(address, MANY_LINKS, (links, at, next) => writePage(look, fileOf(at), title, ({ t, href }) => (
        <>
            <h1>{title}</h1>
            {links.length === 0 && <p class="message">{t('list.empty')}</p>}
            <ul class={className}>{links.map((link) => <li key={link.address}><a href={href(link.address)}><bdi>{link.text}</bdi></a></li>)}</ul>
            {next !== null && <p class="more"><a class="button quiet" rel="next" href={href(`${address}?after=${next}`)}>{t('page.more')}</a></p>}
        </>
    )))
);
