import type { Api, CallOptions } from './api.js';
import { each, pathOf } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { operations } from './schema.js';
import type { HistoryEntry, ProjectPlace } from './things.js';

/** The body of a success, without its `status`. */
export type AnswerTo<Name extends keyof operations> = operations[Name] extends { responses: { 200: { content: { 'application/json': infer Json } } } } ? Omit<Json, 'status'> : never;

/** A project as it was: `revision` is that of the point, and `incomplete` is true if something that was there then was deleted for good. */
export type Point = AnswerTo<'getPoint'>;

/** A project after a restore, and the change that it was: null if nothing was different. `skipped` lists what a moderator removed, which stays gone. */
export type Rewritten = AnswerTo<'restorePoint'>;

/** The differences of a project since a revision: each thing that has changed, whole, as it is now, and the ids of what was removed. */
export type Differences = AnswerTo<'listDifferences'>;

/** The methods for the history of a project. A point is named by its revision: that at which a change ended. */
export interface History {
    /** what happened to the project, newest first */
    list(project: ProjectPlace, options?: ListOptions): List<HistoryEntry>;

    /**
     * The project as it was. A revision between two points shows the older of the two.
     * @throws PagewrightError 410 `history_gone` if the point is not kept any more; `nearest` is the closest older one that is
     */
    at(project: ProjectPlace, revision: number, options?: CallOptions): Promise<Point>;

    /** Names a point, in 1 to 100 characters, and keeps it for good. @throws PagewrightError 404 `not_a_point` */
    label(project: ProjectPlace, revision: number, label: string, options?: CallOptions): Promise<HistoryEntry>;

    /** @throws PagewrightError 404 `not_a_point` */
    unlabel(project: ProjectPlace, revision: number, options?: CallOptions): Promise<HistoryEntry>;

    /** Makes the project, or only some of its pages, what they were, as a new change. @param options.pages ids of pages that were there then */
    restore(project: ProjectPlace, revision: number, options?: CallOptions & { pages?: string[] }): Promise<Rewritten>;

    /**
     * Takes back the one change that ended at this point, as a new change. What later changes did to other fields stays.
     * @throws PagewrightError 409 `undo_conflict` if what it did was changed since, and `changedSince` says what; 409 `not_undoable`, 404 `not_a_point`
     */
    undo(project: ProjectPlace, revision: number, options?: CallOptions): Promise<Rewritten>;

    /** The differences between then and now. 0 returns everything. @throws PagewrightError 410 `history_gone` if that can no longer be told: begin again with 0 */
    since(project: ProjectPlace, revision: number, options?: CallOptions): Promise<Differences>;
}

export function historyOf(api: Api): History {
    const point = (project: ProjectPlace, revision: number): { path: { user: string; project: string; revision: string } } => ({ path: { ...pathOf(project), revision: String(revision) } });

    return {
        list: (project, options) => each(options, async (query, call) => {
            const { changes, next } = (await api.GET('/users/{user}/projects/{project}/history', { params: { path: pathOf(project), query }, ...call })).data;
            return { items: changes, next };
        }),

        at: async (project, revision, options) => (await api.GET('/users/{user}/projects/{project}/history/{revision}', { params: point(project, revision), ...options })).data,

        label: async (project, revision, label, options) => {
            return (await api.PUT('/users/{user}/projects/{project}/history/{revision}/label', { params: point(project, revision), body: { label }, ...options })).data.change;
        },

        unlabel: async (project, revision, options) => {
            return (await api.DELETE('/users/{user}/projects/{project}/history/{revision}/label', { params: point(project, revision), ...options })).data.change;
        },

        restore: async (project, revision, { pages, ...options } = {}) => {
            return (await api.POST('/users/{user}/projects/{project}/history/{revision}/restore', { params: point(project, revision), body: pages === undefined ? {} : { pages }, ...options })).data;
        },

        undo: async (project, revision, options) => (await api.POST('/users/{user}/projects/{project}/history/{revision}/undo', { params: point(project, revision), ...options })).data,

        since: async (project, revision, options) => {
            return (await api.GET('/users/{user}/projects/{project}/changes', { params: { path: pathOf(project), query: { since: String(revision) } }, ...options })).data;
        }
    };
}
