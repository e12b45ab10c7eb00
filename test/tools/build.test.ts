import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { root } from '../support/program';

export const lab = script();

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

lab.experiment('the build', () => {

    let checkout: string;

    lab.before(() => {
        checkout = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        for (const path of ['package.json', 'package-lock.json', 'src', 'migrations', 'seeds', 'examples', 'tools', 'reliability', 'bench', 'test/support', 'client/src/render']) {
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

    lab.test('does again only what has changed', async () => {
        await npm('openapi');
        const { stderr } = await promisify(execFile)(process.execPath, ['tools/build.js', 'describe'], { cwd: checkout });
        expect(stderr).to.equal('');
        rmSync(join(checkout, 'dist/src/operations/server.js'));
        const again = await promisify(execFile)(process.execPath, ['tools/build.js', 'describe'], { cwd: checkout });
        expect(again.stderr).to.equal('Building the service …\n');
    });

    lab.test('leaves nothing of a file that was removed', async () => {
        writeFileSync(join(checkout, 'src/removed.ts'), 'export const removed = 1;\n');
        await npm('compile');
        expect(existsSync(join(checkout, 'dist/src/removed.js'))).to.be.true();
        rmSync(join(checkout, 'src/removed.ts'));
        await npm('compile');
        expect(existsSync(join(checkout, 'dist/src/removed.js'))).to.be.false();
    });
});
