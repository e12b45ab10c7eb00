import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { root } from '../support/program';
import { together } from '../../tools/test/coverage';

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
    });

    lab.test('rejects a run without tests, and unknown options', () => {
        const { status, stdout } = node('tools/test', testFile('none.test.ts', ''));
        expect(status).to.equal(1);
        expect(stdout).to.contain('no tests').and.endWith('\n0 passed, 0 failed\n');
        expect(node('tools/test', '--all').status).to.equal(2);
        expect(node('tools/test', '--help').stdout).to.startWith('usage: npm test');
    });

    lab.test('adds up the coverage of several processes', () => {
        write('src/one.ts', 'export function sign(n: number): string {\n    return n < 0 ? \'minus\' : \'plus\';\n}\n');
        write('src/two.ts', 'export const never = (): number => 1;\n');
        const counted = (calls: string): string => write('count.js', `
            const Coverage = require('${root}/tools/test/coverage');
            const source = '${folder}/src';
            (async () => {
                await Coverage.start(source);
                const sign = (n) => require('${folder}/src/one.ts').sign(n);
                ${calls}
                const [, , other] = process.argv;
                console.log(JSON.stringify(other === undefined ? Coverage.counted() : await Coverage.report(source, [JSON.parse(other)])));
            })();`);
        const first = node(counted('sign(-1);'));
        expect(first.status, first.stderr).to.equal(0);
        const report = (calls: string, other: string): unknown[] => JSON.parse(node(counted(calls), other).stdout);
        const missing = (...reports: unknown[][]): [string, number[]][] => together(reports).missing.map(({ file, lines }) => [file.slice(-10), lines]);

        const alone = report('sign(-1);', '{}');
        expect(missing(alone)).to.equal([['src/one.ts', [2]], ['src/two.ts', [1]]]);
        const both = report('sign(1);', first.stdout);
        expect(missing(both)).to.equal([['src/two.ts', [1]]]);
        expect(together([both]).percent).to.be.between(50, 100);
        // A process that has not loaded a file has no say in it.
        const neither = report('', first.stdout);
        expect(missing(neither)).to.equal([['src/one.ts', [2, 3]], ['src/two.ts', [1]]]);
        expect(missing(neither, both, neither)).to.equal(missing(both));
        expect(missing(both, neither)).to.equal(missing(both));
    });
});
