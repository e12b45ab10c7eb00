import type { Api, CallOptions } from './api.js';
import type { AnswerTo, Rewritten } from './history.js';
import { pathOf } from './lists.js';
import type { ProjectPlace } from './things.js';

/** The sources of a project, nearest first, and how many remixes it has itself. */
export type Lineage = AnswerTo<'getLineage'>;

/** The changes of a remix's source since the remix was made, or since the last pull. */
export type Upstream = AnswerTo<'getUpstream'>;

/** The methods that link a remix to the project that it was made from. */
export interface Remixes {
    lineage(project: ProjectPlace, options?: CallOptions): Promise<Lineage>;

    /** @throws PagewrightError 404 `source_unavailable` if there is no source that you may read; 410 `history_gone` if it is not known any more what the source was */
    upstream(remix: ProjectPlace, options?: CallOptions): Promise<Upstream>;

    /**
     * Brings these changes into the remix, as one change that can be undone. `change` is null if there is nothing to pull.
     * @param options.take which side stays where both changed the same: the remix (`ours`) or the source (`theirs`)
     * @throws PagewrightError 409 `merge_conflict` if both changed the same and `take` does not decide; `mergeConflicts` says what
     */
    pull(remix: ProjectPlace, options?: CallOptions & { take?: 'ours' | 'theirs' }): Promise<Rewritten>;
}

export function remixesOf(api: Api): Remixes {
    return {
        lineage: async (project, options) => (await api.GET('/users/{user}/projects/{project}/lineage', { params: { path: pathOf(project) }, ...options })).data,

        upstream: async (remix, options) => (await api.GET('/users/{user}/projects/{project}/upstream', { params: { path: pathOf(remix) }, ...options })).data,

        pull: async (remix, { take, ...options } = {}) => {
            return (await api.POST('/users/{user}/projects/{project}/upstream/pull', { params: { path: pathOf(remix) }, body: take === undefined ? {} : { take }, ...options })).data;
        }
    };
}
