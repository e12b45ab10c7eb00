import assert from 'node:assert';

import type { Plugin, Request } from '@hapi/hapi';
import Joi from 'joi';

import { ProviderFailure } from '../../api/auth/providers/ask';
import { devices } from '../../api/auth/devices';
import { knownOrigin } from '../../api/auth/known-origin';
import { hashSecret, newSecret } from '../../api/auth/secrets';
import { localOnly, needs, notCached, optionalToken, providerError } from '../../api/auth/strategy';
import { accountHolder } from '../../api/auth/token-rights';
import { fault, notFound } from '../../api/errors/errors';
import { fieldOf } from '../../api/json/is-object';
import { ownId } from '../../api/request/caller';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { AuthoringServices } from '../../rules/write';
import { lockUser } from '../passkeys/queries';
import { keepWayIn } from '../ways-in';
import { clientOf } from './ceremony';
import type { Answered, Client } from './ceremony';
import { operation } from './docs';
import { deleteIdentity, insertIdentity, keepSignIn, listIdentities, mayHaveMore, takeSignIn } from './queries';
import type { StoredIdentity } from './queries';
import { newIdentity, newSignIn, refreshTokenOf, signInAnswer } from './schema';
import { signInWith } from './sign-in';

/** An answer of a provider, and what it is an answer to. */
interface Finished {
    provider: string;
    key: string;
    answer: string;
}

type SignInAnswer = Finished & { code?: string; label?: string };

const ownerId = (request: Pick<Request, 'auth'> & { params: { user: string } }): string =>
    ownId(request, 'Only their owner can see and change identities.');

/** Signing in by other providers, and the identities that sign in to an account. */
export const identities: Plugin<AuthoringServices> = {
    name: 'identities',
    dependencies: ['token-strategy'],
    register(server, services) {
        const { config, db, now, write } = services;
        const { auth, signIn } = config;
        const ext = localOnly(auth);
        const path = '/users/{user}/identities';
        const own = { ext, auth: needs('user') };
        const clients = new Map(signIn.providers.map((provider) => [provider.id, clientOf(provider, signIn, now)]));

        /** @throws 404 if there is no such provider */
        const clientFor = (id: string): Client => {
            const client = clients.get(id);
            if (client === undefined) {
                throw notFound('provider');
            }

            return client;
        };

        const returnTo = (request: Pick<Request, 'url'>, { provider: { id } }: Client): string =>
            `${knownOrigin(request, config)}/sign-in/${id}`;

        /** @throws 503 if the provider fails */
        const asked = <Result>(request: Pick<Request, 'log'>, work: Promise<Result>): Promise<Result> => work.catch((error: unknown) => {
            assert(error instanceof ProviderFailure, String(error));
            throw providerError(request, error);
        });

        /** @throws 400 with the reason in the log */
        const valid = <Result>({ app }: Pick<Request, 'app'>, result: Result | string): Result => {
            if (typeof result === 'string') {
                app.tokenRefused = result;
                throw fault('identity_invalid');
            }

            return result;
        };

        /** @param userId who began it, to add an identity; null for signing in. @throws 400 if it is not the answer to a sign-in that was begun for this */
        const finished = async (request: Pick<Request, 'app' | 'log' | 'url'>, { provider, key, answer }: Finished, userId: string | null): Promise<Answered> => {
            const client = clientFor(provider);
            const address = returnTo(request, client);
            const isBegun = await takeSignIn(db, hashSecret(key), provider, userId);
            return valid(request, isBegun ? await asked(request, client.answered(key, address, answer)) : 'no such sign-in was begun, or it was finished');
        };

        const shown = ({ issuer, name, ...stored }: StoredIdentity): object => {
            const provider = signIn.providers.find((each) => each.issuer === issuer);
            return { id: stored.id, provider: provider === undefined ? null : { id: provider.id, name: provider.name }, issuer, name: name === '' ? null : name, created_at: stored.created_at, last_used_at: stored.last_used_at };
        };

        server.route<{ Payload: { provider: string; to: 'sign_in' | 'add' } }>({
            method: 'POST',
            path: '/sign-ins',
            options: { ...operation('beginSignIn'), ...notCached, auth: optionalToken, app: { cost: 'cheap', limit: 'signIns' }, validate: { payload: newSignIn } },
            handler: async (request, h) => {
                const { provider, to } = request.payload;
                const client = clientFor(provider);
                if (to === 'add' && auth.provider !== 'local') {
                    throw fault('not_local', auth.issuer);
                }

                const userId = to === 'add' ? accountHolder(request).id : null;
                const key = newSecret();
                const url = await asked(request, client.address(key, returnTo(request, client)));
                const expires = await keepSignIn(db, hashSecret(key), provider, userId);
                return reply(h, JSON.stringify({ status: 'created', sign_in: { url, key, expires_at: expires } })).code(201);
            }
        });

        const answers = { method: 'POST', path: '/sign-ins/answers' } as const;
        const answering = { ...notCached, app: { cost: 'cheap', limit: 'answers' }, validate: { payload: signInAnswer } } as const;
        if (auth.provider === 'local') {
            const known = devices(db);
            server.route<{ Payload: SignInAnswer }>({
                ...answers,
                options: { ...operation('finishSignIn'), ...answering },
                handler: async (request, h) => {
                    const { identity } = await finished(request, request.payload, null);
                    const json = await signInWith(services, request, identity, request.payload);
                    return known.remember(reply(h, json).code(201), fieldOf(JSON.parse(json), 'user'), config);
                }
            });
        }
        else {
            server.route<{ Payload: SignInAnswer }>({
                ...answers,
                options: { ...operation('finishSignInElsewhere'), ...answering },
                handler: async (request, h) => {
                    const { given } = await finished(request, request.payload, null);
                    return reply(h, JSON.stringify({ status: 'success', ...given }));
                }
            });
        }

        /** A provider whose tokens are used here. @throws 404 if it is none */
        const renewingClient = (id: string): Client => {
            const client = clientFor(id);
            if (!client.provider.renews) {
                throw notFound('provider');
            }

            return client;
        };

        const withRefreshToken = { ...notCached, app: { cost: 'cheap', limit: 'appTokens' }, validate: { payload: refreshTokenOf } } as const;
        server.route<{ Payload: { provider: string; refresh_token: string } }>({
            method: 'POST',
            path: '/sign-ins/renewals',
            options: { ...operation('renewSignIn'), ...withRefreshToken },
            handler: async (request, h) => {
                const { provider, refresh_token: refreshToken } = request.payload;
                return reply(h, JSON.stringify({ status: 'success', ...valid(request, await asked(request, renewingClient(provider).renewed(refreshToken))) }));
            }
        });

        server.route<{ Payload: { provider: string; refresh_token: string } }>({
            method: 'POST',
            path: '/sign-ins/revocations',
            options: { ...operation('endSignIn'), ...withRefreshToken },
            handler: async (request, h) => {
                const { provider, refresh_token: refreshToken } = request.payload;
                return reply(h, JSON.stringify({ status: 'success', revoked: await asked(request, renewingClient(provider).revoked(refreshToken)) }));
            }
        });

        server.route<{ Params: { user: string } }>({
            method: 'GET',
            path,
            options: { ...own, ...operation('listIdentities'), app: { cost: 'cheap', signedIn: true }, validate: { params: ids('user') } },
            handler: async (request, h) => reply(h, JSON.stringify({ status: 'success', identities: (await listIdentities(db, ownerId(request))).map(shown) }))
        });

        server.route<{ Params: { user: string }; Payload: Finished }>({
            method: 'POST',
            path,
            options: { ...own, ...operation('addIdentity'), app: { cost: 'cheap', limit: 'answers', signedIn: true, notManaged: true }, validate: { params: ids('user'), payload: newIdentity } },
            handler: async (request, h) => {
                const userId = ownerId(request);
                const { identity } = await finished(request, request.payload, userId);
                const added = await write.together(request, async (trx) => {
                    await lockUser(trx, userId);
                    if (!await mayHaveMore(trx, userId)) {
                        throw fault('identity_limit');
                    }

                    return insertIdentity(trx, userId, identity);
                });
                if (added === undefined) {
                    throw fault('identity_taken');
                }

                return thing(h, 'created', 'identity', JSON.stringify(shown(added))).code(201);
            }
        });

        server.route<{ Params: { user: string; identity: string } }>({
            method: 'DELETE',
            path: `${path}/{identity}`,
            options: { ...own, ...operation('deleteIdentity'), app: { cost: 'cheap', signedIn: true, whileSuspended: true }, validate: { params: ids('user', 'identity'), payload: Joi.object({}) } },
            handler: async (request, h) => {
                const userId = ownerId(request);
                const removed = await write.together(request, async (trx) => {
                    await lockUser(trx, userId);
                    const identity = await deleteIdentity(trx, userId, request.params.identity);
                    if (identity === undefined) {
                        throw notFound('identity');
                    }

                    await keepWayIn(trx, userId, signIn);
                    return identity;
                });
                return thing(h, 'deleted', 'identity', JSON.stringify(shown(removed)));
            }
        });
    }
};
