import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { exclusiveLock, exclusively } from '../../../src/database/jobs/exclusive';
import { workInSteps } from '../../../src/database/jobs/in-steps';
import type { Outcome } from '../../../src/database/jobs/in-steps';
import { leaseIn } from '../../../src/database/jobs/lease';
import { startPolling } from '../../../src/database/jobs/poll';
import { run, runOne, statement } from '../../../src/database/statements/statement';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { until } from '../../support/host';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const lease = leaseIn('claimed_until', 60);
const claim = statement({ row: { token: 'text' } }, `update tested_work w set claimed_until = ${lease.until} where ${lease.isFree('w')} returning ${lease.token('w')} as token`);
const renew = statement({ parameters: ['timestamp with time zone', 'integer'], row: { token: 'text' } }, `
    update tested_work w set claimed_until = ${lease.until}, done = $2 where ${lease.isHeld('w', '$1')} returning ${lease.token('w')} as token`);
const release = statement({ parameters: ['timestamp with time zone'] }, `update tested_work w set claimed_until = now() - interval '1 second' where ${lease.isHeld('w', '$1')}`);

describe('work that one instance does at a time', () => {
    let database: TestDatabase;
    let outcomes: Outcome[];
    const never = new AbortController().signal;

    before(async () => {
        database = await cloneDatabase();
        await database.db.raw('create table tested_work (claimed_until timestamptz not null, done integer)');
    });

    after(async () => {
        await database.db.raw('drop table tested_work');
        await database.drop();
    });

    beforeEach(async () => {
        outcomes = [];
        await database.db.raw(`delete from tested_work; insert into tested_work values ('-infinity', 0)`);
    });

    const state = async (): Promise<{ done: number; free: boolean }> => (await database.db.raw('select done, claimed_until < now() as free from tested_work')).rows[0];

    const work = (steps: () => AsyncIterable<number>, signal = never): Promise<boolean> => workInSteps({
        claim: () => runOne(database.db, claim, []),
        steps,
        renew: async (token, step) => (await runOne(database.db, renew, [token, step]))?.token,
        release: async (token, outcome) => {
            outcomes.push(outcome);
            await run(database.db, release, [token]);
        }
    }, signal);

    async function* three(begin?: (step: number) => unknown): AsyncGenerator<number> {
        for (let step = 1; step <= 3; step++) {
            await begin?.(step);
            yield step;
        }
    }

    it('is done in steps, after each of which the lease goes on, and is free in the end', async () => {
        const seen: number[] = [];
        expect(await work(() => three(async () => seen.push((await state()).done)))).to.be.true();
        expect(seen).to.equal([0, 1, 2]);
        expect(await state()).to.equal({ done: 3, free: true });
        expect(outcomes).to.equal(['done']);
    });

    it('is done by one of several', async () => {
        const done = await Promise.all([1, 2, 3].map(() => work(() => three(() => new Promise((resolve) => {
            setTimeout(resolve, 50);
        })))));
        expect(done.filter(Boolean)).to.have.length(1);
        expect(outcomes).to.equal(['done']);
    });

    it('is left to the one that has taken it when the lease had ended, and neither goes on nor is released', async () => {
        const begun: number[] = [];
        const isDone = await work(() => three(async (step) => {
            begun.push(step);
            if (step === 2) {
                await database.db.raw(`update tested_work set claimed_until = now() + interval '1 hour'`);
            }
        }));
        expect(isDone).to.be.false();
        expect(begun).to.equal([1, 2]);
        expect(await state()).to.equal({ done: 1, free: false });
        expect(outcomes).to.equal([]);
    });

    it('ends between two steps, and is released, if the service ends or a step fails', async () => {
        const ending = new AbortController();
        expect(await work(() => three((step) => step === 2 && ending.abort()), ending.signal)).to.be.false();
        expect(await state()).to.equal({ done: 2, free: true });
        await expect(work(() => three((step) => (step === 2 ? Promise.reject(new Error('away')) : undefined)))).to.reject('away');
        expect(await state()).to.equal({ done: 1, free: true });
        expect(outcomes).to.equal(['ended', 'failed']);
    });

    it('in a transaction is not begun by another one meanwhile', async () => {
        const lock = exclusiveLock(7243399999);
        const done = await exclusively(database.db, lock, async () => [await exclusively(database.db, lock, () => Promise.resolve('inner')), 'outer']);
        expect(done).to.equal([undefined, 'outer']);
        expect(await exclusively(database.db, lock, () => Promise.resolve('later'))).to.equal('later');
    });
});

describe('what is done again and again', () => {
    const warnings: string[] = [];
    const logger = { warn: (_line: unknown, message?: string): void => void warnings.push(String(message)) };

    it('goes on after a failure, which is logged', async () => {
        let runs = 0;
        const { end } = startPolling(() => (++runs === 1 ? Promise.reject(new Error('away')) : Promise.resolve()), { every: 5, logger, failure: 'it failed' });
        await until(() => runs > 2);
        await end();
        const then = runs;
        expect(warnings).to.equal(['it failed: away']);
        await new Promise((resolve) => {
            setTimeout(resolve, 30);
        });
        expect(runs).to.equal(then);
    });

    it('begins at once when it is woken, also if it is running, and its end waits for the run in progress', async () => {
        let runs = 0;
        let isRunning = false;
        const open: (() => void)[] = [];
        const { wake, end } = startPolling(async (signal) => {
            runs++;
            isRunning = true;
            await new Promise<void>((resolve) => {
                open.push(resolve);
                signal.addEventListener('abort', () => void setTimeout(resolve, 20));
            });
            isRunning = false;
        }, { every: 600_000, logger, failure: '' });
        await until(() => open.length === 1);
        wake();
        open[0]?.();
        await until(() => runs === 2);
        open[1]?.();
        await until(() => !isRunning);
        wake();
        await until(() => runs === 3);
        await end();
        expect(isRunning).to.be.false();
        expect(runs).to.equal(3);
    });

    it('is never begun if it is ended before', async () => {
        let runs = 0;
        const { end } = startPolling(() => Promise.resolve(++runs), { every: 1, first: 600_000, logger, failure: '' });
        await end();
        expect(runs).to.equal(0);
    });
});
