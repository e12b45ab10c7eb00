import type { Plugin } from '@hapi/hapi';

import { maybeUser } from '../http/caller';
import type { CurrentUser } from '../http/caller';
import { needs } from '../auth/strategy';
import type { Database } from '../db/connection';
import { transaction } from '../db/transaction';
import { poolQueue } from '../concurrency/work-queue';
import { fault, forbidden, isFault, notFound } from '../errors/errors';
import { JsonText, jsonArray, jsonOf } from '../json/json-text';
import { once } from '../http/idempotency';
import { refuseIfUsersQueueIsLong } from '../http/load/long-queues';
import { pauses } from '../concurrency/yielding';
import { reply } from '../http/responses';
import { ids } from '../http/schema';
import type { Services } from '../services';
import { writeUnder } from '../users/open-account';
import { apply } from './apply';
import type { Run } from './apply';
import { drawIds, findAuthor, load } from './load';
import { missingFor, namedBy } from './needs';
import { operation } from './docs';
import { boundedParser } from './references';
import { bulkBody } from './schema';
import type { Action, Kind } from './schema';
import { store } from './store';
import { validateActions } from './validation';

/** Most characters of an answer: actions that show one large page again and again could make it endless. */
const MOST_ANSWER = 256 * 1024 * 1024;

export const bulk: Plugin<Services> = {
    name: 'bulk',
    dependencies: ['token-strategy'],
    register(server, { config, db }) {
        const queue = poolQueue(config.databasePool);

        server.route<{ Params: { user: string }; Payload: { actions: unknown[] } }>({
            method: 'POST',
            path: '/users/{user}/bulk',
            options: { ...operation('saveBulk'), auth: needs('projects'), app: { limit: 'writes', opensAccount: true }, ext: refuseIfUsersQueueIsLong(queue), validate: { params: ids('user'), payload: bulkBody } },
            handler: async (request, h) => {
                const actions = await validateActions(request.payload.actions);
                return queue.run(() => once(request, h, db, async (trx) => {
                    const results = await transaction(trx, request.app.traceId, (inner) => writeUnder(inner, request, config, (own, user, caller) => {
                        return runAll(own, user, caller, config.apiVersion, actions);
                    }));
                    return reply(h, await jsonArray(results, '{"status":"success","results":', '}'));
                }), maybeUser(request)?.id);
            }
        });
    }
};

/**
 * Runs all actions in order and stores what they come to: what they name is locked and loaded first, then changed
 * in memory, then written, in a number of round trips that does not depend on how many there are.
 */
async function runAll(db: Database, userId: string, caller: CurrentUser, version: string, actions: readonly Action[]): Promise<JsonText[]> {
    const [found, fresh] = await Promise.all([findAuthor(db, userId), idsFor(db, actions)]);
    if (found === undefined) {
        throw notFound('user');
    }

    if (userId !== caller.id) {
        throw forbidden('A bulk can be run under one\'s own account only.');
    }

    const state = { now: found.now, projects: new Map(), pages: new Map(), elements: new Map() };
    await load(db, state, namedBy(actions));
    const run: Run = { state, caller, author: found.author, version, results: [], parse: boundedParser(), ids: fresh };

    const pause = pauses();
    const texts: JsonText[] = [];
    let length = 0;
    for (const [index, action] of actions.entries()) {
        try {
            const missing = missingFor(state, actions, action, run);
            if (missing !== undefined) {
                await load(db, state, missing);
            }

            const result = apply(run, action);
            const text = jsonOf(result);
            run.results.push(result);
            texts.push(new JsonText(text));
            length += text.length;
        }
        catch (error) {
            throw isFault(error) ? Object.assign(error, { data: { ...error.data, action: index } }) : error;
        }

        if (length > MOST_ANSWER) {
            throw fault(400, 'answer_too_large', 'The results are too large for one answer. Send the actions in parts.', { action: index });
        }

        await pause();
    }

    await store(db, state);
    return texts;
}

/** Ids in the order in which actions will take them. */
async function idsFor(db: Database, actions: readonly Action[]): Promise<Run['ids']> {
    const count = (kind: Kind): number => actions.filter(({ type, method }) => type === kind && method === 'create').length;
    const drawn = await drawIds(db, { projects: count('projects'), pages: count('pages'), elements: count('elements') });
    return { projects: drawn.projects.reverse(), pages: drawn.pages.reverse(), elements: drawn.elements.reverse() };
}
