import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { out, runProgram } from '../program';

import { databaseKills } from './database-kills';
import { appKills } from './app-kills';
import { bucketKills, folderKills } from './asset-kills';
import { classKills } from './class-kills';
import { clusterCommits } from './cluster-commits';
import { clusterKills } from './cluster-kills';
import { clusterNodes } from './cluster-nodes';
import { conversationKills } from './conversation-kills';
import { deadlocks } from './deadlocks';
import { dropTemplate } from '../../test/support/database';
import { Dice } from '../../test/support/dice';
import { fullDisk } from './disk';
import { engineKills } from './engine-kills';
import { failover } from './failover';
import { laggingReplica } from './lagging-replica';
import { pgbouncer } from './pgbouncer';
import { fullPool } from './pool';
import { restoreDrill } from './restore';
import { rollingRestart } from './rolling-restart';
import { rosterKills } from './roster-kills';
import { Outcome } from './scenario';
import type { Scenario } from './scenario';
import { serverKills } from './server-kills';
import { slowDatabase } from './slow';
import { webhookKills } from './webhook-kills';
import { closeWire } from './wire';

const scenarios: readonly Scenario[] = [serverKills, databaseKills, engineKills, folderKills, bucketKills, fullPool, slowDatabase, deadlocks, fullDisk, restoreDrill, rollingRestart, pgbouncer, laggingReplica, clusterKills, clusterCommits, clusterNodes];

/** Run only if named: they need minutes, and some of them more programs and network namespaces. */
const onlyIfNamed: readonly Scenario[] = [failover, appKills, webhookKills, rosterKills, classKills, conversationKills];

const started = Date.now();
const seconds = (): string => `${((Date.now() - started) / 1000).toFixed(0)} s`;

const found = (finding: string): string => `   FOUND: ${finding}`;

async function runScenario(scenario: Scenario, seed: number, rounds: number): Promise<Outcome> {
    out(`\n== ${scenario.title} (${seconds()})`);
    const outcome = new Outcome();
    const ends: (() => Promise<unknown>)[] = [];
    try {
        await scenario.run({ dice: new Dice(seed), rounds, log: (text) => out(`   ${seconds()}: ${text}`), defer: (end) => void ends.unshift(end) }, outcome);
    }
    catch (error) {
        outcome.findings.push(`the scenario failed: ${error instanceof Error ? error.stack : String(error)}`);
    }

    for (const end of ends) {
        await end().catch((error: Error) => outcome.findings.push(`it did not clean up: ${error.stack}`));
    }

    const { checks, checked, kills, acknowledged, lost, notes, findings } = outcome;
    out(`   kills: ${kills}; ${acknowledged} writes acknowledged, ${lost} answers lost; ${checks} checks`);
    if (checked !== undefined) {
        const { marks, projects, pages, elements, remixes, points } = checked;
        out(`   the last check compared ${marks} marked writes, ${projects} projects, ${pages} pages, ${elements} elements, ${remixes} remixes, ${points} points of histories`);
    }

    notes.forEach((note) => out(`   ${note}`));
    findings.forEach((finding) => out(found(finding)));
    return outcome;
}

/** `npm run test:faults -- [--seed N] [--short | --rounds N] [--only NAME,…] [--limit SECONDS]`: exits with 1 if there are findings, a name is unknown, or it takes too long. */
async function main(): Promise<void> {
    const { values } = parseArgs({ options: {
        seed: { type: 'string', default: String(randomInt(2 ** 31)) }, short: { type: 'boolean' }, rounds: { type: 'string', default: '6' }, only: { type: 'string' },
        limit: { type: 'string', default: '600' }
    } });
    const rounds = values.short ? 1 : Number(values.rounds);
    const only = values.only?.split(',');
    const whole = `npm run test:faults -- --seed ${values.seed}${values.short ? ' --short' : ` --rounds ${rounds}`}`;
    const again = values.only === undefined ? whole : `${whole} --only ${values.only}`;
    out(`seed ${values.seed}, ${rounds} round(s)`);
    setTimeout(() => {
        out(`It took more than ${values.limit} s. Again: ${again}`);
        process.exit(1);
    }, Number(values.limit) * 1000).unref();

    const named = [...scenarios, ...onlyIfNamed];
    const unknown = only?.filter((name) => !named.some((scenario) => scenario.name === name)) ?? [];
    if (unknown.length > 0) {
        throw new Error(`No scenario has the name ${unknown.join()}. The names are ${named.map(({ name }) => name).join()}.`);
    }

    const outcomes: Outcome[] = [];
    for (const scenario of only === undefined ? scenarios : named.filter(({ name }) => only.includes(name))) {
        outcomes.push(await runScenario(scenario, Number(values.seed), rounds));
    }

    closeWire();
    await dropTemplate();
    const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0);
    const kills = (name: string): number => sum((outcome) => outcome.kills.get(name));
    const findings = sum((outcome) => outcome.findings.length);
    out(`\n${kills('server')} kills of the server, ${kills('PostgreSQL')} of PostgreSQL; ${sum((outcome) => outcome.acknowledged)} writes acknowledged; ${findings} findings; ${seconds()}`);
    if (findings > 0) {
        // Once more, as a log may keep only its end.
        outcomes.flatMap((outcome) => outcome.findings).forEach((finding) => out(found(finding)));
        out(`Again: ${again}`);
        process.exitCode = 1;
    }
}

runProgram(main);
