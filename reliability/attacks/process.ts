import { constants, setPriority } from 'node:os';

import { Attacker } from './attacker';
import type { Tally } from './attack';
import { attacks } from './list';

/** What a process is told to do. */
export interface Order {
    name: string;
    url: string;
    seed: number;
    /** of the loopback, to connect from */
    address: string;
    seconds: number;
}

/**
 * The attacker, in a process of its own. Its work would be done on another machine, so it comes after that of the
 * service, of PostgreSQL and of the ordinary user, which `precede` has put first.
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
