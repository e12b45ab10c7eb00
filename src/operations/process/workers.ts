import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from 'pino';

/** Processes that share one port. */
export interface Workers {
    port: number;
    /** Asks all of them to end, and waits for that. */
    end(): Promise<void>;
}

export interface WorkersOptions {
    count: number;
    /** environment of the workers, in addition to that of this process */
    env: Readonly<Record<string, string>>;
    logger: Logger;
    /** the program; that of this process if left out */
    exec?: string;
}

/** Milliseconds before a dead worker is replaced, so that a signal sent to all processes arrives here first. */
const PAUSE = 500;

/**
 * Starts workers (node:cluster), and replaces one that dies. They share only the port; all other shared state is in the database.
 * @throws Error if a worker ends before it listens
 */
export async function startWorkers({ count, env, logger, exec }: WorkersOptions): Promise<Workers> {
    if (exec !== undefined) {
        cluster.setupPrimary({ exec });
    }

    const workers = new Set<Worker>();
    let ending = false;

    const start = (): Promise<number> => new Promise((resolve, reject) => {
        const worker = cluster.fork(env);
        workers.add(worker);
        worker.on('listening', ({ port }) => resolve(port));
        worker.on('exit', (code, signal) => {
            const why = signal || `exit code ${code}`;
            workers.delete(worker);
            reject(new Error(`A worker ended before it listened (${why})`));
            void replace(why);
        });
    });

    const replace = async (why: string): Promise<void> => {
        await sleep(PAUSE);
        if (!ending) {
            logger.error(`a worker ended (${why}): starting another`);
            await start().catch(() => undefined);
        }
    };

    const end = async (): Promise<void> => {
        ending = true;
        await Promise.all([...workers].map((worker) => new Promise<void>((resolve) => {
            worker.on('exit', () => resolve());
            worker.kill('SIGTERM');
        })));
    };

    try {
        const ports = await Promise.all(Array.from({ length: count }, start));
        return { port: Math.max(...ports), end };
    }
    catch (error) {
        await end();
        throw error;
    }
}
