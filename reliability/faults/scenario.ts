import { setTimeout as sleep } from 'node:timers/promises';

import type { Dice } from './dice';
import type { Journal } from './journal';
import { Tally } from './journal';
import type { Checked } from './check';
import type { Load } from './load';
import type { Service } from './service';
import { send } from './wire';

/** What a scenario is given. */
export interface Context {
    dice: Dice;
    /** how much is done: 1 in the short form, 6 within ten minutes */
    rounds: number;
    log: (text: string) => void;
    /** called when the scenario ends, whichever way, the last one first */
    defer: (end: () => Promise<unknown>) => void;
}

/** What a scenario has come to. */
export class Outcome {
    /** kills, by what was killed */
    readonly kills = new Tally();
    /** requests that were under way where a server was killed, by kind */
    readonly under = new Tally();
    readonly findings: string[] = [];
    /** figures worth telling, in words */
    readonly notes: string[] = [];
    checks = 0;
    acknowledged = 0;
    lost = 0;
    checked: Checked | undefined;

    /** Counts the check of a round, finds what services have logged in it, and tells how far the scenario is. */
    endRound(round: number, { journal }: Load, services: readonly Service[]): string {
        this.checks++;
        faultsOf(services, journal);
        return `round ${round}: ${this.kills}; ${journal.acknowledged.total()} acknowledged, ${journal.lost.total()} lost; ${journal.findings.length} findings`;
    }

    /** Takes over what a load knows when it is done. */
    take({ journal, slowest }: Load, checked: Checked): void {
        this.acknowledged += journal.acknowledged.total() - journal.acknowledged.get('read');
        this.lost += journal.lost.total() - journal.lost.get('read');
        this.checked = checked;
        this.notes.push(`acknowledged: ${journal.acknowledged}`, `answers lost: ${journal.lost}; of those: ${journal.found}`, `statuses: ${journal.statuses}; slowest answer ${Math.round(slowest)} ms`);
        this.findings.push(...journal.findings.splice(0));
    }
}

export interface Scenario {
    name: string;
    title: string;
    run(context: Context, outcome: Outcome): Promise<void>;
}

/** Milliseconds until a service says that it is ready. @throws Error where it does not in time, or is another process by then */
export async function readyAgain(service: Service, patience = 30_000): Promise<number> {
    const { name } = service;
    const started = performance.now();
    for (;;) {
        const asked = await send(service, 'ready', { method: 'GET', path: '/projects/1' });
        const answer = asked === null || asked.status === 503 ? asked : await send(service, 'ready', { method: 'GET', path: '/ready' });
        if (service.name !== name || service.child?.exitCode !== null) {
            throw new Error(`${name} ended: ${await service.ended}`);
        }

        // That /ready cannot reach the database is in the log, as it is meant to be.
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

/** Faults that services have logged: none is meant to be, whatever is done to them. */
export function faultsOf(services: readonly Service[], journal: Journal): void {
    const unexcused = services.flatMap(({ faults, excused }) => faults.splice(0).filter((line) => !excused.has(JSON.parse(line).request_id)));
    unexcused.slice(0, 5).forEach((line) => journal.find(`the service logged ${line.slice(0, 1500)}`));
}
