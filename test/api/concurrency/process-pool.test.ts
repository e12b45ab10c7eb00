import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Ended, NotBegun, processPool } from '../../../src/api/concurrency/process-pool';
import type { ProcessPool } from '../../../src/api/concurrency/process-pool';
import { builtStarter } from '../../support/file-pools';
import { until } from '../../support/host';

export const lab = script();
const { after, before, describe, it } = lab;

/** A program that answers, after a while if it is told to, or does what it should not. */
const program = `process.on('message', async ({ wait = 0, until, die, spin, needs, large, fat }) => {
    process.send('begun');
    while (until && (!needs || large) && !require('node:fs').existsSync(until)) await new Promise((resolve) => setTimeout(resolve, 10));
    if (die) process.exit(1);
    if (spin) for (;;);
    if (!needs || large) await new Promise((resolve) => setTimeout(resolve, wait));
    process.send('something else');
    process.send({ something: 'else' });
    process.send(needs && !large ? { isLarge: true, memory: 0 } : { result: { pid: process.pid, large }, memory: fat ? 1e9 : 0 });
    if (fat === 'dies') process.exit(0);
});`;

interface Task {
    wait?: number;
    /** a file that has to be there before it is done */
    until?: string;
    die?: boolean;
    spin?: boolean;
    needs?: boolean;
    fat?: boolean;
}

interface Result {
    pid: number;
    large?: boolean;
}

describe('A pool of processes', () => {
    let folder: string;
    let pool: ProcessPool<Task, Result>;
    let removed = 0;

    before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'pagewright-test-'));
        await writeFile(join(folder, 'program.js'), program);
        pool = make('program.js', 3000);
    });

    after(async () => {
        await pool.close();
        await rm(folder, { recursive: true });
    });

    const make = (name: string, longest: number, quick = longest): ProcessPool<Task, Result> => processPool({
        longest,
        quick,
        starter: builtStarter(),
        prepare: () => Promise.resolve({ program: join(folder, name), args: [], env: { PATH: process.env.PATH }, remove: () => Promise.resolve(void removed++) })
    });
    const pidOf = async (task: Task = {}, caller = 'one'): Promise<number> => Number((await pool.run(task, caller)).result?.pid);
    const isAlive = (pid: number): boolean => {
        try {
            return process.kill(pid, 0);
        }
        catch {
            return false;
        }
    };

    it('uses a process again, and ends it with a task that fails, takes too long, or has left much memory', async () => {
        const first = await pidOf();
        expect(await pidOf()).to.equal(first);
        await expect(pool.run({ die: true }, 'one')).to.reject(Ended, 'The task was ended: it took too much memory, or failed.');
        const second = await pidOf();
        expect(second).to.not.equal(first);
        const impatient = make('program.js', 1000);
        await expect(impatient.run({ spin: true }, 'one')).to.reject(Ended, 'The task was ended: it took more than 1 s.');
        expect(await pidOf({ fat: true })).to.equal(second);
        await until(() => !isAlive(second));
        const third = await pidOf();
        process.kill(third, 'SIGKILL');
        await until(() => !isAlive(third));
        await sleep(50);
        expect(await pidOf()).to.not.equal(third);
        expect(removed).to.be.above(2);
    });

    it('counts the time of a task from when it begins, as a busy machine may take longer to start the process', async () => {
        const begin = (name: string, delay: number): Promise<void> => writeFile(join(folder, name), `const end = Date.now() + ${delay}; while (Date.now() < end);\n${program}`);
        await begin('slow.js', 1500);
        const slow = make('slow.js', 1000);
        expect((await slow.run({}, 'one')).result?.pid).to.be.a.number();
        await expect(slow.run({ spin: true }, 'one')).to.reject(Ended, 'The task was ended: it took more than 1 s.');
        await begin('never.js', 30_000);
        await expect(make('never.js', 100).run({}, 'one')).to.reject(NotBegun, 'The task was not begun: it took more than 0.6 s.');
        await expect(make('nothing.js', 3000).run({}, 'one')).to.reject(NotBegun, 'The task was not begun: it took too much memory, or failed.');
    });

    it('does one task of a caller at a time, so that there is a place for another, and one large task at a time', async () => {
        const order: string[] = [];
        const run = (name: string, task: Task, caller: string): Promise<unknown> => pool.run(task, caller).then(() => order.push(name));
        // Both processes are there, as starting one may take longer than a task.
        await Promise.all([pidOf({}, 'a'), pidOf({}, 'b')]);
        await Promise.all([run('a1', { wait: 300 }, 'a'), run('a2', { wait: 1 }, 'a'), run('b', { wait: 1 }, 'b')]);
        expect(order).to.equal(['b', 'a1', 'a2']);

        order.length = 0;
        const file = join(folder, 'large');
        const large = ['a', 'b'].map((name) => run(name, { needs: true, until: file }, name));
        await Promise.all([run('c', {}, 'c'), run('d', {}, 'd')]);
        expect(order.toSorted()).to.equal(['c', 'd']);
        await writeFile(file, '');
        await Promise.all(large);
        expect((await pool.run({ needs: true }, 'a')).result?.large).to.be.true();
    });

    it('has small tasks wait for no slow ones, however many there are', async () => {
        const some = make('program.js', 60_000, 1000);
        const file = join(folder, 'done');
        const order: string[] = [];
        const run = (name: string, task: Task): Promise<unknown> => some.run(task, name).then(() => order.push(name));
        const slow = ['a', 'b', 'c'].map((name) => run(name, { until: file }));
        // All processes are taken by slow ones, and stay so until small ones are done.
        await Promise.all(['d', 'e', 'f'].map((name) => run(name, {})));
        expect(order.toSorted()).to.equal(['d', 'e', 'f']);
        await writeFile(file, '');
        await Promise.all(slow);
        await some.close();
    });

    it('has a caller wait whose task was stopped, and less so others at the same address', async () => {
        const strict = make('program.js', 2000, 100);
        const [mallory, other] = [['school', 'school', 'mallory'], ['school', 'school', 'other']] as const;
        await expect(strict.run({ spin: true }, mallory)).to.reject(Ended);
        expect(strict.wait(mallory)).to.be.above(5000);
        expect(strict.wait(other)).to.be.below(5000);
        expect(strict.wait(['home', 'home', 'x'])).to.equal(0);
        expect((await strict.run({}, other)).result?.pid).to.be.a.number();
        const left = new AbortController();
        const waiting = strict.run({}, mallory, left.signal);
        left.abort(new Error('gone'));
        await expect(waiting).to.reject('gone');
        await strict.close();
    });

    it('kills the process of a caller who leaves, and forgets a task that waits', async () => {
        const leaving = new AbortController();
        const killed = await pidOf();
        const running = pool.run({ spin: true }, 'one', leaving.signal);
        const waiting = pool.run({}, 'one', leaving.signal);
        const other = pool.run({}, 'one');
        await sleep(100);
        leaving.abort(new Error('gone'));
        await expect(running).to.reject(Ended, 'The task was ended: its caller has left.');
        await expect(waiting).to.reject('gone');
        await other;
        await until(() => !isAlive(killed));
        await expect(pool.run({}, 'one', leaving.signal)).to.reject('gone');
        expect(pool.wait('one')).to.equal(0);
    });

    it('starts them by a process that is started again if it ends, and ends them with it', async () => {
        const pid = await pidOf();
        const starter = Number(/^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
        expect(starter).to.not.equal(process.pid);
        const running = pool.run({ wait: 2500 }, 'one');
        await sleep(100);
        process.kill(starter, 'SIGKILL');
        await expect(running).to.reject(Ended, 'The task was ended: it took too much memory, or failed.');
        await until(() => !isAlive(pid));
        expect(await pidOf()).to.not.equal(pid);
    });

    it('ends processes that have nothing to do, and all when it is closed', async () => {
        const pid = await pidOf();
        await until(() => !isAlive(pid), 20_000);
        const closing = make('program.js', 3000);
        const left = new AbortController();
        const early = closing.run({}, 'one', left.signal);
        left.abort();
        await expect(early).to.reject(NotBegun, 'The task was not begun: its caller has left.');
        const other = Number((await closing.run({}, 'one')).result?.pid);
        await closing.close();
        await until(() => !isAlive(other));
    });
});
