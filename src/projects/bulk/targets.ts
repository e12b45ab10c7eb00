import { may, someoneElses } from '../../rules/access';
import type { ProjectAct, Owned } from '../../rules/access';
import { notFound } from '../../api/errors/errors';
import type { ThingType } from '../../api/representations/things';
import { idOf } from './references';
import type { Kind, ActionTarget } from './schema';
import type { ElementState, PageState, ProjectState, Run } from './state';

/** Thrown if a thing has changed since the revision that an action was made against. */
export class RevisionMismatch extends Error {
    readonly kind: Kind;
    readonly id: string;
    /** the ids in the path of the thing */
    readonly chain: readonly string[];
    /** the one that the action states */
    readonly revision: number;

    constructor(kind: Kind, id: string, above: readonly string[], revision: number) {
        super('The revision has changed');
        this.kind = kind;
        this.id = id;
        this.chain = [...above, id];
        this.revision = revision;
    }
}

/** Names of things in messages. */
export const singular: Readonly<Record<Kind, ThingType>> = { projects: 'project', pages: 'page', elements: 'element' };

/** A thing that exists. @throws 404 */
function existing<Row extends { removed: boolean }>(row: Row | undefined, kind: Kind): Row {
    if (row === undefined || row.removed) {
        throw notFound(singular[kind]);
    }

    return row;
}

/** The project that an action names. @throws 404 */
export const projectOfRun = (run: Run, target: unknown): ProjectState => existing(run.state.projects.get(idOf(target, run)), 'projects');

/** The page that an action names. @throws 404 */
export function pageOfRun(run: Run, target: unknown): PageState {
    const page = existing(run.state.pages.get(idOf(target, run)), 'pages');
    existing(page.project, 'pages');
    return page;
}

/** The element that an action names. @throws 404 */
export function elementOfRun(run: Run, target: unknown): ElementState {
    const element = existing(run.state.elements.get(idOf(target, run)), 'elements');
    existing(element.page, 'elements');
    existing(element.page.project, 'elements');
    return element;
}

/** @throws 403 if the caller may not do this with the project, or with what is in it */
export function checkAccess(run: Run, act: ProjectAct, kind: Kind, project: Owned): void {
    if (!may(run.caller, act, project)) {
        throw someoneElses(singular[kind]);
    }
}

/** @param above ids of what the thing is in @throws RevisionMismatch */
export function checkRevision(kind: Kind, { revision }: ActionTarget, thing: { id: string; revision: number }, above: readonly string[]): void {
    if (revision !== undefined && revision !== thing.revision) {
        throw new RevisionMismatch(kind, thing.id, above, revision);
    }
}
