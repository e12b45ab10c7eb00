import type { Plugin } from '@hapi/hapi';

import { signalOf } from '../../api/request/client-gone';
import { needs } from '../../api/auth/strategy';
import { transaction } from '../../database/statements/transaction';
import { fault } from '../../api/errors/errors';
import { idempotent } from '../../api/request/idempotency';
import { reply } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { Services } from '../../api/services';
import { writeUnder } from '../../accounts/users/open-account';
import { MOST_BULK_SECONDS } from '../../limits';
import { operation } from './docs';
import { runBulk } from './run';
import { bulkBody } from './schema';
import { validateActions } from './validation';

/** Milliseconds that a bulk may take once it is its turn. */
const MOST_TIME = MOST_BULK_SECONDS * 1000;

export const bulk: Plugin<Services> = {
    name: 'bulk',
    dependencies: ['token-strategy'],
    register(server, { config, db, now }) {
        server.route<{ Params: { user: string }; Payload: { actions: unknown[] } }>({
            method: 'POST',
            path: '/users/{user}/bulk',
            options: { ...operation('saveBulk'), auth: needs('projects'), app: { cost: 'heavy', limit: 'writes', opensAccount: true }, validate: { params: ids('user'), payload: bulkBody } },
            handler: async (request, h) => {
                const actions = await validateActions(request.payload.actions);
                const check = stopCheck(signalOf(request), now);
                return idempotent(request, h, db, async (trx) => {
                    const results = await transaction(trx, request.app.traceId, (inner) => writeUnder(inner, request, config, (own, userId, caller) => {
                        const loaded = (projects: ReadonlyMap<string, unknown>): void => {
                            request.app.moderatorRead = { others: projects.keys() };
                            request.app.tellsOf = projects.keys();
                        };

                        return runBulk(own, { actions, userId, caller, version: config.apiVersion, check, loaded });
                    }), signalOf(request));
                    const response = reply(h, results.body());
                    response.app.shortBody = () => results.shortBody();
                    return response;
                });
            }
        });
    }
};

/** A check between the steps of a bulk, which throws if it has taken too long, or nobody waits for its answer any more. */
function stopCheck(signal: AbortSignal, now: () => number): () => void {
    const end = now() + MOST_TIME;
    return () => {
        signal.throwIfAborted();
        if (now() > end) {
            throw fault('bulk_stopped');
        }
    };
}
