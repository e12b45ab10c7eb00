import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { root } from '../support/program';

export const lab = script();

lab.experiment('The test runner', { timeout: 240_000 }, () => {

    let folder: string;

    lab.before(() => {
        // Lab's coverage reads only files that the ESLint configuration covers.
        mkdirSync(join(root, 'dist'), { recursive: true });
        folder = mkdtempSync(join(root, 'dist/test-runner-'));
        mkdirSync(join(folder, 'src'));
    });

    lab.after(() => rmSync(folder, { recursive: true }));

    const node = (...args: string[]): { status: number | null; stdout: string; stderr: string } => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });

    const write = (name: string, text: string): string => {
        const file = join(folder, name);
        writeFileSync(file, text);
        return file;
    };

    const testFile = (name: string, body: string): string => write(name, `
        import { expect } from '@hapi/code';
        import * as Lab from '@hapi/lab';
        export const lab = Lab.script();
        lab.describe('an example', () => {${body}});`);

    lab.test('counts what passed, and prints what failed and where', () => {
        const good = testFile('good.test.ts', `lab.test('works', () => undefined); lab.test.skip('waits', () => undefined);`);
        const bad = testFile('bad.test.ts', `lab.test('works', () => undefined); lab.test('differs', () => expect({ n: 1 }).to.equal({ n: 2 }));`);
        const broken = write('broken.test.ts', 'throw new Error("does not even load");');
        const ends = testFile('ends.test.ts', `lab.test('ends', () => process.exit(7));`);

        const passing = node('tools/test', good);
        expect(passing.status, passing.stderr).to.equal(0);
        expect(passing.stdout).to.endWith('\n1 passed, 0 failed, 1 skipped\n');

        const failing = node('tools/test', good, bad, broken, ends);
        expect(failing.status).to.equal(1);
        expect(failing.stdout).to.endWith('\n2 passed, 3 failed, 1 skipped\n');
        expect(failing.stdout).to.contain('an example differs\n').and.contain('actual: { n: 1 }').and.contain('expected: { n: 2 }').and.match(/at .*bad\.test\.ts:5:/);
        expect(failing.stdout).to.contain('does not even load').and.contain('the process ended (exit code 7)');
        // Again at the end, which is all that some logs keep.
        expect(failing.stdout).to.match(/✗ \S+bad\.test\.ts\n {2}an example differs\n/);
    });

    lab.test('runs what failed once more, if that is asked for, and says so', () => {
        const once = testFile('once.test.ts', `lab.test('is the second', () => {
            const { existsSync, writeFileSync } = require('node:fs');
            const seen = existsSync('${folder}/seen');
            writeFileSync('${folder}/seen', '');
            expect(seen).to.be.true();
        });`);
        const never = testFile('never.test.ts', `lab.test('works', () => expect(1).to.equal(2));`);
        const failing = node('tools/test', once);
        expect(failing.status).to.equal(1);
        rmSync(join(folder, 'seen'));

        const steady = node('tools/test', '--again', once);
        expect(steady.status, steady.stdout).to.equal(0);
        expect(steady.stdout).to.contain('\n1 passed, 0 failed\n').and.match(/\n! \S+once\.test\.ts failed beside others, and passed alone\. .+\n {2}an example is the second\n/);
        rmSync(join(folder, 'seen'));

        const mixed = node('tools/test', '--again', once, never);
        expect(mixed.status).to.equal(1);
        expect(mixed.stdout).to.contain('\n1 passed, 1 failed\n').and.contain('once.test.ts failed beside others');
        rmSync(join(folder, 'seen'));

        const many = node('tools/test', '--again', once, never, testFile('nor.test.ts', `lab.test('works', () => expect(1).to.equal(2));`));
        expect(many.stdout).to.contain('\n0 passed, 3 failed\n').and.not.contain('passed alone');
    });

    lab.test('rejects a run without tests, and unknown options', () => {
        const { status, stdout } = node('tools/test', testFile('none.test.ts', ''));
        expect(status).to.equal(1);
        expect(stdout).to.contain('no tests').and.endWith('\n0 passed, 0 failed\n');
        expect(node('tools/test', '--all').status).to.equal(2);
        expect(node('tools/test', '--help').stdout).to.startWith('usage: npm test');
    });

    lab.test('adds up the coverage of several processes', () => {
        write('src/one.ts', `
            export function sign(n: number): string {
                return n < 0 ? 'minus' : 'plus';
            }
            export const either = (a: boolean, b: boolean): string => {
                if (a || b) {
                    return 'some';
                }
                return 'none';
            };
            export const known = (n: number | null): number => n ?? 7;
            export const truth = (): boolean => true; export const yes = truth();
        `);
        write('src/two.ts', 'export const never = (): number => 1;\n');
        const program = write('count.js', `
            require('${root}/tools/test/typescript').register();
            const Coverage = require('${root}/tools/test/coverage');
            const source = '${folder}/src';
            const [, , calls, ...others] = process.argv;
            (async () => {
                if (calls === 'report') {
                    await Coverage.prepare(source);
                    const reports = [];
                    for (const other of others) {
                        reports.push(await Coverage.report(source, [JSON.parse(other)]));
                    }
                    return reports;
                }
                Coverage.load(source);
                new Function('one', calls)(require(source + '/one.ts'));
                return Coverage.counted();
            })().then((result) => console.log(JSON.stringify(result)));`);
        const run = (...args: string[]): string => {
            const { status, stdout, stderr } = node(program, ...args);
            expect(status, stderr).to.equal(0);
            return stdout;
        };

        /** Adds one process after the other. */
        const reports = (...processes: string[]): { percent: number; missing: unknown[][] }[] => {
            const answers: { percent: number; missing: { file: string; lines: number[] }[] }[] = JSON.parse(run('report', ...processes));
            return answers.map(({ percent, missing }) => ({ percent, missing: missing.map(({ file, lines }) => [file.slice(-10), lines]) }));
        };

        const [unrun] = reports('{}');
        expect(unrun?.missing.map(([file]) => file)).to.equal(['src/one.ts', 'src/two.ts']);
        const negative = run('if (one.sign(-1) !== "minus" || one.either(true, false) !== "some" || one.known(1) !== 1 || !one.yes) throw new Error();');
        const positive = run('if (one.sign(1) !== "plus" || one.either(false, false) !== "none" || one.known(null) !== 7) throw new Error();');
        const other = run('if (one.either(false, true) !== "some") throw new Error();');
        const two = ['src/two.ts', [1]];
        const found = reports(negative, positive, other);
        expect(found.map(({ missing }) => missing)).to.equal([
            [['src/one.ts', [3, 6, 9, 11]], two],
            [['src/one.ts', [6]], two],
            [two]
        ]);
        expect(Number(found.at(-1)?.percent)).to.be.between(Number(unrun?.percent), 100);
    });
});
