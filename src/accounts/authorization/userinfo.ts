import type { Lifecycle, RouteOptions, RouteOptionsApp, Server } from '@hapi/hapi';

import { joinUser } from '../users/fragments';
import { notCached } from '../../api/auth/strategy';
import { defined } from '../../api/errors/defined';
import { faultWith } from '../../api/errors/errors';
import { reply } from '../../api/request/responses';
import type { Services } from '../../api/services';
import { jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { runOne, statement } from '../../database/statements/statement';

/** Where generic clients ask who has signed in (OpenID Connect Core section 5.3). */
export const USERINFO = '/oauth/userinfo';

/** The claims that the ID token has, too. Only for a token of an app that was let in with `openid`. */
const claims = statement({ parameters: ['bytea'], row: { json: 'text' } }, `
    select ${jsonObject({ sub: plainQuoted('u.id'), preferred_username: quoted('u.username'), locale: quoted('u.language') })} as json
    from tokens t join authorizations g on g.id = t.authorization_id and 'openid' = any(g.scope)
        ${joinUser('t.user_id')} where t.hash = $1`);

export function userinfo(server: Server, { db }: Pick<Services, 'db'>): void {
    const answer: Lifecycle.Method = async (request, h) => {
        const found = await runOne(db, claims, [defined(request.app.tokenHash)]);
        if (found === undefined) {
            throw faultWith('insufficient_scope', [], { scope: 'openid' });
        }

        return reply(h, found.json);
    };

    // A token of any scope: what it may tell is checked with the authorization that it came of.
    const options: RouteOptions & { app: RouteOptionsApp } = { auth: { strategies: ['token', 'bearer'] }, app: { cost: 'cheap' }, ...notCached };
    server.route({ method: 'GET', path: USERINFO, options, handler: answer });
    server.route({ method: 'POST', path: USERINFO, options: { ...options, app: { ...options.app, whileSuspended: true, readsBody: true } }, handler: answer });
}
