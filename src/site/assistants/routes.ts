import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { hasKnownOrigin, knownOrigin } from '../../api/auth/known-origin';
import { notCached } from '../../api/auth/strategy';
import { workQueue } from '../../api/concurrency/work-queue';
import { fault } from '../../api/errors/errors';
import { freeKeys, nestsWithin } from '../../api/json/json-text';
import { signalOf } from '../../api/request/client-gone';
import { corsWith } from '../../api/request/cross-origin';
import { reply } from '../../api/request/responses';
import type { Services } from '../../api/services';
import { MAX_MESSAGE_BYTES, MAX_MESSAGE_KEYS, MAX_MESSAGE_NESTING } from '../../limits';
import { answerMessage, messageHeaders } from './protocol';
import type { Answer } from './protocol';

const PATH = '/mcp';

/** Where RFC 9728 has the metadata of a resource: before its path. */
const METADATA = '/.well-known/oauth-protected-resource';

/** Bytes of a message from which on it waits for others of its address: each is read, checked and passed on in steps that all other requests wait for. */
const LARGE_MESSAGE = 16 * 1024;
const large = workQueue(2, 1);

/** Token scopes that tools use. */
const scope = ['projects', 'read'];

/** Whether objects have at most so many keys, but for the free-form ones, which are stored as they are. */
const hasFewKeys = (value: object): boolean => (Array.isArray(value) || Object.keys(value).length <= MAX_MESSAGE_KEYS)
    && Object.entries(value).every(([key, inner]) => typeof inner !== 'object' || inner === null || freeKeys.has(key) || hasFewKeys(inner));

/**
 * The Model Context Protocol, by which an assistant reads and edits projects, over HTTP and without sessions. It signs in by the authorization
 * server, so it is there where that is.
 */
export const assistants: Plugin<Services> = {
    name: 'assistants',
    dependencies: ['token-strategy', 'authorization'],
    register(server, { config }) {
        for (const path of ['', PATH]) {
            server.route({
                method: 'GET',
                path: `${METADATA}${path}`,
                options: { app: { cost: 'cheap' } },
                handler: (request, h) => {
                    const origin = knownOrigin(request, config);
                    return reply(h, JSON.stringify({
                        resource: `${origin}${path}`, authorization_servers: [origin], scopes_supported: scope, bearer_methods_supported: ['header'], resource_documentation: `${origin}/docs`
                    }));
                }
            });
        }

        server.route<{ Payload: object }>({
            method: 'POST',
            path: PATH,
            options: {
                ...notCached,
                auth: { strategies: ['token', 'bearer'], scope },
                // What a tool does is counted, limited and refused by the routes that it calls.
                app: {
                    cost: 'cheap', limit: undefined, whileSuspended: true, byTokenOfProjects: 'checked', mostBytes: MAX_MESSAGE_BYTES,
                    resourceMetadata: (request) => (hasKnownOrigin(request, config) ? `${knownOrigin(request, config)}${METADATA}${PATH}` : undefined)
                },
                cors: corsWith(...messageHeaders),
                validate: { payload: Joi.object().unknown() }
            },
            handler: async (request, h) => {
                // Of too deep ones JSON.stringify and the schemas of the library would run out of stack; of each key that they do not know they make an error.
                if (!nestsWithin(request.payload, MAX_MESSAGE_NESTING) || !hasFewKeys(request.payload)) {
                    throw fault('bad_request', `A message nests at most ${MAX_MESSAGE_NESTING} levels deep, and its objects have at most ${MAX_MESSAGE_KEYS} keys.`);
                }

                const answer = (): Promise<Answer> => answerMessage(request, request.payload);
                const isLarge = Number(request.headers['content-length'] ?? Infinity) > LARGE_MESSAGE;
                const { status, type, text } = await (isLarge ? large.run(answer, request.turn(), signalOf(request)) : answer());
                return h.response(text).code(status).type(type);
            }
        });
    }
};
