import type { TestServer } from '../../support/server';

/*
 * What a pull is expected to do, told independently of the service: a merge of plain objects. Pages and elements go by their ids in the source;
 * those that only the remix has go by `own` and their id.
 */

type Json = Record<string, unknown>;

export interface ElementState {
    type: string;
    attributes: Json;
    styles: Json;
}

export interface PageState {
    x: number;
    y: number;
    styles: Json;
    elements: Map<string, ElementState>;
}

export interface ProjectState {
    title: string;
    thumbnail: Json;
    pages: Map<string, PageState>;
}

/** A project with what was removed from it. */
export interface WithRemoved extends ProjectState {
    removed: ReadonlySet<string>;
}

export type Side = 'ours' | 'theirs' | undefined;

/** Something that the source changed, as `type source-id method conflict fields`. */
export type Told = string;

export interface Expected {
    told: Told[];
    /** what the remix becomes; pages that have to give way are in `moved` with the place where they were to be */
    state: ProjectState;
    moved: string[];
}

/** A project as it is stored, its links in terms of the source: `names` are those of pages by their ids. */
export async function stored({ database }: Pick<TestServer, 'database'>, id: string, isRemix: boolean): Promise<WithRemoved> {
    const { rows: [project] } = await database.db.raw('select id, user_id, title, thumbnail from projects where id = ?', [id]);
    const { rows: pages } = await database.db.raw('select id, x, y, styles, copied_from, deleted_at from pages where project_id = ? order by id', [id]);
    const { rows: elements } = await database.db.raw('select e.* from elements e join pages g on g.id = e.page_id where g.project_id = ? order by e.id', [id]);
    const nameOf = (row: { id: string; copied_from: string | null }): string => (isRemix ? row.copied_from ?? `own ${row.id}` : row.id);
    const names = new Map<string, string>(pages.map((page: { id: string; copied_from: string | null }) => [page.id, nameOf(page)]));
    const removed = new Set<string>();
    const state = new Map<string, PageState>();
    for (const page of pages) {
        const own = new Map<string, ElementState>();
        for (const element of elements.filter((one: { page_id: string }) => one.page_id === page.id)) {
            const { type, attributes, styles } = element;
            own.set(nameOf(element), { type, attributes: type === 'link' ? isRemix ? named(attributes, project, names) : linked(attributes) : attributes, styles });
            if (element.deleted_at !== null) {
                removed.add(`element ${nameOf(element)}`);
            }
        }

        state.set(nameOf(page), { x: page.x, y: page.y, styles: page.styles, elements: own });
        if (page.deleted_at !== null) {
            removed.add(`page ${nameOf(page)}`);
        }
    }

    return { title: project.title, thumbnail: project.thumbnail, pages: state, removed };
}

/** The attributes of a link in a remix, its targets by what they are in the source. */
const named = (attributes: Json, { id, user_id: user }: Json, names: ReadonlyMap<string, string>): Json => ({
    ...attributes,
    ...attributes.targetProjectId === id && { targetProjectId: 'the remix' },
    ...attributes.targetUserId === user && { targetUserId: 'the remixer' },
    ...attributes.targetPageId !== undefined && { targetPageId: names.get(String(attributes.targetPageId)) ?? `page ${String(attributes.targetPageId)}` }
});

/** The attributes of a link within the source as they are in a remix. All links of the tests are. */
const linked = (attributes: Json): Json => (attributes.targetProjectId === undefined && attributes.targetPageId === undefined ? attributes : { ...attributes, targetProjectId: 'the remix', targetUserId: 'the remixer' });

/** Only what is there. */
export function alive({ title, thumbnail, pages, removed }: WithRemoved): ProjectState {
    return { title, thumbnail, pages: new Map([...pages].filter(([name]) => !removed.has(`page ${name}`)).map(([name, page]) => [
        name, { ...page, elements: new Map([...page.elements].filter(([element]) => !removed.has(`element ${element}`))) }
    ])) };
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (value: unknown): unknown => (typeof value === 'object' && value !== null ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]) : value);

/** The fields of a thing, each by its pointer. */
function flat(thing: Partial<PageState & ElementState & ProjectState>): Map<string, unknown> {
    const fields = new Map<string, unknown>();
    for (const key of ['title', 'thumbnail'] as const) {
        if (thing[key] !== undefined) {
            fields.set(`/${key}`, thing[key]);
        }
    }

    if (thing.x !== undefined) {
        fields.set('/position', [thing.x, thing.y]);
    }

    for (const key of ['attributes', 'styles'] as const) {
        Object.entries(thing[key] ?? {}).forEach(([name, value]) => fields.set(`/${key}/${name}`, value));
    }

    return fields;
}

function unflat<Thing extends object>(thing: Thing, fields: ReadonlyMap<string, unknown>): Thing {
    const made: Json = { ...thing, ...'attributes' in thing && { attributes: {} }, ...'styles' in thing && { styles: {} } };
    for (const [pointer, value] of fields) {
        const [, name = '', key] = pointer.split('/');
        if (key !== undefined) {
            Object.assign(Object(made[name]), { [key]: value });
        }
        else if (name === 'position') {
            const [x, y] = value as number[];
            Object.assign(made, { x, y });
        }
        else {
            made[name] = value;
        }
    }

    return made as Thing;
}

interface Merged<Thing> {
    thing: Thing;
    changed: string[];
    conflicts: string[];
}

/** Merges a thing field by field. */
function mergeThing<Thing extends object>(base: Thing | undefined, theirs: Thing, ours: Thing, side: Side): Merged<Thing> {
    const [was, wanted, is] = [flat(base ?? {}), flat(theirs), flat(ours)];
    const outcome = new Map<string, unknown>();
    const [changed, conflicts]: [string[], string[]] = [[], []];
    for (const pointer of new Set([...was.keys(), ...wanted.keys(), ...is.keys()])) {
        const [b, t, o] = [was.get(pointer), wanted.get(pointer), is.get(pointer)];
        const isTheirs = base === undefined ? !same(t, o) : !same(b, t);
        const isOurs = base === undefined ? !same(t, o) : !same(b, o);
        if (isTheirs) {
            changed.push(pointer);
        }

        if (isTheirs && isOurs && !same(t, o)) {
            conflicts.push(pointer);
        }

        const value = isTheirs && !(isOurs && side === 'ours') ? t : o;
        if (value !== undefined) {
            outcome.set(pointer, value);
        }
    }

    return { thing: unflat(ours, outcome), changed, conflicts };
}

/** What a pull makes of a remix. The links of the source are in its own terms, as `stored` reads them. */
export function expectedOf(base: ProjectState, theirs: ProjectState, ours: WithRemoved, side: Side): Expected {
    const told: [string, boolean][] = [];
    const tell = (type: string, id: string, method: string, isConflict: boolean, fields: readonly string[] = []): number => told.push([`${type} ${id} ${method} ${[...fields].sort().join(' ')}`, isConflict]) - 1;
    const isHere = (type: string, name: string): boolean => !ours.removed.has(`${type} ${name}`);
    // A link to a page of which the remix has never had a copy leads nowhere.
    const pointed = (element: ElementState): ElementState => {
        const { targetPageId: page, ...rest } = element.attributes;
        const isCopied = ours.pages.has(String(page)) || (theirs.pages.has(String(page)) && !base.pages.has(String(page)));
        return element.type !== 'link' || page === undefined || isCopied ? element : { ...element, attributes: rest };
    };

    const own = mergeThing({ title: base.title, thumbnail: base.thumbnail }, { title: theirs.title, thumbnail: theirs.thumbnail }, { title: ours.title, thumbnail: ours.thumbnail }, side);
    if (own.changed.length > 0) {
        tell('project', '', 'update', own.conflicts.length > 0, own.changed);
    }

    const now = alive(ours);
    const pages = new Map(now.pages);
    /** those whose place is what the source says */
    const placed = new Map<string, number | undefined>();
    for (const name of new Set([...base.pages.keys(), ...theirs.pages.keys()])) {
        const [was, wanted, is] = [base.pages.get(name), theirs.pages.get(name), ours.pages.get(name)];
        const here = now.pages.get(name);
        if (wanted === undefined) {
            if (was !== undefined && here !== undefined) {
                const { elements: before, ...page } = was;
                const { elements: after, ...present } = here;
                const isOwn = !same(page, present) || before.size !== after.size || [...before].some(([id, element]) => !same(pointed(element), after.get(id)));
                tell('page', name, 'remove', isOwn);
                if (!isOwn || side === 'theirs') {
                    pages.delete(name);
                }
            }
        }
        else if (was === undefined && here === undefined) {
            placed.set(name, tell('page', name, 'create', false));
            const mine = [...is?.elements ?? []].filter(([id]) => id.startsWith('own') && isHere('element', id));
            pages.set(name, { ...wanted, elements: new Map([...mine, ...[...wanted.elements].map(([id, element]): [string, ElementState] => [id, pointed(element)])]) });
        }
        else if (is !== undefined) {
            const { elements: _elements, ...fields } = is;
            const { elements: _was, ...before } = was ?? { elements: undefined };
            const { elements: _wanted, ...after } = wanted;
            const merged = mergeThing<Omit<PageState, 'elements'>>(was === undefined ? undefined : before as PageState, after, fields, side);
            let isBack = false;
            const page: PageState = { ...merged.thing, elements: new Map([...is.elements].filter(([id]) => isHere('element', id))) };
            if (merged.changed.length > 0) {
                const index = tell('page', name, was === undefined ? 'create' : 'update', here === undefined || merged.conflicts.length > 0, was === undefined ? [] : merged.changed);
                isBack = here === undefined;
                if (!same([page.x, page.y], [is.x, is.y])) {
                    placed.set(name, index);
                }
            }

            for (const id of new Set([...was?.elements.keys() ?? [], ...wanted.elements.keys()])) {
                const [b, t, o] = [was?.elements.get(id), wanted.elements.get(id), is.elements.get(id)].map((element, index) => (element === undefined || index === 2 ? element : pointed(element)));
                const isThere = here !== undefined && o !== undefined && isHere('element', id);
                if (t === undefined) {
                    if (isThere) {
                        tell('element', id, 'remove', !same(b, o));
                        if (same(b, o) || side === 'theirs') {
                            page.elements.delete(id);
                        }
                    }
                }
                else if (isThere) {
                    const { thing, changed, conflicts } = mergeThing(b, t, o, side);
                    if (changed.length > 0) {
                        tell('element', id, b === undefined ? 'create' : 'update', conflicts.length > 0, b === undefined ? [] : changed);
                        page.elements.set(id, thing);
                    }
                }
                else if (b === undefined || !same(b, t)) {
                    const isConflict = b !== undefined || here === undefined;
                    tell('element', id, b === undefined ? 'create' : 'update', isConflict, b === undefined ? [] : mergeThing(b, t, t, side).changed);
                    if (!isConflict || side === 'theirs') {
                        isBack = here === undefined;
                        page.elements.set(id, b === undefined || o === undefined ? t : mergeThing(b, t, o, side).thing);
                    }
                }
            }

            if (here !== undefined || (isBack && side === 'theirs')) {
                pages.set(name, page);
                if (here === undefined) {
                    placed.set(name, undefined);
                }
            }
        }
    }

    const moved: string[] = [];
    for (const [name, page] of pages) {
        const others = [...pages].filter(([other, { x, y }]) => other !== name && x === page.x && y === page.y);
        if (others.length > 0 && placed.has(name) === (side !== 'theirs')) {
            moved.push(name);
            const index = placed.get(name);
            if (index !== undefined) {
                told[index] = [String(told[index]?.[0]), true];
            }
        }
    }

    return { told: told.map(([text, isConflict]) => `${text}${isConflict ? ' !' : ''}`).sort(), state: { ...own.thing, pages }, moved };
}
