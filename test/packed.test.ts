import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { fakeHost, until } from './support/host';
import { PASSWORD } from './support/passwords';
import { build, root } from './support/program';
import { loadProgram } from './support/programs';
import { startReceiver, verified } from './support/receiver';

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

    /** Starts it in that folder, which is empty at first. */
    const start = async (more: Record<string, string> = {}): Promise<{ url: string; stop(): Promise<unknown> }> => {
        const child = spawn(process.execPath, [program], { cwd: folder, env: { ...env, ...more }, stdio: ['ignore', 'ignore', 'pipe'] });
        const ended = new Promise((end) => void child.once('close', end));
        let err = '';
        child.stderr.on('data', (data) => {
            err += data;
        });
        await until(() => err.includes('Ctrl-C') || child.exitCode !== null);
        return {
            url: /Pagewright is at (http:\S+)/.exec(err)?.[1] ?? err,
            stop: () => {
                child.kill('SIGTERM');
                return ended;
            }
        };
    };

    it('runs in an empty folder: it migrates, creates the demo community, and serves from ./.data', async () => {
        const { url, stop } = await start();
        for (const path of ['/ready', '/openapi.json', '/docs', '/docs/docs.js', '/docs/docs.css', '/docs/swagger-ui-bundle.js']) {
            expect((await fetch(`${url}${path}`)).status, path).to.equal(200);
        }

        expect(JSON.parse(await (await fetch(`${url}/discover`)).text()).projects).to.not.be.empty();
        expect(execFileSync(process.execPath, [program, 'admin', 'users'], { cwd: folder, env, encoding: 'utf8' })).to.contain('\tjuniper\t');
        expect(await stop()).to.equal(0);
        expect(readdirSync(join(folder, '.data'))).to.include(['cluster', 'url']);
    });

    it('serves clients of others, as npm has them: a device, an assistant, a feed reader, a receiver of webhooks, and its own', async () => {
        const { url, stop } = await start({ WEBHOOKS_TO: '127.0.0.0/8' });
        const receiver = await startReceiver();
        const call = async (method: string, path: string, token?: string, body?: object): Promise<Record<string, never>> => {
            const answer = await fetch(`${url}${path}`, { method, headers: { 'content-type': 'application/json', ...token !== undefined && { authorization: `token ${token}` } }, body: body && JSON.stringify(body) });
            expect(answer.ok, `${method} ${path}: ${answer.status}`).to.be.true();
            return Object(await answer.json());
        };

        const { user, token: { access_token: token } }: { user: { id: string }; token: { access_token: string } } = Object(await call('POST', '/users', undefined, { username: 'standard', password: PASSWORD }));
        const { app } = await call('POST', '/users/me/apps', token, { name: 'A terminal', url: 'https://terminal.example', redirect_uris: ['http://127.0.0.1/done'] });

        const oauth = await import('openid-client');
        const config = await oauth.discovery(new URL(url), String(Object(app).id), undefined, oauth.None(), { execute: [oauth.allowInsecureRequests] });
        const device = await oauth.initiateDeviceAuthorization(config, { scope: 'openid user projects read offline_access' });
        const waiting = oauth.pollDeviceAuthorizationGrant(config, device);
        await call('POST', '/oauth/device/decision', token, { user_code: device.user_code, allow: true });
        const granted = await waiting;
        expect((await oauth.fetchUserInfo(config, granted.access_token, user.id)).preferred_username).to.equal('standard');

        const { secret } = await call('POST', '/users/me/webhooks', token, { url: receiver.url, events: ['project.created'] });

        const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
        const assistant = new Client({ name: 'A test', version: '1' });
        await assistant.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${granted.access_token}` } } }));
        const { tools } = await assistant.listTools();
        expect(tools.length).to.be.above(5);
        await assistant.close();

        // Its own client, from the file that every service has.
        const file = join(folder, 'client.tgz');
        writeFileSync(file, Buffer.from(await (await fetch(`${url}/client/pagewright-client.tgz`)).arrayBuffer()));
        const own = join(folder, 'own/node_modules/pagewright-client');
        mkdirSync(own, { recursive: true });
        execFileSync('tar', ['-xzf', file, '-C', own, '--strip-components=1']);
        const script = `import { createClient } from 'pagewright-client';
            const client = createClient(${JSON.stringify(url)});
            await client.signInWithToken(${JSON.stringify(granted.access_token)});
            const { project } = await client.projects.create({ title: 'By its own client' });
            console.log(project.title);`;
        writeFileSync(join(folder, 'own/main.mjs'), script);
        expect(execFileSync(process.execPath, [join(folder, 'own/main.mjs')], { encoding: 'utf8' })).to.equal('By its own client\n');

        await until(() => receiver.received.length > 0);
        const [received] = receiver.received;
        expect(received && verified(received, String(secret))).to.include({ type: 'project.created' });
        receiver.stop();

        const { parseAtomFeed } = loadProgram<{ parseAtomFeed(text: string): { entries?: unknown[] } }>('feedsmith');
        const feed = parseAtomFeed(await (await fetch(`${url}/discover/feed.atom`)).text());
        expect(feed.entries).to.not.be.empty();
        expect(await stop()).to.equal(0);
    });
});
