import type { Server } from '@hapi/hapi';

import { knownOrigin } from '../../api/auth/known-origin';
import { notCached } from '../../api/auth/strategy';
import { reply } from '../../api/request/responses';
import type { Services } from '../../api/services';
import { runAlways, statement } from '../../database/statements/statement';

const NAME = 'Pagewright: the API';

// A public app whose only address is the page itself can do no harm, whoever registered it.
const findOrMake = statement({ parameters: ['text', 'text'], row: { id: 'text' } }, `
    with found as (select id from apps where user_id is null and secret_hash is null and name = $1 and redirect_uris = array[$2] order by id limit 1),
    made as (insert into apps (name, url, redirect_uris) select $1, $2, array[$2] where not exists (select from found) returning id)
    select id::text as id from found union all select id::text from made`);

/** The app by which people sign in at `/docs`. It is registered when it is first needed, and again if it was removed because nobody used it. */
export function viewer(server: Server, { config, db }: Pick<Services, 'config' | 'db'>): void {
    server.route({
        method: 'POST',
        path: '/oauth/docs',
        options: { ...notCached, app: { cost: 'cheap', limit: 'apps' } },
        handler: async (request, h) => {
            const redirectUri = `${knownOrigin(request, config)}/docs`;
            const { id } = await runAlways(db, findOrMake, [NAME, redirectUri]);
            return reply(h, JSON.stringify({ status: 'success', client_id: id, redirect_uri: redirectUri }));
        }
    });
}
