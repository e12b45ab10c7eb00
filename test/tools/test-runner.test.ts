import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { root } from '../support/program';

export const lab = script();

lab.experiment('The test runner', () => {

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

    lab.test('skips what needs a program that is not there, and says how to get it; in continuous integration it fails', () => {
        const browser = testFile('browser.test.ts', `
            const { launchChromium } = require('${root}/test/support/chromium.ts');
            lab.before(() => launchChromium());
            lab.test('looks', () => undefined); lab.test('looks again', () => undefined);`);
        const other = testFile('other.test.ts', `lab.test('works', () => undefined);`);
        const here = node('tools/test', browser, other);
        const isThere = here.stdout.endsWith('\n3 passed, 0 failed\n');
        const away = { CHROMIUM: undefined, PATH: folder, CHROMIUM_PLACES: '' };
        const local = spawnSync(process.execPath, ['tools/test', browser, other], { cwd: root, encoding: 'utf8', env: { ...process.env, ...away, CI: undefined } });
        expect(isThere || here.status !== 0 || here.stdout.includes('skipped')).to.be.true();
        expect(local.status, local.stdout).to.equal(0);
        expect(local.stdout).to.match(/\nSkipped for want of Chromium, Chrome or Edge \(.+\)\n1 passed, 0 failed, 2 skipped\n$/);
        const demanded = spawnSync(process.execPath, ['tools/test', browser, other], { cwd: root, encoding: 'utf8', env: { ...process.env, ...away, CI: 'true' } });
        expect(demanded.status).to.equal(1);
        expect(demanded.stdout).to.contain('These tests need what is not here: Chromium');
    });

    lab.test('finds the tests for what has changed: those that import it, and those in the folder of the same name', () => {
        const found = write('changed.js', `
            process.chdir('${root}');
            require('${root}/tools/test/typescript').register();
            const { testsOf } = require('${root}/tools/test/changed.ts');
            const { tierOf } = require('${root}/tools/test/tiers.ts');
            const { readdirSync } = require('node:fs');
            const files = readdirSync('${root}/test', { recursive: true }).filter((name) => name.endsWith('.test.ts')).map((name) => 'test/' + name).filter((name) => tierOf(name) === 'test');
            testsOf(process.argv.slice(2), files).then((tests) => console.log(JSON.stringify({ tests, of: files.length })));`);
        const of = (...changed: string[]): { tests: string[]; of: number } => JSON.parse(node(found, ...changed).stdout);
        const classes = of('src/classes/works/queries.ts');
        expect(classes.tests).to.include(['test/classes/works.test.ts', 'test/classes/classes.test.ts']).and.not.include('test/projects/fields.test.ts');
        expect(of('src/rules/merge.ts').tests).to.include('test/rules/merge.test.ts');
        expect(of('test/projects/fields.test.ts').tests).to.include('test/projects/fields.test.ts');
        expect(of('docs/site.md').tests).to.equal([]);
        expect(classes.tests.length).to.be.below(classes.of / 4);
    });

    lab.test('rejects a run without tests, and unknown options', () => {
        const { status, stdout } = node('tools/test', testFile('none.test.ts', ''));
        expect(status).to.equal(1);
        expect(stdout).to.contain('no tests').and.endWith('\n0 passed, 0 failed\n');
        expect(node('tools/test', '--tier', 'never').status).to.equal(2);
        expect(node('tools/test', '--nonsense').status).to.equal(2);
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
