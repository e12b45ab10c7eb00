import { outsideToken } from '../../api/auth/token-rights';
import { isForProject, may, someoneElses } from '../../rules/access';
import type { ProjectAct } from '../../rules/access';
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

/** A thing that exists. @throws 404; 403 with a token that is for some projects, which does not tell what there is in others */
function existing<Row extends { removed: boolean }>({ caller }: Run, row: Row | undefined, kind: Kind): Row {
    if (row === undefined || row.removed) {
        throw (caller.projects ?? null) === null ? notFound(singular[kind]) : outsideToken();
    }

    return row;
}

/** The project that an action names. @throws 404 */
export const projectOfRun = (run: Run, target: unknown): ProjectState => existing(run, run.state.projects.get(idOf(target, run)), 'projects');

/** The page that an action names. @throws 404 */
export function pageOfRun(run: Run, target: unknown): PageState {
    const page = existing(run, run.state.pages.get(idOf(target, run)), 'pages');
    existing(run, page.project, 'pages');
    return page;
}

/** The element that an action names. @throws 404 */
export function elementOfRun(run: Run, target: unknown): ElementState {
    const element = existing(run, run.state.elements.get(idOf(target, run)), 'elements');
    existing(run, element.page, 'elements');
    existing(run, element.page.project, 'elements');
    return element;
}

/** @throws 403 if the caller may not do this with the project, or with what is in it */
export function checkAccess(run: Run, act: ProjectAct, kind: Kind, project: ProjectState): void {
    if (!isForProject(run.caller, project.thing.id)) {
        throw outsideToken();
    }

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
