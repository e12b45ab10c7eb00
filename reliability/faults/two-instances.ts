import { setTimeout as sleep } from 'node:timers/promises';

import { Database } from './database';
import { Pooler } from './pooler';
import { loggedBy, readyAgain } from './scenario';
import type { Context, Outcome } from './scenario';
import { Service } from './service';

/** Two instances of one database, which are killed again and again while somebody writes. */
export interface TwoInstances {
    readonly database: Database;
    readonly services: readonly Service[];
    /**
     * Kills the instances in turn, and each third time a process of PostgreSQL, so many times.
     * @param write begins what is written meanwhile, which goes on as long as `isOn` says so; it has ended when this resolves
     */
    killWhile(kills: number, write: (isOn: () => boolean) => readonly Promise<void>[]): Promise<void>;
    /** What the instances logged as faults since the last time, as findings. That the database could not be reached is none. */
    faults(): string[];
}

/** Starts them, and ends them with the scenario. @param isPooled whether the second one uses the database through PgBouncer */
export async function startTwo(settings: Readonly<Record<string, string>>, { dice, defer }: Context, outcome: Outcome, isPooled = false): Promise<TwoInstances> {
    const database = new Database();
    await database.up();
    defer(() => database.end());
    const pooler = isPooled ? await Pooler.inFrontOf(new URL(database.url())) : undefined;
    await pooler?.start();
    defer(() => Promise.resolve(pooler?.end('SIGKILL')));
    const services = [(name: string) => database.url(name), (name: string) => pooler?.urlFor(name) ?? database.url(name)].map((urlFor) => {
        return new Service((name) => ({ DATABASE_URL: urlFor(name), DATABASE_POOL: '8', ...settings }));
    });
    defer(() => Promise.all(services.map((service) => service.kill())));
    await Promise.all(services.map((service) => service.start()));

    const kill = async (kills: number): Promise<void> => {
        for (let n = 0; n < kills; ++n) {
            await sleep(dice.between(50, 400));
            const service = services[n % services.length];
            if (n % 3 === 0) {
                await database.kill('backend');
                outcome.kills.add('process of PostgreSQL');
                await Promise.all(services.map((each) => readyAgain(each)));
            }
            else if (service !== undefined) {
                await service.kill();
                outcome.kills.add('server');
                await service.start();
            }
        }
    };

    return {
        database, services,
        killWhile: async (kills, write) => {
            let isOn = true;
            const written = write(() => isOn);
            await kill(kills).finally(() => {
                isOn = false;
            });
            await Promise.all(written);
        },
        faults: () => loggedBy(services, (line) => !/"path":"\/ready"|database/.test(line))
    };
}
