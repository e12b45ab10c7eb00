import type { Api, CallOptions } from './api.js';
import type { AnswerTo } from './history.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { TrashEntry } from './things.js';

/** The restored thing, without what is in it. */
export type Restored = AnswerTo<'restoreTrash'>;

/** Your own trash. */
export interface Trash {
    /** what was removed, newest first */
    list(options?: ListOptions): List<TrashEntry>;

    /**
     * Restores a thing with everything that went with it. It keeps its id.
     * @param place where to put a page whose place was taken: 409 `coordinates_taken` says that it is needed
     * @throws PagewrightError 409 `parent_deleted` if what it was in was removed too: restore that first; 403 `removed_by_moderator`
     */
    restore(entry: Pick<TrashEntry, 'id'>, place?: { x: number; y: number }, options?: CallOptions): Promise<Restored>;

    /** Deletes a thing for good, also from the history. */
    delete(entry: Pick<TrashEntry, 'id'>, options?: CallOptions): Promise<void>;
}

export function trashOf(api: Api): Trash {
    return {
        list: (options) => each(options, async (query, call) => {
            const { trash, next } = (await api.GET('/users/{user}/trash', { params: { path: { user: 'me' }, query }, ...call })).data;
            return { items: trash, next };
        }),

        restore: async ({ id }, place, options) => {
            return (await api.POST('/users/{user}/trash/{entry}/restore', { params: { path: { user: 'me', entry: id } }, body: place ?? {}, ...options })).data;
        },

        delete: async ({ id }, options) => {
            await api.DELETE('/users/{user}/trash/{entry}', { params: { path: { user: 'me', entry: id } }, ...options });
        }
    };
}
