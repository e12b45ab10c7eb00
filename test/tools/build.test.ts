import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { root } from '../support/program';

export const lab = script();

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

lab.experiment('the build', { timeout: 400_000 }, () => {

    let checkout: string;

    lab.before(() => {
        checkout = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        for (const path of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'migrations', 'seeds', 'examples', 'tools', 'reliability', 'bench', 'test/support', 'client/src/render']) {
            cpSync(join(root, path), join(checkout, path), { recursive: true });
        }

        symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    });

    lab.after(() => rmSync(checkout, { recursive: true, force: true }));

    const npm = (name: string): Promise<unknown> => promisify(execFile)('npm', ['run', '--silent', name], { cwd: checkout });

    lab.test('describes the API without the client, which is made from the description', async () => {
        await npm('openapi');
        expect(read(checkout, 'openapi.json')).to.equal(read(root, 'openapi.json'));
    });

    lab.test('has what the source has, also if that is what it was before', async () => {
        const built = join(checkout, 'dist/src/limits.js');
        const source = read(checkout, 'src/limits.ts');
        const states: string[] = [];
        for (const [state, command] of [[source, 'compile'], [`${source}export const other = 1;\n`, 'openapi'], [source, 'compile']] as const) {
            writeFileSync(join(checkout, 'src/limits.ts'), state);
            await npm(command);
            states.push(read(built));
        }

        const [first = '', second, third] = states;
        expect(second).to.contain('other');
        expect(third).to.equal(first);
    });

    lab.test('is written by one command, which knows all that it has written', () => {
        const scripts: Record<string, string> = JSON.parse(read(root, 'package.json')).scripts;
        const compiling = Object.keys(scripts).filter((name) => /\/tsc -p (?!web\b)/.test(scripts[name] ?? ''));
        expect(compiling).to.equal(['compile']);
    });
});
