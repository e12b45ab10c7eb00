import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import type { RowOf } from '../../../src/database/declaration';
import { leaseIn } from '../../../src/database/jobs/lease';
import { retryAfter } from '../../../src/database/jobs/retry';
import { startWorker } from '../../../src/database/jobs/worker';
import type { WorkerOptions } from '../../../src/database/jobs/worker';
import { run, runOne, statement } from '../../../src/database/statements/statement';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { until } from '../../support/host';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const jobColumns = { id: 'text', owner: 'text', slow: 'boolean', attempts: 'integer', token: 'text' } as const;
type Job = RowOf<typeof jobColumns>;

const lease = leaseIn('leased_until', 1);
const next = statement({ parameters: ['boolean', 'boolean'], row: jobColumns }, `
    with ${lease.claim({
        table: 'tested_jobs', where: '(case when q.slow then $2::boolean else $1::boolean end)', set: 'attempts = q.attempts + 1', owner: { column: 'owner', most: 2 }, first: 'q.slow'
    })}
    select c.id::text as id, c.owner::text as owner, c.slow, c.attempts, ${lease.token('c')} as token from claimed c`);
const renew = statement({ parameters: ['bigint', 'timestamp with time zone'], row: { token: 'text' } }, `
    update tested_jobs j set leased_until = ${lease.until} where j.id = $1 and ${lease.isHeld('j', '$2')} returning ${lease.token('j')} as token`);
const settle = statement({ parameters: ['bigint', 'timestamp with time zone'], row: { id: 'text' } }, `
    update tested_jobs j set due_at = null, leased_until = null where j.id = $1 and ${lease.isHeld('j', '$2')} returning j.id::text as id`);

describe('jobs of a table', () => {
    let database: TestDatabase;
    const ends: (() => Promise<void>)[] = [];
    const warnings: string[] = [];

    before(async () => {
        database = await cloneDatabase();
        await database.db.raw(`
            create table tested_jobs (
                id bigint generated always as identity primary key, owner bigint not null, slow boolean not null default false, attempts integer not null default 0,
                due_at timestamptz(3) default now() - interval '1 minute', leased_until timestamptz(3)
            )`);
    });

    after(async () => {
        await database.db.raw('drop table tested_jobs');
        await database.drop();
    });

    afterEach(async () => {
        await Promise.all(ends.splice(0).map((end) => end()));
        await database.db.raw('delete from tested_jobs');
        warnings.length = 0;
    });

    const claim = ({ quick, slow }: { quick: boolean; slow: boolean }): Promise<Job | undefined> => runOne(database.db, next, [quick, slow]);
    const settled = async ({ id, token }: Job): Promise<boolean> => (await run(database.db, settle, [id, token])).length === 1;
    const add = (count: number, owner = 1, slow = false): Promise<unknown> => database.db.raw('insert into tested_jobs (owner, slow) select ?, ? from generate_series(1, ?)', [owner, slow, count]);
    const left = async (): Promise<number> => (await database.db.raw('select count(*)::int as count from tested_jobs where due_at is not null')).rows[0].count;

    const start = (work: WorkerOptions<Job>['run'], options: Partial<WorkerOptions<Job>> = {}): (() => Promise<void>) => {
        const end = startWorker<Job>({
            every: 20, logger: { warn: (_line: unknown, message?: string) => void warnings.push(String(message)) }, failure: 'jobs failed', slots: { quick: 4, slow: 2 },
            look: () => Promise.resolve(true), claim, isSlow: ({ slow }) => slow, run: work, ...options
        });
        ends.push(end);
        return end;
    };

    it('are each done once by several instances, no more at a time than there are slots', async () => {
        for (let owner = 1; owner <= 30; owner++) {
            await add(2, owner);
        }

        const done: string[] = [];
        const most: number[] = [];
        for (let instance = 0; instance < 3; instance++) {
            let running = 0;
            start(async (job) => {
                most.push(++running);
                done.push(job.id);
                await sleep(5);
                expect(await settled(job)).to.be.true();
                running--;
            });
        }

        await until(async () => await left() === 0);
        expect(new Set(done).size).to.equal(60);
        expect(done).to.have.length(60);
        expect(Math.max(...most)).to.be.at.most(4);
        expect(warnings).to.equal([]);
    });

    it('follow each other at once, without waiting for the next look', async () => {
        await add(20);
        start(async (job) => void await settled(job), { every: 600_000 });
        await until(async () => await left() === 0);
    });

    it('of owners in turn, two of each at a time', async () => {
        await add(4);
        await add(1, 2);
        const owners: (string | undefined)[] = [];
        for (let n = 0; n < 4; n++) {
            owners.push((await claim({ quick: true, slow: true }))?.owner);
        }

        expect(owners).to.equal(['1', '2', '1', undefined]);
    });

    it('that are quick have slots whatever slow ones wait for, also those that turn out to be slow', async () => {
        for (let owner = 1; owner <= 8; owner++) {
            await add(1, owner, owner > 5);
        }

        const begun: Job[] = [];
        const open: (() => void)[] = [];
        const end = start(async (job, slot) => {
            begun.push(job);
            if (job.slow || Number(job.owner) <= 2) {
                slot.becomeSlow();
                await new Promise<void>((resolve) => void open.push(resolve));
            }

            await settled(job);
        });
        await until(async () => await left() === 5);
        await sleep(100);
        // Two of the quick ones hang in the slots of slow ones, so those that are known to be slow wait.
        expect(begun.map(({ owner }) => Number(owner)).sort()).to.equal([1, 2, 3, 4, 5]);
        open.splice(0).forEach((resolve) => resolve());
        await until(() => begun.length === 7);
        open.splice(0).forEach((resolve) => resolve());
        await until(() => begun.length === 8);
        open.splice(0).forEach((resolve) => resolve());
        await end();
    });

    it('are taken over when the lease ends of an instance that is killed or hangs, which then settles and renews nothing', async () => {
        await add(1);
        const hanging = await claim({ quick: true, slow: true });
        expect(hanging).to.include({ attempts: 1 });
        const taken: Job[] = [];
        let isOver: () => void = () => undefined;
        const over = new Promise<void>((resolve) => {
            isOver = resolve;
        });
        start(async (job) => {
            taken.push(job);
            await over;
            expect(await settled(job)).to.be.true();
        });
        await until(() => taken.length === 1);
        expect(taken[0]).to.include({ id: hanging?.id, attempts: 2 });
        const { rows } = await database.db.raw(`select ?::timestamptz - ?::timestamptz > interval '1 second' as "hasWaited"`, [String(taken[0]?.token), String(hanging?.token)]);
        expect(rows).to.equal([{ hasWaited: true }]);
        expect(await run(database.db, renew, [hanging?.id, hanging?.token])).to.equal([]);
        expect(hanging && await settled(hanging)).to.be.false();
        expect(await left()).to.equal(1);
        isOver();
        await until(async () => await left() === 0);
    });

    it('are kept as long as the lease is renewed', async () => {
        await add(1);
        const job = await claim({ quick: true, slow: true });
        let token = job?.token;
        for (let n = 0; n < 8; n++) {
            await sleep(200);
            token = (await runOne(database.db, renew, [job?.id, token]))?.token;
            expect(await claim({ quick: true, slow: true })).to.be.undefined();
        }

        expect(job && token && await settled({ ...job, token })).to.be.true();
    });

    it('that fail are logged, and are tried again when the lease has ended', async () => {
        await add(1);
        start((job) => (job.attempts === 1 ? Promise.reject(new Error('away')) : settled(job).then(() => undefined)));
        await until(async () => await left() === 0);
        expect(warnings).to.equal(['jobs failed: away']);
    });

    it('are not begun any more after the service was asked to end, and those in progress have a moment', async () => {
        await add(6);
        const began = Date.now();
        const begun: Job[] = [];
        const end = start(async (job, { signal, goesOn }) => {
            begun.push(job);
            expect(goesOn()).to.be.true();
            await new Promise((resolve) => {
                signal.addEventListener('abort', resolve);
            });
            expect(goesOn()).to.be.false();
            await settled(job);
        });
        await until(() => begun.length === 2);
        await end();
        expect(Date.now() - began).to.be.above(2500);
        expect(begun).to.have.length(2);
        expect(warnings).to.equal([]);
    });

    it('are tried again after pauses that grow up to the longest, about', () => {
        for (const [failures, expected] of [[1, 5], [2, 20], [3, 80], [9, 3600]] as const) {
            const pauses = Array.from({ length: 200 }, () => retryAfter(failures, { first: 5, times: 4, longest: 3600 }));
            expect(Math.min(...pauses)).to.be.within(expected * 0.75, expected);
            expect(Math.max(...pauses)).to.be.within(expected, expected * 1.25);
        }
    });
});
