import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import pino from 'pino';

import { startWorkers } from '../../src/process/workers';
import type { Workers } from '../../src/process/workers';

export const lab = Lab.script();
const { describe, it } = lab;

const exec = join(__dirname, '../support/worker.js');

describe('startWorkers()', () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });

    /** The process ids that respond at the port within some time. */
    const answering = async ({ port }: Workers, want: number): Promise<Set<number>> => {
        const pids = new Set<number>();
        for (let i = 0; i < 400 && pids.size < want; ++i) {
            try {
                const response = await fetch(`http://127.0.0.1:${port}/`);
                pids.add(Number(await response.text()));
            }
            catch {
                await sleep(20);
            }
        }

        return pids;
    };

    it('serves one port with all of them, replaces one that dies, and stops all of them', async () => {
        const workers = await startWorkers({ count: 2, env: {}, logger, exec });
        const first = await answering(workers, 2);
        expect(first.size).to.equal(2);

        const [victim = 0, survivor = 0] = first;
        process.kill(victim, 'SIGKILL');
        await sleep(900);
        const second = await answering(workers, 2);
        expect(second.size).to.equal(2);
        expect(second.has(victim)).to.be.false();
        expect(second.has(survivor)).to.be.true();
        expect(lines.join('')).to.contain('a worker ended (SIGKILL): starting another');

        await workers.end();
        await sleep(200);
        for (const pid of second) {
            expect(() => process.kill(pid, 0)).to.throw(/ESRCH/);
        }
    });

    it('fails if a worker ends before it listens', async () => {
        await expect(startWorkers({ count: 2, env: { WORKER_FAILS: '1' }, logger, exec })).to.reject('A worker ended before it listened (exit code 3)');
    });

    it('keeps trying if a replacement fails', async () => {
        const env = { WORKER_FAILS: '' };
        const workers = await startWorkers({ count: 2, env, logger, exec });
        const [pid = 0] = await answering(workers, 2);
        env.WORKER_FAILS = '1';
        process.kill(pid, 'SIGKILL');
        await sleep(800);
        env.WORKER_FAILS = '';
        await sleep(900);
        const pids = await answering(workers, 2);
        expect(pids.size).to.equal(2);
        expect(pids.has(pid)).to.be.false();
        await workers.end();
    });
});
