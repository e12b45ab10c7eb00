import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { MAX_TOKEN_TTL } from '../config';
import { fault, notFound } from '../http/faults';
import { reply, thing } from '../http/reply';
import { ids, text } from '../http/schema';
import type { Services } from '../services';
import { password, username } from '../users/schema';
import { currentUser, scopes } from './credentials';
import type { Scope } from './credentials';
import { withSecret } from './present';
import { deleteToken, findPassword, insertToken, listTokens } from './queries';
import { checkPassword, hashSecret, newSecret } from './secrets';
import { needs } from './strategy';

type SignIn = {
    username: string;
    password: string;
    scope?: Scope[];
    label?: string;
    expires_in?: number;
};

const isScope = (value: unknown): boolean => scopes.some((known) => known === value);

/** Not by Joi's `unique`, which compares all that was sent with all else, to any depth. */
const scope = Joi.array().custom((value: unknown[], helpers) => {
    const good = value.length > 0 && value.length <= scopes.length && value.every(isScope) && new Set(value).size === value.length;
    return good ? value : helpers.error('scope');
}).messages({ scope: '{{#label}} must list "user", "projects" or both' }).example(scopes);

const signIn = Joi.object({
    username: username.required(),
    password: password.required(),
    scope,
    label: text(1, 100),
    expires_in: Joi.number().integer().min(1).max(MAX_TOKEN_TTL)
});

export const tokens: Plugin<Services> = {
    name: 'tokens',
    dependencies: ['token-strategy'],
    register(server, { config, db }) {
        server.route<{ Payload: SignIn }>({
            method: 'POST',
            path: '/tokens',
            options: { app: { limit: 'signIn' }, validate: { payload: signIn } },
            handler: async (request, h) => {
                const { payload } = request;
                const user = await findPassword(db, payload.username);
                const right = await checkPassword(user?.password_hash, payload.password);
                const secret = newSecret();
                const token = right && user !== undefined ? await insertToken(db, {
                    userId: user.id,
                    hash: hashSecret(secret),
                    scope: payload.scope ?? scopes,
                    label: payload.label ?? null,
                    expiresIn: payload.expires_in ?? config.tokenTtl
                }) : undefined;
                if (token === undefined) {
                    throw fault(401, 'wrong_credentials', 'The username or the password is wrong.');
                }

                return reply(h, `{"status":"created","token":${withSecret(token.token, secret)},"user":${token.user}}`).code(201);
            }
        });

        server.route({
            method: 'GET',
            path: '/tokens',
            options: { auth: needs('user') },
            handler: async (request, h) => reply(h, `{"status":"success","tokens":[${await listTokens(db, currentUser(request).id)}]}`)
        });

        server.route<{ Params: { token: string } }>({
            method: 'DELETE',
            path: '/tokens/{token}',
            options: { auth: needs('user'), app: { limit: 'writes' }, validate: { params: ids('token'), payload: Joi.object({}) } },
            handler: async (request, h) => {
                const token = await deleteToken(db, currentUser(request).id, request.params.token);
                if (token === undefined) {
                    throw notFound('token');
                }

                return thing(h, 'deleted', 'token', token);
            }
        });
    }
};
