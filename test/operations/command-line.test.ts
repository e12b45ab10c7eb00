import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Linter } from 'eslint';

import { commandLine } from '../../src/operations/command-line';
import { emptyDatabase } from '../support/database';
import { fakeHost, until } from '../support/host';
import { build } from '../support/program';

export const lab = Lab.script();
const { describe, it } = lab;
const root = resolve(__dirname, '../..');

describe('the program pagewright', () => {
    it('runs the service', async () => {
        const { url, drop } = await emptyDatabase();
        const host = fakeHost({ DATABASE_URL: url, PORT: '0' });
        await commandLine([], host);
        expect(host.err).to.contain('Pagewright is at');
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
        await drop();
    });

    it('runs the operators\' commands, and prints its version and help', async () => {
        const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
        const cases: [string[], number, string, string][] = [
            [['admin', 'users', '--help'], 0, 'usage: pagewright admin users\n', ''],
            [['admin', 'nothing'], 2, '', 'There is no command "nothing".'],
            [['--version'], 0, `${version}\n`, ''],
            [['--help'], 0, 'usage: pagewright [admin <command>]\n', ''],
            [['-h'], 0, 'usage: pagewright [admin <command>]\n', ''],
            [['stop'], 2, '', 'There is no command "stop".\n\nusage: pagewright']
        ];
        for (const [argv, code, out, err] of cases) {
            const host = fakeHost();
            await commandLine(argv, host);
            expect(host.exits, argv.join(' ')).to.equal([code]);
            expect(host.out).to.startWith(out);
            expect(host.err).to.startWith(err);
        }
    });

    it('loads the service only to run it', async () => {
        await build();
        const tell = `process.on('exit', () => console.log('loaded: ' + Object.keys(require.cache).some((file) => file.includes('/@hapi/hapi/'))));`;
        const loaded = (code: string): string => spawnSync(process.execPath, ['--eval', `${tell} ${code}`, 'pagewright', 'admin', 'users', '--help'], { cwd: root, encoding: 'utf8' }).stdout;
        expect(loaded(`require('./bin/pagewright.js')`)).to.startWith('usage: pagewright admin users\n').and.to.endWith('\nloaded: false\n');
        expect(loaded(`require('./dist/src/operations/process/serve')`)).to.equal('loaded: true\n');
    });

    it('exits at once with a readable message if Node.js is too old', () => {
        const pretend = (version: string): ReturnType<typeof spawnSync> => spawnSync(process.execPath, ['-e', `
            Object.defineProperty(process, 'versions', { value: { node: '${version}' } });
            require('${join(root, 'bin/check-node.js')}');
            console.log('goes on');`], { encoding: 'utf8' });
        for (const version of ['12.22.12', '18.20.8', '19.20.0', '20.18.3']) {
            const { status, stdout, stderr } = pretend(version);
            expect([status, stdout]).to.equal([1, '']);
            expect(stderr).to.equal(`Pagewright needs Node.js 20.19 or newer, and this is ${version}. See https://nodejs.org/ to install a newer one.\n`);
        }

        for (const version of ['20.19.0', '22.0.0', '24.1.0']) {
            expect(pretend(version)).to.include({ status: 0, stdout: 'goes on\n', stderr: '' });
        }
    });

    it('starts with files that any Node.js can parse', () => {
        for (const name of ['check-node.js', 'pagewright.js']) {
            const messages = new Linter().verify(readFileSync(join(root, 'bin', name), 'utf8'), { languageOptions: { ecmaVersion: 5, sourceType: 'commonjs' } });
            expect(messages, name).to.equal([]);
        }
    });

    it('ends when npm start is killed', async () => {
        await build();
        const { url, drop } = await emptyDatabase();
        // Without the build before it.
        const npm = spawn('npm', ['start', '--ignore-scripts'], { cwd: root, env: { ...process.env, ...fakeHost({ DATABASE_URL: url, PORT: '0' }).env }, stdio: ['ignore', 'pipe', 'ignore'] });
        let log = '';
        npm.stdout.on('data', (data) => {
            log += data;
        });
        // The service has this pipe, too, so it is closed when both have ended.
        const closed = new Promise((end) => void npm.once('close', end));
        await until(() => log.includes('"the schema is up to date'), 60_000);
        npm.kill('SIGTERM');
        await closed;
        expect(log).to.contain('"stopped"');
        await drop();
    });

    it('is what npm start runs, after the check', () => {
        const { scripts, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
        expect(bin).to.equal({ pagewright: 'bin/pagewright.js' });
        expect([scripts.start, scripts.admin]).to.equal(['exec node bin/pagewright.js', `${scripts.prestart} && node bin/pagewright.js admin`]);
        expect(String(scripts.prestart)).to.startWith('node --require ./bin/check-node.js ');
        expect(String(execFileSync('git', ['ls-files', '--stage', 'bin/pagewright.js'], { cwd: root, encoding: 'utf8' }))).to.startWith('100755');
    });
});
