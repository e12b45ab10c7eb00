import { outsideToken } from '../../api/auth/token-rights';
import { isForProject, may, someoneElses } from '../../rules/access';
import type { ProjectAct } from '../../rules/access';
import { referencesOf } from '../../rules/asset-references';
import { fault, notFound } from '../../api/errors/errors';
import type { ElementFields } from '../../api/representations/element';
import type { PageFields } from '../../api/representations/page';
import type { ThingType } from '../../api/representations/things';
import { MAX_ELEMENTS, MAX_PAGES } from '../../limits';
import { refuseSizes } from '../../rules/sizes';
import { idOf } from './references';
import type { Action, Kind } from './schema';
import { bytesOf, pathTo, placeKey, planned, projectOf } from './plan';
import type { PlannedElement, PlannedPage, Run, Things } from './plan';

/*
 * What an action must fulfil: the thing is there, the caller may do this, the revision is the one that is stated, and there is room, a place, and every asset.
 */

/** Thrown if a thing has changed since the revision that an action was made against. */
export class RevisionMismatch extends Error {
    readonly kind: Kind;
    readonly id: string;
    /** the ids in the path of the thing */
    readonly chain: readonly string[];
    /** the one that the action states */
    readonly revision: number;

    constructor(kind: Kind, chain: readonly string[], id: string, revision: number) {
        super('The revision has changed');
        this.kind = kind;
        this.id = id;
        this.chain = chain;
        this.revision = revision;
    }
}

/** Names of things in messages. */
export const singular: Readonly<Record<Kind, ThingType>> = { projects: 'project', pages: 'page', elements: 'element' };

/**
 * The thing that an action names: the one that it changes, or the one that it makes something in.
 * @throws 404, or 403 with a token that is for some projects, which does not tell what there is in others; 403 if the caller may not do this; RevisionMismatch
 */
export function targetOf<K extends Kind>(run: Run, kind: K, act: ProjectAct, named: unknown, revision?: number): Things[K] {
    const { caller } = run;
    const target = planned(run.plan, kind, idOf(named, run));
    const path = target === undefined ? [] : pathTo(target);
    if (target === undefined || path.some(({ removed }) => removed)) {
        throw (caller.projects ?? null) === null ? notFound(singular[kind]) : outsideToken();
    }

    const project = projectOf(target);
    if (!isForProject(caller, project.thing.id)) {
        throw outsideToken();
    }

    if (!may(caller, act, project)) {
        throw someoneElses(singular[kind]);
    }

    const { id, revision: present } = target.thing;
    if (revision !== undefined && revision !== present) {
        throw new RevisionMismatch(kind, [project.thing.user_id, ...path.map(({ thing }) => thing.id)], id, revision);
    }

    return target;
}

/** Adds to the bytes of a page and of its project. @throws 409 if one of them grows beyond its limit */
export function grow(page: PlannedPage, by: number): void {
    page.bytes += by;
    page.project.bytes += by;
    if (by > 0) {
        refuseSizes(page.bytes, page.project.bytes);
    }
}

/** Counts new contents of a page. @throws as `grow` does */
export function resizePage(page: PlannedPage, { styles }: Partial<PageFields>): void {
    const before = page.stylesBytes;
    page.stylesBytes = styles?.bytes ?? before;
    grow(page, page.stylesBytes - before);
}

/** Counts new contents of an element. @throws as `grow` does */
export function resizeElement(element: PlannedElement, { attributes, styles }: Partial<ElementFields>): void {
    const before = bytesOf(element);
    element.attributesBytes = attributes?.bytes ?? element.attributesBytes;
    element.stylesBytes = styles?.bytes ?? element.stylesBytes;
    grow(element.page, bytesOf(element) - before);
}

/** @throws 409 if there are too many pages in a project, or elements on a page */
export function checkCount(count: number, kind: 'pages' | 'elements'): void {
    if (count > (kind === 'pages' ? MAX_PAGES : MAX_ELEMENTS)) {
        throw fault(kind === 'pages' ? 'page_limit' : 'element_limit');
    }
}

/** Moves a page to a place of its own. @throws 409 if another page is there */
export function moveTo(page: PlannedPage, x: number, y: number): void {
    const { thing, project: { places } } = page;
    if (places === undefined) {
        throw new Error('The places of a project were not loaded');
    }

    const there = places.get(placeKey(x, y));
    if (there !== undefined && there !== thing.id) {
        throw fault('coordinates_taken', `Another page of the project is at (${x}, ${y}) already.`);
    }

    places.delete(placeKey(thing.x, thing.y));
    places.set(placeKey(x, y), thing.id);
    Object.assign(thing, { x, y });
}

/** @throws 409 if an action refers to an asset that does not exist */
export function checkReferences({ absent }: Run, { data }: Action): void {
    const missing = absent.size === 0 ? undefined : referencesOf(data).find((hash) => absent.has(hash));
    if (missing !== undefined) {
        throw fault('asset_missing', missing);
    }
}
