import { constants, setPriority } from 'node:os';

import { Attacker } from './attacker';
import type { Tally } from './attack';
import { attacks } from './list';

/** The task of a process. */
export interface Order {
    name: string;
    url: string;
    seed: number;
    /** the local address to connect from */
    address: string;
    seconds: number;
}

/**
 * The attacker, in a process of its own. In reality it would run on another machine, so it has a lower priority than the
 * service, PostgreSQL and the ordinary user (see `precede`).
 */
async function attack({ name, url, ...options }: Order): Promise<Tally> {
    const attacker = new Attacker(url, options);
    let failure = '';
    try {
        await attacks.find((one) => one.name === name)?.run(attacker);
    }
    catch (error) {
        failure = error instanceof Error ? error.message : String(error);
    }

    const { tally } = attacker;
    attacker.close();
    return { ...tally, failure };
}

setPriority(constants.priority.PRIORITY_NORMAL);
process.on('disconnect', () => process.exit());
process.once('message', (order: Order) => {
    void attack(order).then((tally) => process.send?.(tally, () => process.exit()));
});
