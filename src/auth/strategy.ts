import * as Boom from '@hapi/boom';
import type { Plugin, Request } from '@hapi/hapi';
import BearerToken from 'hapi-auth-bearer-token';
import type { Knex } from 'knex';

import { findBearer } from './queries';
import { hashSecret, isSecret } from './secrets';

/**
 * The strategies `token` and `bearer`: the same tokens, sent as `Authorization: token …` or `Bearer …` (RFC 6750
 * section 2.1), and never in the query string. Each request asks the store, so a revoked token is dead everywhere at once.
 */
export const strategy: Plugin<{ db: Knex }> = {
    name: 'token-strategy',
    async register(server, { db }) {
        await server.register({ plugin: BearerToken, options: {} });

        const validate = async (request: Request, secret: string): Promise<Validated> => {
            const wellFormed = isSecret(secret) && /^\S+ +\S+ *$/.test(String(request.headers.authorization));
            const bearer = wellFormed ? await findBearer(db, hashSecret(secret)) : undefined;
            return bearer === undefined ? { isValid: false, credentials: {} } : {
                isValid: true,
                credentials: { scope: bearer.scope, user: { id: bearer.user_id, moderator: bearer.moderator } }
            };
        };

        for (const [name, tokenType] of [['token', 'token'], ['bearer', 'Bearer']] as const) {
            server.auth.strategy(name, 'bearer-access-token', { tokenType, validate });
        }

        // Another scheme's header counts as none to the strategies, which would let it pass where a token is optional.
        server.ext('onCredentials', (request, h) => {
            const { auth, headers, route } = request;
            if (route.settings.auth?.mode === 'optional' && headers.authorization !== undefined && !auth.isAuthenticated) {
                throw Boom.unauthorized('Not a token');
            }

            return h.continue;
        });
    }
};

interface Validated {
    isValid: boolean;
    credentials: { scope?: string[]; user?: { id: string; moderator: boolean } };
}

const strategies = ['token', 'bearer'];

/** Route option: a token with this scope. */
export const needs = (scope: 'user' | 'projects'): { strategies: string[]; scope: string[] } => ({ strategies, scope: [scope] });

/** Route option: a token of any scope, or none; a bad one is 401. */
export const optionalToken = { strategies, mode: 'optional' as const };
