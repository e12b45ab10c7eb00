import type { Server } from '@hapi/hapi';
import fc from 'fast-check';

import { Schemas } from '../answers';
import { operationsOf } from '../description';
import type { Description, Operation } from '../description';
import { draftsFor } from '../drafts';
import type { Draft } from '../drafts';
import { judge } from '../judge';
import { requestOf } from '../requests';
import type { Knowing, Sent } from '../requests';
import { request } from './input';
import type { Input } from './input';
import { Random } from './random';

/** Headers that have another meaning on a real connection. */
const framing = ['content-length', 'transfer-encoding', 'content-encoding', 'expect', 'connection', 'upgrade'];

/** Requests made from the description that it does not allow, or that only read. */
export class Described {
    readonly #server: Server;
    readonly #schemas: Schemas;
    readonly #operations: Operation[];
    readonly #drafts: fc.Arbitrary<Draft | undefined>;
    readonly #knowing: Knowing;

    constructor(server: Server, description: Description, knowing: Knowing) {
        this.#server = server;
        this.#schemas = new Schemas(description);
        this.#operations = operationsOf(description);
        this.#drafts = draftsFor(description).map(([draft]) => draft).filter((draft) => draft !== undefined && draft.changes.length > 0);
        this.#knowing = knowing;
    }

    async make(seed: number): Promise<Omit<Input, 'kind'>> {
        const random = new Random(seed);
        for (let tries = 0; tries < 200; ++tries) {
            const [draft] = fc.sample(this.#drafts, { seed: random.below(2 ** 31), numRuns: 1 });
            if (draft === undefined) {
                continue;
            }

            const sent = await requestOf(draft, this.#knowing);
            const answer = framing.some((name) => name in sent.headers) ? undefined : this.#answerTo(sent);
            if (answer !== undefined) {
                return { bytes: bytesOf(sent), ending: 'wait', answer };
            }
        }

        throw new Error(`No bad request comes of the seed ${seed}`);
    }

    /** The expected result; undefined if the request could change what is stored. */
    #answerTo(sent: Sent): Input['answer'] | undefined {
        if (['GET', 'HEAD', 'OPTIONS'].includes(sent.method)) {
            return 'harmless';
        }

        const { path, method } = this.#routeOf(sent) ?? {};
        const operation = this.#operations.find((one) => one.path === path && one.method === method?.toUpperCase());
        return operation !== undefined && judge(operation, sent, this.#schemas).fault !== undefined ? 'refused' : undefined;
    }

    #routeOf({ method, url }: Sent): { path: string; method: string } | undefined {
        const verb = ([['POST', 'post'], ['PUT', 'put'], ['PATCH', 'patch'], ['DELETE', 'delete']] as const).find(([name]) => name === method)?.[1];
        try {
            return verb && this.#server.match(verb, new URL(`http://a${url}`).pathname) || undefined;
        }
        catch {
            return undefined;
        }
    }
}

const bytesOf = ({ method, url, headers, payload }: Sent): Buffer => request(
    `${method} ${url} HTTP/1.1`, { ...headers, ...payload !== undefined && { 'content-length': String(payload.length) } }, payload
);
