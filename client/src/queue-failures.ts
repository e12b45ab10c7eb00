import type { Change } from './changes.js';
import { PagewrightError } from './errors.js';
import type { Entry, FailedEntry } from './queue-entry.js';
import { SaveError } from './save.js';

/** Changes that could not be saved. They wait until `resolve` is called; all else goes on. The same object until the changes are others. */
export interface QueueFailure {
    /** stays the same while more edits come */
    id: string;
    /** when it failed first, in milliseconds since 1970 */
    at: number;
    /** what could not be saved and what needs it, as it was sent, with all later edits of that */
    changes: readonly Change[];
    /** with `change`, `index`, and after `revision_conflict` also `current`, `base` and `conflicts`, if one of the changes is the reason */
    error: PagewrightError;
}

/** The version of an entry that a failure was made of, and the later entries whose edits it has. */
interface Origin {
    key: string;
    later: ReadonlySet<string>;
}

/** The failures of a queue, for whoever decides about them. */
export class QueueFailures {
    readonly #origins = new WeakMap<QueueFailure, Origin>();

    /** The failures of entries. One that was known stays the same object if nothing has changed about it. */
    of(entries: readonly FailedEntry[], known: readonly QueueFailure[]): QueueFailure[] {
        return entries.map(({ entry, changes, index, later }) => {
            const before = known.find(({ id }) => id === entry.id);
            const was = before && this.#origins.get(before);
            if (before !== undefined && was?.key === entry.key && was.later.size === later.size && [...later].every((id) => was.later.has(id))) {
                return before;
            }

            const failure = { id: entry.id, at: entry.failed?.at ?? 0, changes, error: errorOf(entry, changes, index) };
            this.#origins.set(failure, { key: entry.key, later });
            return failure;
        });
    }

    /** The entry of a failure as it was when the failure was made; undefined if it is another one by now. */
    originOf(failure: QueueFailure | undefined, entries: readonly FailedEntry[]): { entry: Entry; later: ReadonlySet<string> } | undefined {
        const made = failure && this.#origins.get(failure);
        const entry = entries.find((one) => one.entry.id === failure?.id)?.entry;
        return made === undefined || entry?.key !== made.key ? undefined : { entry, later: made.later };
    }
}

/** The error that an entry has kept. @param changes of the entry, with later edits @param index of the one that is the reason */
function errorOf({ failed }: Entry, changes: readonly Change[], index: number): PagewrightError {
    const error = new PagewrightError(failed?.status ?? 0, failed?.body ?? {});
    const change = changes[index];
    return change === undefined ? error : new SaveError(error, change, index);
}
