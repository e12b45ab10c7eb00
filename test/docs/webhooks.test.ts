import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { signedHeaders } from '../../src/accounts/webhooks/signature';
import { listen, until } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import { root } from '../support/program';
import type { Actor } from '../support/server';

export const lab = script();

const run = promisify(execFile);
const guide = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
const snippets = (language: string): string[] => [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, of]) => of === language).map(([, , text = '']) => text);
const [make = '', test = '', later = ''] = snippets('sh');
const [receiver = ''] = snippets('js');

lab.experiment('docs/webhooks.md', () => {
    let product: Product;
    let ana: Actor;

    const bash = async (commands: string, env: Record<string, string> = {}): Promise<string> => {
        const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands.replace('http://127.0.0.1:3000', product.url)], { env: { ...process.env, API: product.url, TOKEN: ana.token, ...env } });
        return stdout.trim();
    };

    lab.before(async () => {
        product = await startProduct();
        ana = await product.open();
    });

    lab.after(() => product?.stop());

    lab.test('its commands make a webhook, test it, list what it was sent, send that again, and switch it on', async () => {
        const { webhook, secret } = JSON.parse(await bash(make));
        expect([webhook.events.length, secret.slice(0, 6)]).to.equal([3, 'whsec_']);
        const { delivery } = JSON.parse(await bash(test, { WEBHOOK: webhook.id }));
        expect(delivery.event).to.equal('webhook.test');
        const answers = (await bash(later.replaceAll(/curl /g, `echo; curl `), { WEBHOOK: webhook.id, DELIVERY: delivery.id })).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
        expect(answers.map(({ status }) => status)).to.equal(['success', 'updated', 'updated']);
    });

    lab.test('its receiver takes what is signed, and nothing else', async () => {
        const probe = createServer();
        const port = await listen(probe);
        probe.close();
        const secret = Buffer.alloc(32, 7);
        const child = spawn(process.execPath, ['--input-type=module', '--eval', receiver], { cwd: root, env: { ...process.env, SECRET: `whsec_${secret.toString('base64')}`, PORT: String(port) } });
        let printed = '';
        child.stdout.on('data', (chunk) => {
            printed += String(chunk);
        });
        const body = JSON.stringify({ type: 'project.changed', data: { project: { title: 'My garden' } } });
        const send = (headers: Record<string, string>): Promise<number> => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers }).then(({ status }) => status, () => 0);
        const headers = signedHeaders('msg_1', Date.now(), body, [secret]);
        try {
            await until(async () => await send(headers) === 204);
            expect(printed).to.include('msg_1 project.changed My garden');
            expect(await send({ ...headers, 'webhook-id': 'msg_2' })).to.equal(400);
        }
        finally {
            child.kill();
            await once(child, 'exit');
        }
    });
});
