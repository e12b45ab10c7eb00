import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Browser } from '../support/apps';
import { launchChromium } from '../support/chromium';
import { listen } from '../support/host';
import { PASSWORD } from '../support/passwords';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import { root } from '../support/program';
import type { Actor } from '../support/server';

export const lab = script();

const run = promisify(execFile);
const guide = readFileSync(join(root, 'docs/apps.md'), 'utf8');
const snippets = (language: string): string[] => [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, of]) => of === language).map(([, , text = '']) => text);
const [register = '', begin = '', exchange = '', renew = '', device = ''] = snippets('sh');
const [inPage = '', onTelephone = '', inTerminal = ''] = snippets('js');

/** Its commands, with a person at the pages of the service. */
lab.experiment('docs/apps.md', () => {
    let test: Product;
    let ana: Actor;
    let clientId: string;

    const bash = async (commands: string, env: Record<string, string> = {}): Promise<string> => {
        const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands], { env: { ...process.env, API: test.url, ...env } });
        return stdout.trim();
    };

    const signedInAs = async (token: string): Promise<number> => (await test.call('GET', '/users/me/projects', undefined, { token })).status;

    lab.before(async () => {
        test = await startProduct();
        ana = await test.open();
        const { app } = JSON.parse(await bash(register.replace('http://127.0.0.1:3000', test.url), { TOKEN: ana.token }));
        clientId = app.id;
    });

    lab.after(() => test?.stop());

    lab.test('its commands for doing it by hand let an app in, renew its token, and end it', async () => {
        const start = await bash(`${begin}\necho "$VERIFIER"`, { CLIENT_ID: clientId });
        const [address = '', verifier = ''] = start.split('\n');
        const back = await new Browser(ana.token).letIn(address);
        expect(back.searchParams.get('state')).to.equal(new URL(address).searchParams.get('state'));
        expect(back.searchParams.get('iss')).to.equal(test.url);
        const given = JSON.parse(await bash(exchange, { CLIENT_ID: clientId, CODE: String(back.searchParams.get('code')), VERIFIER: verifier }));
        expect(await signedInAs(given.access_token)).to.equal(200);
        const renewed = JSON.parse(await bash(renew, { CLIENT_ID: clientId, REFRESH_TOKEN: given.refresh_token }));
        expect(renewed.access_token).to.be.a.string();
        expect(await signedInAs(renewed.access_token)).to.equal(401);
    });

    lab.test('its page for operators names each table of signing in', () => {
        const stored = guide.slice(guide.indexOf('## For operators'));
        const made = ['apps', 'authorization', 'identities', 'passkeys'].flatMap((name) => [...readFileSync(join(root, `src/accounts/${name}/schema.sql`), 'utf8').matchAll(/create table (\w+)/g)].map(([, table]) => table ?? ''));
        expect(made).to.include(['apps', 'authorization_states', 'passkey_challenges', 'sign_ins']);
        expect([...made, 'users', 'tokens', 'sign_up_codes', 'rate_limits'].filter((table) => !stored.includes(`| \`${table}\` |`))).to.equal([]);
    });

    lab.test('its commands for a device wait for somebody', async () => {
        const [ask = '', poll = ''] = device.trim().split('\n');
        const asked = JSON.parse(await bash(ask, { CLIENT_ID: clientId }));
        expect(JSON.parse(await bash(poll, { CLIENT_ID: clientId, DEVICE_CODE: asked.device_code })).error).to.equal('authorization_pending');
        expect((await test.call('POST', '/oauth/device/decision', { user_code: asked.user_code, allow: true }, { token: ana.token })).status).to.equal(200);
        // Nobody has to wait once it is decided.
        expect(JSON.parse(await bash(poll, { CLIENT_ID: clientId, DEVICE_CODE: asked.device_code })).access_token).to.be.a.string();
    });

    lab.test('its page signs somebody in, in Chromium', async () => {
        const code = inPage.replace('pagewright-client/auth', `${test.url}/client/auth.js`).replace('\'http://localhost/\'', 'location.origin + "/"');
        const html = `<!doctype html><title>An editor</title><button id="sign-in">Sign in</button><script type="module">const service = '${test.url}', clientId = '${clientId}';\n${code}\ndocument.title = String(await auth.token());</script>`;
        const files = createServer((_request, response) => void response.setHeader('content-type', 'text/html').end(html));
        const browser = await launchChromium();
        try {
            const page = await browser.newPage();
            await page.goto(`http://localhost:${await listen(files)}/`);
            await page.waitForFunction(() => document.title === 'null');
            await page.click('#sign-in');
            await page.fill('[name=username]', ana.username);
            await page.fill('[name=password]', PASSWORD);
            await page.keyboard.press('Enter');
            await page.click('.consent button[type=submit]');
            await page.waitForFunction(() => document.title.length === 43);
            expect(page.url()).to.match(/^http:\/\/localhost:\d+\/$/);
            expect(await signedInAs(await page.title())).to.equal(200);
        }
        finally {
            await browser.close();
            files.close();
        }
    });

    const node = (text: string): string[] => ['--input-type=module', '--eval', `const service = '${test.url}', clientId = '${clientId}';\n${text.replace('pagewright-client/auth', join(root, 'client/dist/auth.js'))}`];

    lab.test('its program on a telephone takes the address with which the system opens it', async () => {
        const system = `const kept = new Map(), secrets = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
            let opened; const onOpened = (then) => process.stdin.once('data', (address) => then(String(address).trim()).then(() => process.stdin.destroy()));
            const openBrowser = console.log, show = console.log;\n`;
        const program = spawn(process.execPath, node(onTelephone.replace(';\n', `;\n${system}`)), { stdio: ['pipe', 'pipe', 'inherit'] });
        const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
        const back = await new Browser(ana.token).letIn(String((await lines.next()).value));
        expect(back.href).to.startWith('org.example.editor:/done?code=');
        program.stdin.write(`${back.href}\n`);
        expect(await signedInAs(String((await lines.next()).value))).to.equal(200);
        program.kill();
    });

    lab.test('its program in a terminal shows a code, and goes on when somebody has typed it', async () => {
        const program = spawn(process.execPath, node(inTerminal), { stdio: ['ignore', 'pipe', 'inherit'] });
        const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
        const [, address, code] = /^Open (\S+) and type (\S+)$/.exec(String((await lines.next()).value)) ?? [];
        expect(address).to.equal(`${test.url}/device`);
        expect((await test.call('POST', '/oauth/device/decision', { user_code: code, allow: true }, { token: ana.token })).status).to.equal(200);
        expect((await lines.next()).value).to.equal(ana.username);
    });
});
