import type { Knex } from 'knex';

import type { Attacker } from './attacker';

/** The limits that must hold throughout an attack. */
export interface Bounds {
    /** longest block of the event loop, in milliseconds */
    stall: number;
    /** the most memory of the service's processes together in MiB, pages of programs that they share counted once, without PostgreSQL */
    memory: number;
    /** how much its heap may grow by the attack, in MiB after a garbage collection */
    kept: number;
    /** growth of the database in bytes for each byte sent */
    stored: number;
    /** the longest time of a request of the ordinary user, in milliseconds */
    answer: number;
    /** seconds of processor time of the service during the attack */
    cpu: number;
    /** how busy the service and its connections to PostgreSQL may be, 2 to 8 s after the clients have left: 1 is one processor */
    after: number;
}

export const bounds: Bounds = { stall: 100, memory: 550, kept: 64, stored: 20, answer: 1000, cpu: Infinity, after: 0.3 };

export type Run = (attacker: Attacker) => Promise<unknown>;

/** What one client, or a few, do to the service with requests that HTTP allows. */
export interface Attack {
    name: string;
    /** what the attack does, in one line */
    title: string;
    run?: Run;
    /** Instead of `run`: makes what the attack needs, which is not measured, and returns the attack. With `db` it can also look at the database during the attack. */
    prepare?: (attacker: Attacker, db: Knex) => Promise<Run>;
    /** seconds after which it must stop; 15 if left out */
    seconds?: number;
    /** it comes to its limit only in all of its seconds, so that the short form does not cut it */
    whole?: true;
    /** settings of the service that differ from the defaults */
    settings?: Readonly<Record<string, string>>;
    /** limits that differ from the general ones; say why */
    bounds?: Partial<Bounds>;
    /** responses that it must get, such as '429 rate_limited' */
    answers?: readonly string[];
    /** part of the short form, which takes some three minutes on a quiet machine: those that only attacks try */
    short?: true;
}
