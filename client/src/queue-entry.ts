import type { Change } from './changes.js';
import type { PagewrightError } from './errors.js';

/** A save that waits in a queue. */
export interface Entry {
    /** under which it is stored: sorts by time */
    id: string;
    /** its idempotency key: another one when its changes are replaced */
    key: string;
    /** the id of the user who made it */
    user: string;
    changes: readonly Change[];
    /** how many saves it was, if they were joined */
    saves?: number;
    /** why it cannot be saved, since when (milliseconds since 1970), and which of its changes is the reason */
    failed?: { status: number; body: PagewrightError['body']; index: number | undefined; at?: number };
    /** the changes as they were last sent; not stored */
    sent?: readonly Change[];
}

/** An entry as it is stored. */
export interface StoredEntry {
    entry: Entry;
    bytes: number;
}

/** An entry that has failed, as the author has to decide about it. */
export interface FailedEntry {
    entry: Entry;
    /** its changes, with all later edits that wait for the decision */
    changes: readonly Change[];
    /** index of the change that is the reason; -1 if there is none, or if later edits have undone it */
    index: number;
    /** ids of the entries that have these edits */
    later: ReadonlySet<string>;
}
