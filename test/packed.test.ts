import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { fakeHost, until } from './support/host';
import { build, root } from './support/program';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the package, as npm packs it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    const installed = join(folder, 'node_modules/pagewright');
    const program = join(installed, 'bin/pagewright.js');
    const env = { ...process.env, ...fakeHost({ PORT: '0', DATA_DIR: '' }).env };

    // What `npm install` of the packed file leaves in an empty folder, without asking a registry: only what package.json
    // names as a dependency is there.
    before(async () => {
        await build();
        const tarball = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: root, encoding: 'utf8' }).trim();
        mkdirSync(installed, { recursive: true });
        execFileSync('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
        const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
        for (const name of Object.keys(dependencies)) {
            mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
            symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
        }
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    it('contains the program, and nothing that only developers need', () => {
        expect(readdirSync(installed).sort()).to.equal(['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'package.json']);
        expect(readdirSync(join(installed, 'dist')).sort()).to.equal(['client', 'migrations', 'seeds', 'site', 'src']);
    });

    it('runs in an empty folder: it migrates, creates the demo community, and serves from ./.data', async () => {
        const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
        const ended = new Promise((end) => void child.once('close', end));
        let err = '';
        child.stderr.on('data', (data) => {
            err += data;
        });
        await until(() => err.includes('Ctrl-C') || child.exitCode !== null, 90_000);
        const url = /Pagewright is at (http:\S+)/.exec(err)?.[1] ?? err;
        for (const path of ['/ready', '/openapi.json', '/docs', '/docs/docs.js', '/docs/docs.css', '/docs/swagger-ui-bundle.js']) {
            expect((await fetch(`${url}${path}`)).status, path).to.equal(200);
        }

        expect(JSON.parse(await (await fetch(`${url}/discover`)).text()).projects).to.not.be.empty();
        expect(execFileSync(process.execPath, [program, 'admin', 'users'], { cwd: folder, env, encoding: 'utf8' })).to.contain('\tjuniper\t');
        child.kill('SIGTERM');
        expect(await ended).to.equal(0);
        expect(readdirSync(join(folder, '.data'))).to.include(['cluster', 'url']);
    });
});
