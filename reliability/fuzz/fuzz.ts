import fc from 'fast-check';

import { Cast, stored } from '../../test/support/cast';
import type { TestServer } from '../../test/support/server';
import { Schemas, read } from './answers';
import type { Received } from './answers';
import type { Description, Operation } from './description';
import { operationsOf } from './description';
import { draftsFor } from './drafts';
import type { Draft } from './drafts';
import { judge } from './judge';
import { requestOf } from './requests';
import type { Sent } from './requests';
import { World } from './world';

/** The most requests in a sequence. */
const LONGEST = 60;

/** A failure, with the shortest sequence of requests that shows it. */
export interface Finding {
    seed: number;
    fault: string;
    requests: Sent[];
}

export interface Outcome {
    /** requests sent, without those for shrinking */
    sent: number;
    /** responses by status */
    statuses: Map<number, number>;
    /** successful requests by operation */
    done: Map<string, number>;
    finding: Finding | undefined;
}

/** Callers without a valid token. */
const unknownCallers: readonly string[] = ['none', 'garbage', 'expired', 'revoked', 'deleted'];

/** Sends sequences of requests made from a server's own description, and checks every response against it. */
export class Fuzz {
    readonly #server: TestServer;
    readonly #schemas: Schemas;
    readonly #operations: Operation[];
    readonly #sequences: fc.Arbitrary<Draft[]>;
    readonly #cast: Cast;
    readonly #patience: number;

    private constructor(server: TestServer, description: Description, patience: number) {
        this.#server = server;
        this.#schemas = new Schemas(description);
        this.#operations = operationsOf(description);
        this.#sequences = fc.array(draftsFor(description), { minLength: 1, maxLength: LONGEST, size: 'max' }).map((all) => all.flat());
        this.#cast = new Cast(server);
        this.#patience = patience;
    }

    /** @param patience milliseconds after which a missing response is a failure */
    static async create(server: TestServer, patience = 30_000): Promise<Fuzz> {
        const { body } = await server.call('GET', '/openapi.json');
        return new Fuzz(server, body, patience);
    }

    /**
     * Sends at least `runs` requests, or until a failure, whose sequence is then shortened for some time, or not with `shrinking` 0.
     * Each sequence has its own seed, one more than the one before, so a failure can be repeated at once.
     */
    async run(seed: number, runs: number, shrinking = 60_000): Promise<Outcome> {
        const statuses = new Map<number, number>();
        const done = new Map(this.#operations.map(({ operationId }) => [operationId, 0]));
        let sent = 0;
        for (let own = seed; sent < runs; ++own) {
            let failed: Omit<Finding, 'seed'> | undefined;
            let deadline = Infinity;
            const details = await fc.check(fc.asyncProperty(shrinking === 0 ? fc.noShrink(this.#sequences) : this.#sequences, async (drafts) => {
                if (Date.now() > deadline) {
                    return true;
                }

                const requests: Sent[] = [];
                const fault = await this.#send(drafts, requests, (status, operation) => {
                    if (failed === undefined) {
                        ++sent;
                        statuses.set(status, (statuses.get(status) ?? 0) + 1);
                        if (operation !== undefined && status < 300) {
                            done.set(operation, (done.get(operation) ?? 0) + 1);
                        }
                    }
                });
                if (fault === undefined) {
                    return true;
                }

                deadline = failed === undefined ? Date.now() + shrinking : deadline;
                failed = { fault, requests };
                return false;
            }), { seed: own, numRuns: 1 });
            if (details.failed && failed === undefined) {
                // This is a bug in the fuzzer.
                throw details.errorInstance;
            }

            if (failed !== undefined) {
                return { sent, statuses, done, finding: { seed: own, ...failed } };
            }
        }

        return { sent, statuses, done, finding: undefined };
    }

    /** Sends one sequence. Returns the first failure, and notes what was sent until then. */
    async #send(drafts: readonly Draft[], requests: Sent[], answered: (status: number, operation: string | undefined) => void): Promise<string | undefined> {
        const world = await World.create(this.#cast);
        for (const draft of drafts) {
            const sent = await requestOf(draft, world);
            requests.push(sent);
            const fault = await this.#ask(draft, sent, world, answered).catch((error: unknown) => `no answer: ${error instanceof Error ? error.stack : String(error)}`);
            if (fault !== undefined) {
                return fault;
            }
        }

        return undefined;
    }

    async #ask({ caller, compare }: Draft, sent: Sent, world: World, answered: (status: number, operation: string | undefined) => void): Promise<string | undefined> {
        const before = compare ? await stored(this.#server) : undefined;
        const response = await within(this.#patience, this.#server.server.inject({ ...sent, payload: sent.payload }));
        const received = read(response, sent.method);
        const { path: handled, method } = response.request.route;
        // A story that creates a project goes the way of an import (src/files/imports/sent-as-project.ts).
        const path = response.request.app.createsProject === true ? '/users/{user}/projects' : handled;
        const operation = this.#operations.find((one) => one.path === path && one.method === (method === '*' ? '*' : sent.method === 'HEAD' ? 'GET' : sent.method.toUpperCase()));
        answered(received.status, operation?.operationId);
        const faults = [
            ...received.status >= 500 ? ['a fault of the server\'s'] : [],
            ...operation === undefined ? this.#faultsElsewhere(received, sent.method) : this.#schemas.faultsOf(operation, sent.method, received),
            ...this.#faultsOfAll(received, sent),
            ...operation === undefined ? [] : this.#faultsOfOutcome(operation, sent, received),
            ...operation?.scopes !== undefined && unknownCallers.includes(caller) && !expected(received.status, [400, 401]) ? ['no token was needed'] : [],
            ...before !== undefined && received.status >= 400 && await stored(this.#server) !== before ? ['what is stored has changed'] : [],
            ...this.#server.faults.splice(0)
        ];
        world.learn(sent, received.body, received.headers.etag);
        return faults.length === 0 ? undefined : `${received.status} ${received.bytes.toString().slice(0, 1000)}\n${faults.join('\n')}`;
    }

    /** For paths without an operation: an error, the response of OPTIONS, or the redirect from `/`. */
    #faultsElsewhere({ status, body, headers, bytes }: Received, method: string): string[] {
        if (method === 'OPTIONS' && status < 300) {
            return bytes.length === 0 ? [] : ['OPTIONS has a body'];
        }

        if (status === 302 && headers.location === '/docs') {
            return [];
        }

        const fault = expected(status, [400, 404, 405]) ? method === 'HEAD' ? undefined : this.#schemas.errorFault(body) : `status ${status} where no operation is`;
        return [...fault === undefined ? [] : [fault], ...status === 405 && headers.allow === undefined ? ['405 without Allow'] : []];
    }

    /** Rules for every response. */
    #faultsOfAll({ status, headers, body }: Received, { headers: asked, method }: Sent): string[] {
        return [
            ...status >= 400 && method !== 'HEAD' && Object(body).request_id !== headers['x-request-id'] ? ['request_id is not X-Request-Id'] : [],
            ...asked.origin === 'http://a.example' && headers['access-control-allow-origin'] !== asked.origin ? ['another origin could not read this'] : []
        ];
    }

    /** An invalid request is 400, before it can be 404, 403 or successful; and a valid one is not 400. */
    #faultsOfOutcome(operation: Operation, sent: Sent, { status, body }: Received): string[] {
        const { fault, sure } = judge(operation, sent, this.#schemas);
        const { code, details } = Object(body);
        if (fault !== undefined) {
            const isBefore = expected(status, [400, 401, 413, 415]) || ['insufficient_scope', 'paused', 'suspended'].includes(code) || sent.method === 'HEAD';
            return isBefore ? [] : [`it should not validate: ${fault}`];
        }

        const refused = code === 'validation_failed' || code === 'malformed_body' || code === 'bad_request';
        const isInWords = Array.isArray(details) && details.every(({ message }) => inWords.some((rule) => String(message).includes(rule)));
        return refused && sure && !isInWords ? [`it should validate, and does not: ${JSON.stringify(details)}`] : [];
    }
}

function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`nothing within ${milliseconds} ms`)), milliseconds);
    });
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** What errors say of rules that the description has in words only. */
const inWords = ['" goes with "', 'one line of text without invisible characters', 'letters with their marks', 'must be an https:// address', 'cannot be used together', '"thread" cannot be given together', ', the present one', 'which is no project of yours', 'only one of "as"', 'https address on the public internet', 'something that can be seen', 'on a day that its month has', 'is needed with "hidden"'];

const expected = (status: number, some: readonly number[]): boolean => some.includes(status);
