import type { Change, Project, Unsent } from '../../client/src/index.js';
import { isObject } from '../../src/api/json/is-object';

export type Fields = Readonly<Record<string, unknown>>;

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The fields that have a value. */
export const without = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** An element as the editor knows it. What was not saved yet has a temporary id and revision 0. */
export interface Item {
    readonly id: string;
    readonly type: string;
    readonly attributes: Fields;
    readonly styles: Fields;
    readonly revision: number;
}

/** A page with its elements, in order of creation. */
export interface Sheet {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly styles: Fields;
    readonly revision: number;
    readonly elements: readonly Item[];
}

/** A project as the editor shows it: never changed, only replaced, so that what is the same object looks the same. */
export interface Doc {
    readonly project: Project;
    readonly pages: readonly Sheet[];
}

/** An element of the service. */
type Placed = Item & { readonly page_id: string };

/** Differences in a project, as far as the editor shows them. */
export interface Seen {
    project: Project | null;
    pages: Omit<Sheet, 'elements'>[];
    elements: Placed[];
    removed: { pages: string[]; elements: string[] };
}

/** A kind of editable thing. A page and an element of a project can have the same id. */
export type Kind = 'pages' | 'elements';

/** The start of the temporary ids of a kind, which tell it apart from the other one. */
const mark = (kind: Kind): string => `new-${kind}-`;

/** A temporary id for something new. */
export const newId = (kind: Kind): string => mark(kind) + Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * The ids of things made here. They keep their temporary id in the editor for as long as it is open, so that nothing on the screen is made anew
 * when they are saved; the service gets its own ids.
 */
export class Ids {
    readonly #ids = new Map<string, string>();
    readonly #temporary: Readonly<Record<Kind, Map<string, string>>> = { pages: new Map(), elements: new Map() };

    /** Those that an earlier release has made do not say of which kind they are: most are of elements. */
    add(temporary: string, id: string): void {
        this.#ids.set(temporary, id);
        this.#temporary[temporary.startsWith(mark('pages')) ? 'pages' : 'elements'].set(id, temporary);
    }

    /** the id in the editor, of the service's */
    here = (kind: Kind, id: string): string => this.#temporary[kind].get(id) ?? id;

    /** the service's id if it is known, of the editor's */
    there = (id: string): string => this.#ids.get(id) ?? id;
}

function compareCreation(one: Item, other: Item, { there }: Ids): number {
    const [a, b] = [there(one.id), there(other.id)];
    return a.length - b.length || (a < b ? -1 : 1);
}

/** Replaces what has the id. */
const replaced = <Thing extends { readonly id: string }>(things: readonly Thing[], id: string, change: (thing: Thing) => Thing): readonly Thing[] => things.map((thing) => (thing.id === id ? change(thing) : thing));

/** Changes an element on whichever page it is. */
export function withItem(doc: Doc, id: string, change: (item: Item) => Item): Doc {
    return { ...doc, pages: doc.pages.map((page) => (page.elements.some((item) => item.id === id) ? { ...page, elements: replaced(page.elements, id, change) } : page)) };
}

export const itemOf = (doc: Doc, id: string): Item | undefined => doc.pages.flatMap(({ elements }) => elements).find((item) => item.id === id);

/** The project after a change that was made here. Ids are those of the editor. */
export function applied(doc: Doc, change: Change, ids: Ids): Doc {
    const { here } = ids;
    if (change.method === 'remove') {
        const id = change.type === 'projects' ? '' : here(change.type, change.base.id);
        return change.type === 'pages' ?
            { ...doc, pages: doc.pages.filter((page) => page.id !== id) } :
            { ...doc, pages: doc.pages.map((page) => (page.elements.some((item) => item.id === id) ? { ...page, elements: page.elements.filter((item) => item.id !== id) } : page)) };
    }

    switch (change.type) {
        case 'projects':
            return change.method === 'create' ? doc : { ...doc, project: { ...doc.project, ...titled(change.data) } };
        case 'pages':
            return change.method === 'create' ?
                { ...doc, pages: [...doc.pages, { id: change.id, x: Number(change.data.x), y: Number(change.data.y), styles: change.data.styles ?? {}, revision: 0, elements: [] }] } :
                { ...doc, pages: replaced(doc.pages, here('pages', change.base.id), (page) => ({ ...page, ...change.data })) };
        case 'elements': {
            if (change.method === 'create') {
                const { pageId, type, attributes = {}, styles = {} } = change.data;
                return { ...doc, pages: replaced(doc.pages, here('pages', String(pageId)), (page) => ({ ...page, elements: [...page.elements, { id: change.id, type, attributes, styles, revision: 0 }] })) };
            }

            const { data } = change;
            return withItem(doc, here('elements', change.base.id), (item) => ({ ...item, ...data }));
        }
    }
}

const titled = ({ title, description }: { title?: string; description?: string }): { title?: string; description?: string } => ({ ...title === undefined ? {} : { title }, ...description === undefined ? {} : { description } });

/** The project after what the service says is different. @param since the revision that the project had here; 0 means that everything is told */
export function caughtUp(doc: Doc, { project, pages, elements, removed }: Seen, since: number, ids: Ids): Doc {
    const { here } = ids;
    const gone = (kind: Kind): Set<string> => new Set(removed[kind].map((id) => here(kind, id)));
    const [gonePages, goneElements] = [gone('pages'), gone('elements')];
    const sheets = new Map((since === 0 ? [] : doc.pages).filter(({ id }) => !gonePages.has(id)).map((page) => [page.id, page]));
    for (const { id: own, x, y, styles, revision } of pages) {
        const id = here('pages', own);
        sheets.set(id, { id, x, y, styles, revision, elements: sheets.get(id)?.elements ?? [] });
    }

    const arrived = new Map<string, typeof elements>();
    for (const element of elements) {
        const page = here('pages', element.page_id);
        arrived.set(page, [...arrived.get(page) ?? [], element]);
    }

    const changed = [...sheets.values()].map((sheet) => {
        const items = new Map(sheet.elements.filter(({ id }) => !goneElements.has(id)).map((item) => [item.id, item]));
        const news = arrived.get(sheet.id) ?? [];
        for (const { id: own, type, attributes, styles, revision } of news) {
            const id = here('elements', own);
            items.set(id, { id, type, attributes, styles, revision });
        }

        return news.length === 0 && items.size === sheet.elements.length ? sheet : { ...sheet, elements: [...items.values()].sort((one, other) => compareCreation(one, other, ids)) };
    });
    return { project: project ?? doc.project, pages: changed };
}

const isObjectIn = (value: unknown, ...names: readonly string[]): value is Record<string, unknown> => isObject(value) && names.every((name) => isObject(value[name]));

const isSheet = (thing: unknown): thing is Omit<Sheet, 'elements'> => isObjectIn(thing, 'styles') && typeof thing.x === 'number' && typeof thing.y === 'number';

const isPlaced = (thing: unknown): thing is Placed => isObjectIn(thing, 'styles', 'attributes') && typeof thing.type === 'string' && typeof thing.page_id === 'string';

/** The project with what saves have left that were sent after it was read here. */
function withSaved(doc: Doc, things: Unsent['things'], ids: Ids): Doc {
    const known = { pages: new Map(doc.pages.map(({ id, revision }) => [id, revision])), elements: new Map(doc.pages.flatMap(({ elements }) => elements).map(({ id, revision }) => [id, revision])) };
    const news: Seen = { project: null, pages: [], elements: [], removed: { pages: [], elements: [] } };
    for (const { type, id, thing } of things) {
        const kind = type === 'pages' || type === 'elements' ? type : undefined;
        const isNewer = kind !== undefined && thing !== null && thing.revision > (known[kind].get(ids.here(kind, id)) ?? 0);
        if (thing === null && kind !== undefined) {
            news.removed[kind].push(id);
        }
        else if (type === 'pages' && isNewer && isSheet(thing)) {
            news.pages.push(thing);
        }
        else if (type === 'elements' && isNewer && isPlaced(thing)) {
            news.elements.push(thing);
        }
    }

    return caughtUp(doc, news, 1, ids);
}

/** The project as the service has it, with all that waits to be sent. */
export function withUnsent(doc: Doc, { saves, ids: known, things }: Unsent, ids: Ids): Doc {
    known.forEach((id, temporary) => ids.add(temporary, id));
    return saves.flat().reduce((now, change) => applied(now, change, ids), withSaved(renamed(doc, ids), things, ids));
}

/** The project with the ids of the editor. What has them already stays the same object. */
export function renamed(doc: Doc, { here }: Ids): Doc {
    const isHere = ({ id, elements }: Sheet): boolean => here('pages', id) === id && elements.every((item) => here('elements', item.id) === item.id);
    return { ...doc, pages: doc.pages.map((page) => (isHere(page) ? page : { ...page, id: here('pages', page.id), elements: page.elements.map((item) => (here('elements', item.id) === item.id ? item : { ...item, id: here('elements', item.id) })) })) };
}

/** Without what is there twice, by its temporary id and by the service's: a save had been stored when the project was read, but its response was lost. */
export function withoutTwins(doc: Doc, { here }: Ids): Doc {
    const all = new Set(doc.pages.flatMap(({ id, elements }) => [id, ...elements.map((item) => item.id)]));
    const isTwin = (kind: Kind, id: string): boolean => here(kind, id) !== id && all.has(here(kind, id));
    const pages = doc.pages.filter(({ id }) => !isTwin('pages', id));
    return { ...doc, pages: pages.map((page) => (page.elements.some(({ id }) => isTwin('elements', id)) ? { ...page, elements: page.elements.filter(({ id }) => !isTwin('elements', id)) } : page)) };
}

/** Pages in reading order: row by row. */
export const inOrder = (pages: readonly Sheet[]): Sheet[] => [...pages].sort((one, other) => one.y - other.y || one.x - other.x);

/** An element without a place to be: what is copied and pasted. */
export type Piece = Pick<Item, 'type' | 'attributes' | 'styles'>;

/** A change that makes an element. @param pageId the service's, or a temporary one */
export const creationOf = (pageId: string, { type, attributes, styles }: Piece, id = newId('elements')): Extract<Change, { type: 'elements'; method: 'create' }> => (
    { type: 'elements', method: 'create', id, data: { pageId, type, attributes: { ...attributes }, styles: { ...styles } } }
);

export const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise);

/** Whether it stays where it is, as a background does. */
export const isLocked = ({ attributes }: Pick<Item, 'attributes'>): boolean => attributes.locked === true;
