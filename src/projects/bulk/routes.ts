import type { Plugin } from '@hapi/hapi';

import { signalOf } from '../../api/request/client-gone';
import { needs } from '../../api/auth/strategy';
import { fault } from '../../api/errors/errors';
import { reply } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { AuthoringServices } from '../../rules/write';
import { accountOf } from '../../accounts/users/open-account';
import { MAX_BULK_SECONDS } from '../../limits';
import { bulkOperation } from './docs';
import { runBulk } from './run';
import { bulkBody } from './schema';
import { validateActions } from './validation';

/** Milliseconds that a bulk may take once it is its turn. */
const MAX_TIME = MAX_BULK_SECONDS * 1000;

export const bulk: Plugin<AuthoringServices> = {
    name: 'bulk',
    dependencies: ['token-strategy'],
    register(server, { config, now, write }) {
        server.route<{ Params: { user: string }; Payload: { actions: unknown[] } }>({
            method: 'POST',
            path: '/users/{user}/bulk',
            options: { ...bulkOperation('saveBulk'), auth: needs('projects'), app: { cost: 'heavy', opensAccount: true, byTokenOfProjects: 'checked' }, validate: { params: ids('user'), payload: bulkBody } },
            handler: async (request, h) => {
                const actions = await validateActions(request.payload.actions);
                const check = stopCheck(signalOf(request), now);
                const loaded = (projects: ReadonlyMap<string, unknown>): void => {
                    request.app.moderatorRead = { others: projects.keys() };
                    request.app.tellsOf = projects.keys();
                };

                return write.idempotentTransaction(request, h, async (trx) => {
                    const { user: userId, caller } = await accountOf(trx, request, config);
                    const results = await runBulk(trx, { actions, userId, caller, version: config.apiVersion, check, loaded });
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
    const end = now() + MAX_TIME;
    return () => {
        signal.throwIfAborted();
        if (now() > end) {
            throw fault('bulk_stopped');
        }
    };
}
