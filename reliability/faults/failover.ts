import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { Cluster } from './cluster';
import type { Node } from './cluster';
import { sessionsOver } from './database';
import { Load } from './load';
import { PASSWORD } from './sender';
import { faultsOf, readyAgain, worksAgain } from './scenario';
import type { Scenario } from './scenario';
import { startServices } from './service';
import type { Service } from './service';
import { send } from './wire';
import type { Call } from './wire';

/** What happens to the primary. */
const incidents = ['PostgreSQL of the primary', 'node of the primary', 'network of the primary'] as const;
type Incident = (typeof incidents)[number];

/** Milliseconds that a lost node stays lost, after the service works again. */
const AWAY = 2000;

/** Writes to one service, to see how long it cannot. */
class Probe {
    readonly #service: Service;
    readonly #call: Call;

    private constructor(service: Service, call: Call) {
        this.#service = service;
        this.#call = call;
    }

    static async open(service: Service): Promise<Probe> {
        const { name } = service;
        const opened = await send(service, 'probe', { method: 'POST', path: '/users', body: { username: `probe-${name}`, password: PASSWORD } });
        const { user, token } = opened?.body ?? {};
        const made = await send(service, 'probe', { method: 'POST', path: `/users/${user?.id}/projects`, token: token?.access_token, body: { title: 'Probe' } });
        return new Probe(service, { method: 'PATCH', path: `/users/${user.id}/projects/${made?.body.project.id}`, token: token.access_token, body: { title: 'Probe' } });
    }

    /** Milliseconds until a write that begins now or later is answered with 200. */
    works(): Promise<number> {
        return worksAgain(this.#service, 'probe', this.#call);
    }
}

/** Writes to a node itself, past HAProxy, until it is told to end. @returns the writes that the node has acknowledged */
function loneWriter(node: Node): { end(): Promise<number[]> } {
    const db = node.open();
    const acknowledged: number[] = [];
    let isOver = false;
    const work = async (): Promise<void> => {
        for (let n = Date.now() % 2 ** 30; !isOver; ++n) {
            await db.raw('insert into lone_writes values (?, ?)', [node.name, n]).then(() => acknowledged.push(n), () => sleep(50));
        }
    };

    const working = work();
    return {
        end: async () => {
            isOver = true;
            await working;
            await db.destroy();
            return acknowledged;
        }
    };
}

/** @param share from 0 to 1 */
const quantile = (values: readonly number[], share: number): number => [...values].sort((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN;

/** The primary of a cluster is lost in three ways: the service goes on by itself, and nothing acknowledged is lost. */
export const failover: Scenario = {
    name: 'failover',
    title: 'The loss of the primary of a Patroni cluster, behind HAProxy',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const cluster = new Cluster();
        defer(() => cluster.end());
        await cluster.start();
        const services = await startServices(2, (name) => cluster.url(name), defer);
        const load = await Load.open({ targets: services, dice: dice.split(), pause: 20, over: (name, since) => sessionsOver(cluster.db, name, false, since) });
        const probes = await Promise.all(services.map((service) => Probe.open(service)));

        const times = new Map<Incident, number[]>(incidents.map((incident) => [incident, []]));
        /** of nodes that were cut off, to writes past the service */
        const lone: { name: string; n: number }[] = [];
        const lose = async (incident: Incident): Promise<void> => {
            const primary = await cluster.whole();
            const writer = incident === 'network of the primary' ? loneWriter(primary) : undefined;
            await sleep(dice.between(200, 1500));
            const lost = performance.now();
            if (incident === 'PostgreSQL of the primary') {
                primary.killPostgres();
                // Its other processes may answer until they notice.
                await sleep(100);
            }
            else if (incident === 'node of the primary') {
                await primary.kill();
            }
            else {
                primary.connect('down');
            }

            outcome.kills.add(incident);
            const ms = Math.max(...await Promise.all(probes.map((probe) => probe.works())));
            load.histories?.forgetSince(lost);
            times.get(incident)?.push(ms);
            await sleep(AWAY);
            lone.push(...(await writer?.end() ?? []).map((n) => ({ name: primary.name, n })));
            if (incident === 'node of the primary') {
                primary.start();
            }

            primary.connect('up');
            await Promise.all(services.map((service) => readyAgain(service)));
            const next = await cluster.whole();
            log(`${incident}, ${primary.name}: writes again after ${(ms / 1000).toFixed(1)} s, by ${next.name}`);
        };

        let checked;
        for (let round = 1; round <= rounds && load.journal.findings.length === 0; ++round) {
            await load.during(async () => {
                const first = dice.between(0, incidents.length - 1);
                for (const incident of [...incidents.slice(first), ...incidents.slice(0, first)]) {
                    await lose(incident);
                }
            });
            checked = await check(load, cluster.db);
            const { rows } = await cluster.db.raw<{ rows: { node: string; n: number }[] }>('select node, n from lone_writes');
            const stored = new Set(rows.map(({ node, n }) => `${node} ${n}`));
            lone.filter(({ name, n }) => !stored.has(`${name} ${n}`)).forEach(({ name, n }) => load.journal.find(`${name} acknowledged write ${n} while another node was the primary`));
            log(outcome.endRound(round, load, services));
        }

        faultsOf(services, load.journal);
        if (checked !== undefined) {
            outcome.take(load, checked);
            times.forEach((each, incident) => outcome.notes.push(
                `${incident}: ${each.length} times; writes again after ${(quantile(each, 0.5) / 1000).toFixed(1)} s (median), ${(quantile(each, 0.95) / 1000).toFixed(1)} s (p95), ${(Math.max(...each) / 1000).toFixed(1)} s (most)`
            ));
            outcome.notes.push(`${lone.length} writes past HAProxy were acknowledged by nodes that were cut off soon after, or were off; all of them are stored`);
        }
    }
};
