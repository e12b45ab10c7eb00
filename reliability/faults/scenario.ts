import { setTimeout as sleep } from 'node:timers/promises';

import type { Dice } from '../../test/support/dice';
import type { Journal } from './journal';
import { Tally } from './journal';
import type { Checked } from './check';
import type { Load } from './load';
import type { Service } from './service';
import { send } from './wire';
import type { Call } from './wire';

/** What a scenario gets. */
export interface Context {
    dice: Dice;
    /** how many rounds: 1 in the short form, 6 for ten minutes */
    rounds: number;
    log: (text: string) => void;
    /** registers work for the end of the scenario, also after a failure; runs in reverse order */
    defer: (end: () => Promise<unknown>) => void;
}

/** The results of a scenario. */
export class Outcome {
    /** kills, by what was killed */
    readonly kills = new Tally();
    /** requests in progress when a server was killed, by kind */
    readonly under = new Tally();
    readonly findings: string[] = [];
    /** figures for the report */
    readonly notes: string[] = [];
    checks = 0;
    acknowledged = 0;
    lost = 0;
    checked: Checked | undefined;

    /** Counts the check of a round, collects what services logged in it, and returns a progress line. */
    endRound(round: number, { journal }: Load, services: readonly Service[]): string {
        this.checks++;
        faultsOf(services, journal);
        return `round ${round}: ${this.kills}; ${journal.acknowledged.total()} acknowledged, ${journal.lost.total()} lost; ${journal.findings.length} findings`;
    }

    /** Adds the results of a load at its end. */
    take({ journal, slowest, histories }: Load, checked?: Checked): void {
        this.acknowledged += journal.acknowledged.total() - journal.acknowledged.get('read');
        this.lost += journal.lost.total() - journal.lost.get('read');
        this.checked = checked;
        this.notes.push(`acknowledged: ${journal.acknowledged}`, `responses lost: ${journal.lost}; of those: ${journal.found}`, `statuses: ${journal.statuses}; slowest response ${Math.round(slowest)} ms`);
        if (histories !== undefined) {
            const { streams, told } = histories.follower;
            this.notes.push(`event streams: ${streams} were opened, and told of ${told} changes`);
        }

        this.findings.push(...journal.findings.splice(0));
    }
}

export interface Scenario {
    name: string;
    title: string;
    run(context: Context, outcome: Outcome): Promise<void>;
}

/** Milliseconds until a service is ready. @throws Error if it is not in time, or its process has ended */
export async function readyAgain(service: Service, patience = 30_000): Promise<number> {
    const { name } = service;
    const started = performance.now();
    for (;;) {
        const asked = await send(service, 'ready', { method: 'GET', path: '/projects/1' });
        const answer = asked === null || asked.status === 503 ? asked : await send(service, 'ready', { method: 'GET', path: '/ready' });
        if (service.name !== name || service.child?.exitCode !== null) {
            throw new Error(`${name} ended: ${await service.ended}`);
        }

        // It is intended that /ready logs an unreachable database.
        if (answer?.status === 503) {
            service.excused.add(answer.body.request_id);
        }

        const ms = performance.now() - started;
        if (answer?.status === 200) {
            return ms;
        }

        if (ms > patience) {
            throw new Error(`${name} is not ready ${patience} ms after: ${JSON.stringify(answer?.body)}`);
        }

        await sleep(20);
    }
}

/** Milliseconds until a service answers a call with 200. @throws Error if it does not in time */
export async function worksAgain(service: Service, kind: string, call: Call, patience = 60_000): Promise<number> {
    for (const started = performance.now(); ; await sleep(20)) {
        const answer = await send(service, kind, call);
        const ms = performance.now() - started;
        if (answer?.status === 200) {
            return ms;
        }

        if (ms > patience) {
            throw new Error(`${service.name} answers ${answer?.status} to ${call.method} ${call.path} ${patience} ms after: ${JSON.stringify(answer?.body)}`);
        }
    }
}

/** Errors that services have logged since the last time, as findings. @param isFault which of them count */
export function loggedBy(services: readonly Service[], isFault: (line: string) => boolean = () => true): string[] {
    const unexcused = services.flatMap(({ faults, excused }) => faults.splice(0).filter((line) => !excused.has(JSON.parse(line).request_id)));
    return unexcused.filter(isFault).slice(0, 5).map((line) => `the service logged ${line.slice(0, 1500)}`);
}

/** Errors that services have logged: there must be none, whatever happens. */
export function faultsOf(services: readonly Service[], journal: Journal): void {
    loggedBy(services).forEach((finding) => journal.find(finding));
}
