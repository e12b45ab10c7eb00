import type { Knex } from 'knex';

import { startPolling } from '../../database/jobs/poll';
import type { PollOptions } from '../../database/jobs/poll';
import { moveNotices } from './outbox';

/** Milliseconds between two checks whether something happened. */
const EVERY = 500;

/**
 * Keeps telling people what happened.
 * @param everybody whether all teach whom no class manages (`TEACHERS=open`)
 * @returns a function that ends it, after the step in progress
 */
export function keepNotifying(db: Knex, everybody: boolean, logger: PollOptions['logger'], every = EVERY): () => Promise<void> {
    const failure = 'notices could not be made, and are tried again';
    return startPolling((signal) => moveNotices(db, everybody, signal), { every, logger, failure }).end;
}
