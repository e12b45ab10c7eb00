import type { Database } from '../faults/database';
import type { Service } from '../faults/service';
import type { Description } from '../fuzz/description';
import { out } from '../program';
import { bodiesOf } from './bodies';
import { Bench } from './measure';
import type { Cost, Manner } from './measure';
import { nameOf, probesOf } from './probes';
import type { Probe } from './probes';
import { routesOf } from './routes';
import { figuresOf, worstOf } from './score';
import { makeSubjects } from './subjects';

/** The share of the time in which each request is tried alone. */
const ALONE = 0.35;

/** How many are printed, and how many times of what it may cost a request costs that is found. */
const [WORST, FOUND] = [10, 1];

interface Tried {
    probe: Probe;
    cost: Cost;
    measure: string;
    ratio: number;
}

/** What takes away what other requests are about is tried last. */
const takesAway = ({ route: { method, path } }: Probe): boolean => method === 'DELETE' && /\{(?:user|project|page|collection)\}$/.test(path);

const routeOf = ({ route: { method, path } }: Probe): string => `${method} ${path}`;

/** Each route once before any route twice, otherwise in the same order. */
export function inRounds<Thing>(things: readonly Thing[], nameOfRoute: (thing: Thing) => string): Thing[] {
    const seen = new Map<string, number>();
    const ranked = things.map((thing) => {
        const round = seen.get(nameOfRoute(thing)) ?? 0;
        seen.set(nameOfRoute(thing), round + 1);
        return { thing, round };
    });
    return ranked.toSorted((a, b) => a.round - b.round).map(({ thing }) => thing);
}

/** Tries each route about everything at a limit: first alone, then by many clients, those first that cost most alone. */
export class RouteSearch {
    /** requests that ended the service, or got a 500 */
    readonly broken: string[] = [];
    readonly #tried: Tried[] = [];
    readonly #probes: readonly Probe[];
    readonly #bench: Bench;

    private constructor(probes: readonly Probe[], bench: Bench) {
        this.#probes = probes;
        this.#bench = bench;
    }

    /** @param only text that the names of the requests contain, to try nothing else */
    static async begin(service: Service, database: Database, only = ''): Promise<RouteSearch> {
        const url = String(service.url);
        const description: Description = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
        const subjects = await makeSubjects(url, database.db);
        const { components: { schemas } } = description;
        const probes = probesOf(routesOf(description), subjects, (route, values) => bodiesOf(route, schemas, values), url).filter((probe) => nameOf(probe).includes(only));
        out(`${probes.length} requests, about ${subjects.map(({ name }) => name).join(', ')}`);
        return new RouteSearch(inRounds(probes, routeOf), new Bench(service, database));
    }

    /** What costs more than it may, the worst first; each request once. */
    get found(): Tried[] {
        const worst = new Map<string, Tried>();
        for (const one of this.#tried.toSorted((a, b) => a.ratio - b.ratio)) {
            worst.set(`${routeOf(one.probe)} ${one.probe.subject.name}`, one);
        }

        return [...worst.values()].filter(({ ratio }) => ratio > FOUND).toSorted((a, b) => b.ratio - a.ratio);
    }

    async run(end: number): Promise<void> {
        const alone = performance.now() + (end - performance.now()) * ALONE;
        const last: Probe[] = [];
        for (const probe of this.#probes) {
            if (performance.now() < alone && !takesAway(probe)) {
                await this.#try(probe, 'one');
            }
            else {
                last.push(probe);
            }
        }

        out(`${this.#tried.length} requests tried alone`);
        for (const { probe } of spread(this.#tried)) {
            for (const manner of probe.route.method === 'GET' ? ['many', 'heads', 'abandoned'] as const : ['many', 'behind', 'abandoned'] as const) {
                if (performance.now() < end) {
                    await this.#try(probe, manner, manner === 'behind' ? this.#longest(probe) : undefined);
                }
            }
        }

        for (const probe of last.filter(takesAway)) {
            await this.#try(probe, 'one');
        }

        await this.#bench.end();
    }

    /** Prints what costs most, in relation to what it may cost. */
    print(): void {
        out(`\n${this.#tried.length} measurements. The worst:`);
        const worst = this.found;
        worst.slice(0, WORST).forEach((one, n) => out(`${n + 1}. ${told(one)}`));
        out(`\n${worst.length} cost more than they may${worst.length > WORST ? '; the others:' : ''}`);
        worst.slice(WORST).forEach((one) => out(`- ${told(one)}`));
    }

    /** The write that took longest alone, of those about the same. */
    #longest({ subject }: Probe): Probe | undefined {
        const writes = this.#tried.filter(({ probe, cost }) => cost.manner === 'one' && probe.subject === subject && probe.route.method !== 'GET');
        return writes.toSorted((a, b) => b.cost.took - a.cost.took)[0]?.probe;
    }

    async #try(probe: Probe, manner: Manner, before?: Probe): Promise<void> {
        try {
            const cost = await this.#bench.measure(probe, manner, before);
            const tried = { probe, cost, ...worstOf(cost) };
            this.#tried.push(tried);
            if (tried.ratio > FOUND) {
                out(told(tried));
            }

            if (tried.ratio > FOUND || cost.answers['0 broken'] !== undefined) {
                await this.#bench.calm();
            }

            if (Object.keys(cost.answers).some((answer) => answer.startsWith('500'))) {
                this.broken.push(told(tried));
            }
        }
        catch (error) {
            this.broken.push(`${nameOf(probe)}: ${String(error)}`);
        }
    }
}

const told = ({ probe, cost, measure, ratio }: Tried): string => `${measure} ×${ratio.toFixed(1)}: ${nameOf(probe)}: ${figuresOf(cost)}`;

/** Those that cost most alone first, but each route once before any route twice. */
export function spread(tried: readonly Tried[]): Tried[] {
    const costOf = ({ cost, ratio }: Tried): number => ratio + (cost.cpu + cost.database) / 1000;
    return inRounds(tried.toSorted((a, b) => costOf(b) - costOf(a)), ({ probe }) => routeOf(probe));
}
