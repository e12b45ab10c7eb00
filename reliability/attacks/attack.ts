import type { Attacker } from './attacker';

/** What has to hold throughout an attack. */
export interface Bounds {
    /** milliseconds for which the event loop may do nothing else */
    stall: number;
    /** MiB of memory (resident set) that the service may take at most, without PostgreSQL */
    memory: number;
    /** MiB of its heap that may stay after the attack, beyond what there was before */
    kept: number;
    /** bytes that the database may grow by for each byte sent */
    stored: number;
    /** milliseconds within which each request of the ordinary user has to be answered */
    answer: number;
}

export const bounds: Bounds = { stall: 100, memory: 600, kept: 64, stored: 20, answer: 1000 };

/** Something that one client, or a few, may do to the service with requests that HTTP allows. */
export interface Attack {
    name: string;
    /** what is done, in a line */
    title: string;
    run: (attacker: Attacker) => Promise<unknown>;
    /** seconds after which it is told to stop; 15 if left out */
    seconds?: number;
    /** settings of the service that differ from those it is shipped with */
    settings?: Readonly<Record<string, string>>;
    /** where they differ from the bounds of all; say why */
    bounds?: Partial<Bounds>;
    /** answers that have to be among those it gets, as '429 rate_limited' */
    answers?: readonly string[];
    /** left out of the short form */
    long?: boolean;
}

/** What an attacker has sent, and what came back. */
export interface Tally {
    /** bytes over all its connections, headers included */
    sent: number;
    /** answers by status and code, as '409 page_limit'; `broken` where there was none */
    answers: Record<string, number>;
    /** why it broke off; empty where it did not */
    failure: string;
}
