import { Cast, stored } from '../../../test/support/cast';
import type { TestServer } from '../../../test/support/server';
import { operationsOf } from '../description';
import type { Description } from '../description';
import type { Draft } from '../drafts';
import { senders } from '../usual';
import { World } from '../world';
import { bodyKinds } from './bodies';
import { faultOf, send } from './connection';
import { Described } from './described';
import { forgedKinds } from './forged';
import { httpKinds } from './http';
import type { Input, Kind, Subject } from './input';
import { Random } from './random';

/** Connections at a time. */
const AT_ONCE = 16;
/** Inputs between two comparisons of what is stored. */
const WINDOW = 2500;

const kinds: readonly (readonly [string, number, Kind])[] = Object.entries({ ...httpKinds, ...bodyKinds, ...forgedKinds }).map(([name, [weight, kind]]) => [name, weight, kind]);
/** The weight of the requests made from the description. */
const DESCRIBED = 60;
const TOTAL = DESCRIBED + kinds.reduce((sum, [, weight]) => sum + weight, 0);

/** A failure, and the input that shows it. */
export interface Finding {
    seed: number;
    input: Input | undefined;
    fault: string;
}

export interface Outcome {
    sent: number;
    /** responses by status; 0 for connections without one */
    statuses: Map<number, number>;
    /** inputs by kind */
    kinds: Map<string, number>;
    finding: Finding | undefined;
}

/** Sends bad inputs over real connections to a service, which must reject them and change nothing that it stores. */
export class Wire {
    readonly #port: number;
    readonly #server: TestServer;
    readonly #subject: Subject;
    readonly #described: Described;
    readonly #alive: () => string | undefined;

    private constructor(port: number, server: TestServer, subject: Subject, described: Described, alive: () => string | undefined) {
        this.#port = port;
        this.#server = server;
        this.#subject = subject;
        this.#described = described;
        this.#alive = alive;
    }

    /**
     * @param server on the same database as the service that is sent to
     * @param alive returns what is wrong with the service's process; undefined if nothing is
     */
    static async create(port: number, server: TestServer, alive: () => string | undefined): Promise<Wire> {
        const cast = new Cast(server);
        const target = await cast.target();
        const user = `/users/${target.user}`;
        const project = `${user}/projects/${target.project}`;
        const page = `${project}/pages/${target.page}`;
        const subject: Subject = { user, project, page, element: `${page}/elements/${target.element}`, comment: `${project}/comments/${target.comment}`, token: await cast.token(target.user) };
        const { body }: { body: Description } = await server.call('GET', '/openapi.json');
        const world = await World.create(cast);
        await meetAll(world, body);
        return new Wire(port, server, subject, new Described(server.server, body, world), alive);
    }

    /** Sends inputs of one kind or of all, until a failure is found. Each has its own seed, one more than the one before. */
    async run(seed: number, runs: number, only?: string): Promise<Outcome> {
        const outcome: Outcome = { sent: 0, statuses: new Map(), kinds: new Map(), finding: undefined };
        const before = await stored(this.#server);
        for (let first = seed; first < seed + runs && outcome.finding === undefined; first += WINDOW) {
            const end = Math.min(first + WINDOW, seed + runs);
            let next = first;
            await Promise.all(Array.from({ length: AT_ONCE }, async () => {
                while (next < end && outcome.finding === undefined) {
                    await this.#one(next++, outcome, only);
                }
            }));
            const after = await stored(this.#server);
            outcome.finding ??= after === before ? undefined : {
                seed: first, input: undefined,
                fault: `what is stored has changed by one of the ${end - first} inputs from this seed on: look for it with fewer --runs\n${changed(before, after)}`
            };
        }

        return outcome;
    }

    /** The input of a seed. */
    async input(seed: number, only?: string): Promise<Input> {
        const random = new Random(seed);
        const chosen = kinds.find(([name]) => name === only);
        if (chosen !== undefined) {
            return { kind: chosen[0], ...chosen[2](random, this.#subject) };
        }

        let place = random.below(TOTAL * 1000) / 1000;
        for (const [name, weight, kind] of kinds) {
            if (place < weight) {
                return { kind: name, ...kind(random, this.#subject) };
            }

            place -= weight;
        }

        return { kind: 'described', ...await this.#described.make(random.below(2 ** 31)) };
    }

    async #one(seed: number, outcome: Outcome, only: string | undefined): Promise<void> {
        const input = await this.input(seed, only);
        const answered = await send(this.#port, input);
        ++outcome.sent;
        count(outcome.kinds, input.kind);
        (answered.statuses.length === 0 ? [0] : answered.statuses).forEach((status) => count(outcome.statuses, status));
        const gone = this.#alive();
        const fault = gone === undefined ? faultOf(input, answered) : `${gone}\nIt may also be any of the ${AT_ONCE} inputs next to this one.`;
        if (fault !== undefined) {
            outcome.finding ??= { seed, input, fault: `${fault}\n${answered.text.slice(0, 1000)}` };
        }
    }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The tables whose part of the digest differs. */
function changed(before: string, after: string): string {
    const were = new Set(before.split(' '));
    return after.split(' ').filter((table) => !were.has(table)).join(' ');
}

/** Creates all callers of requests, before the first comparison of what is stored. */
async function meetAll(world: World, description: Description): Promise<void> {
    for (const operation of operationsOf(description)) {
        for (const [caller, nth] of senders.flatMap((sender) => [[sender, 0], [sender, 1]] as const)) {
            const draft: Draft = { operation, caller, scheme: 'token', nth, newest: false, stray: {}, query: {}, headers: {}, body: undefined, changes: [], compare: false };
            await world.authorizationFor(draft);
        }
    }
}
