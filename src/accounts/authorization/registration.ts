import assert from 'node:assert';

import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { hashSecret, newSecret } from '../../api/auth/secrets';
import { notCached } from '../../api/auth/strategy';
import { appFields } from '../../api/representations/app';
import type { AppFields } from '../../api/representations/app';
import { reply } from '../../api/request/responses';
import type { Services } from '../../api/services';
import type { Database } from '../../database/statements/connection';
import { runAlways, statement } from '../../database/statements/statement';
import { MAX_UNUSED_APPS } from '../../limits';
import { grantTypes } from './adapter';

/** Where apps register themselves. */
export const REGISTRATION = '/oauth/register';

const insert = statement({ parameters: ['text', 'text', 'text[]', 'bytea'], row: { id: 'text', at: 'double precision' } }, `
    with surplus as (
        delete from apps where id in (select a.id from apps a where a.user_id is null and not exists (select from authorizations g where g.app_id = a.id) order by a.id desc offset ${MAX_UNUSED_APPS - 1})
    )
    insert into apps (name, url, redirect_uris, secret_hash) values ($1, $2, $3, $4) returning id::text as id, floor(extract(epoch from created_at))::float8 as at`);

/** Registers an app without an owner. */
function insertUnowned(db: Database, { name, url, redirect_uris }: AppFields, secretHash: Buffer | null): Promise<{ id: string; at: number }> {
    return runAlways(db, insert, [name, url, redirect_uris, secretHash]);
}

interface Metadata {
    client_name: string;
    client_uri?: string;
    redirect_uris: [string, ...string[]];
    token_endpoint_auth_method: 'none' | 'client_secret_basic' | 'client_secret_post';
}

const metadata = Joi.object({
    client_name: appFields.name.default('An app without a name'),
    client_uri: appFields.url,
    redirect_uris: appFields.redirect_uris.required(),
    token_endpoint_auth_method: Joi.valid('none', 'client_secret_basic', 'client_secret_post').default('client_secret_basic'),
    response_types: Joi.array().items(Joi.valid('code')),
    grant_types: Joi.array().items(Joi.valid(...grantTypes))
    // What is not known is to be ignored (RFC 7591 section 2).
}).unknown();

/** The website of an app that names none: where it sends people back to. */
const websiteOf = ([first]: readonly [string, ...string[]]): string => {
    const { origin } = new URL(first);
    return origin === 'null' ? first : origin;
};

/** Dynamic registration (RFC 7591). Such apps have no owner; those that nobody uses are removed after a week. */
export function registration(server: Server, { db }: Pick<Services, 'db'>): void {
    server.route<{ Payload: Metadata }>({
        method: 'POST',
        path: REGISTRATION,
        options: {
            ...notCached, app: { cost: 'cheap', limit: 'apps', texts: ['client_name'] },
            validate: {
                payload: metadata,
                failAction: (_request, h, error) => {
                    assert(error);
                    const isUri = error.message.includes('redirect_uris');
                    return reply(h, JSON.stringify({ error: isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata', error_description: error.message })).code(400).header('cache-control', 'no-store').takeover();
                }
            }
        },
        handler: async ({ payload: { client_name: name, client_uri, redirect_uris, token_endpoint_auth_method } }, h) => {
            const secret = token_endpoint_auth_method === 'none' ? null : newSecret();
            const url = client_uri ?? websiteOf(redirect_uris);
            const { id, at } = await insertUnowned(db, { name, url, redirect_uris }, secret === null ? null : hashSecret(secret));
            return reply(h, JSON.stringify({
                client_id: id, client_id_issued_at: at, ...secret !== null && { client_secret: secret, client_secret_expires_at: 0 },
                client_name: name, client_uri: url, redirect_uris, token_endpoint_auth_method, response_types: ['code'], grant_types: grantTypes
            })).code(201);
        }
    });
}
