import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/database/statements/connection';
import { Attacker } from './attacker';
import type { Run } from './attack';
import type { Tally } from './tally';
import { attacks } from './list';

/** The task of a process. */
export interface Order {
    name: string;
    url: string;
    /** of the database, for preparing */
    database: string;
    seed: number;
    /** the local address to connect from */
    address: string;
    seconds: number;
}

/** Seconds for which clients wait for responses after the end of an attack. */
const LEAVING = 20;

/** The messages of this process: once it is ready to attack, and at the end. */
export type Message = 'ready' | Tally;

const say = (message: Message): Promise<void> => new Promise((done) => void process.send?.(message, () => done()));

/** Waits until it is told to begin. */
const told = (): Promise<void> => new Promise((begin) => void process.once('message', () => begin()));

const noAttack: Run = () => Promise.resolve();

async function prepared(name: string, attacker: Attacker, db: Knex): Promise<Run> {
    const { run = noAttack, prepare } = attacks.find((one) => one.name === name) ?? {};
    return prepare === undefined ? run : await prepare(attacker, db);
}

/**
 * The attacker, in a process of its own. In reality it would run on another machine, so it has a lower priority than the
 * service, PostgreSQL and the ordinary user (see `precede`).
 */
async function attack({ name, url, database, ...options }: Order): Promise<void> {
    const attacker = new Attacker(url, { ...options, seconds: Infinity });
    const db = openDatabase({ url: database, pool: 2 });
    let failure = '';
    try {
        const run = await prepared(name, attacker, db);
        const begun = told();
        await say('ready');
        await begun;
        attacker.begin(options.seconds);
        // Whoever still waits then leaves.
        await Promise.race([run(attacker), sleep((options.seconds + LEAVING) * 1000)]);
    }
    catch (error) {
        failure = error instanceof Error ? error.message : String(error);
    }

    const { tally } = attacker;
    attacker.close();
    await say({ ...tally, failure });
    process.exit();
}

setPriority(constants.priority.PRIORITY_NORMAL);
process.on('disconnect', () => process.exit());
process.once('message', (order: Order) => void attack(order));
