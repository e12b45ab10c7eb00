import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ServerOptions } from './server';
import { spawnServer, stopOrphan, stopServer, untilReady } from './server';
import type { PostgresProgram } from './spawn';

/** Milliseconds between two tries to start a server again. The first pauses are short: processes of the old one may have to end. */
const PAUSES = { first: 100, most: 5000 };

/** A server that is started again if it ends. */
export interface Kept {
    /** Shuts it down, and does not start it again. */
    stop(): Promise<void>;
    /** Asks it to shut down, without waiting. */
    stopNow(): void;
}

/**
 * Starts a server that ends by itself again, on the same port, so that its clients find it there. PostgreSQL recovers all
 * acknowledged writes. It tries until it succeeds, because the cause may pass, such as a full disk.
 */
export const keepRunning = (first: PostgresProgram, options: ServerOptions, log: (message: string) => void): Kept => {
    const stopping = new AbortController();
    let program = first;

    const restart = async (): Promise<void> => {
        for (let pause = PAUSES.first; ; pause = Math.min(2 * pause, PAUSES.most)) {
            try {
                // It may have ended while it wrote its pid file.
                await stopOrphan(join(options.folder, 'cluster'));
                if (stopping.signal.aborted) {
                    return;
                }

                program = spawnServer(options);
                await untilReady(program, options.folder);
                log('The embedded PostgreSQL takes connections again.');
                return;
            }
            catch (error) {
                log(String(error));
                await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
            }
        }
    };

    const keep = async (): Promise<void> => {
        for (;;) {
            const ending = await program.ended;
            if (stopping.signal.aborted) {
                return;
            }

            log(`The embedded PostgreSQL ended by itself (${ending}): it is started again.`);
            await restart();
        }
    };

    const keeping = keep();
    return {
        stop: async () => {
            stopping.abort();
            await stopServer(program);
            await keeping;
        },
        stopNow: () => {
            stopping.abort();
            program.child.kill('SIGINT');
        }
    };
};
