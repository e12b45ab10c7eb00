import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import pino from 'pino';

import { startWorkers } from '../../../src/operations/process/workers';
import type { Workers } from '../../../src/operations/process/workers';
import { until } from '../../support/host';

export const lab = Lab.script();
const { describe, it } = lab;

const exec = join(__dirname, '../../support/worker.js');

describe('startWorkers()', () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });

    /** The process ids that respond at the port, as soon as there are two. */
    const answering = async ({ port }: Workers): Promise<Set<number>> => {
        const pids = new Set<number>();
        await until(async () => {
            // While a process ends, a connection to it may be lost.
            const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
            if (response !== undefined) {
                pids.add(Number(await response.text()));
            }

            return pids.size === 2;
        });
        return pids;
    };

    /** Whether a process has ended. */
    const isGone = (pid: number): boolean => {
        try {
            return !process.kill(pid, 0);
        }
        catch {
            return true;
        }
    };

    it('serves one port with all of them, replaces one that dies, and stops all of them', async () => {
        const workers = await startWorkers({ count: 2, env: {}, logger, exec });
        const first = await answering(workers);
        const [victim = 0, survivor = 0] = first;
        process.kill(victim, 'SIGKILL');
        await until(() => isGone(victim));
        const second = await answering(workers);
        expect(second.has(victim)).to.be.false();
        expect(second.has(survivor)).to.be.true();
        expect(lines.join('')).to.contain('a worker ended (SIGKILL): starting another');

        await workers.end();
        await until(() => [...second].every(isGone));
    });

    it('fails if a worker ends before it listens', async () => {
        await expect(startWorkers({ count: 2, env: { WORKER_FAILS: '1' }, logger, exec })).to.reject('A worker ended before it listened (exit code 3)');
    });

    it('keeps trying if a replacement fails', async () => {
        const env = { WORKER_FAILS: '' };
        const workers = await startWorkers({ count: 2, env, logger, exec });
        const [pid = 0] = await answering(workers);
        env.WORKER_FAILS = '1';
        process.kill(pid, 'SIGKILL');
        await until(() => lines.some((line) => line.includes('a worker ended (exit code 3): starting another')));
        env.WORKER_FAILS = '';
        const pids = await answering(workers);
        expect(pids.has(pid)).to.be.false();
        await workers.end();
    });
});
