import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get as getPlain } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { startNginx } from '../../../reliability/daemons/nginx';
import type { Nginx } from '../../../reliability/daemons/nginx';
import { selfSigned } from '../../support/certificate';
import { listen } from '../../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the sample configuration of nginx', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pagewright-nginx-'));
    const { cert, key } = selfSigned('pages.example');
    let nginx: Nginx;
    let instance: Server;

    before(async () => {
        const files = { certificate: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
        writeFileSync(files.certificate, cert);
        writeFileSync(files.key, key);
        instance = createServer(({ headers }, response) => response.end(JSON.stringify([headers.host, headers['x-forwarded-for']])));
        nginx = await startNginx([await listen(instance)], dir, 1, files);
    });

    after(async () => {
        await nginx.end();
        instance.close();
        rmSync(dir, { recursive: true, force: true });
    });

    it('has TLS with a certificate, and leads there', async () => {
        const response = await new Promise<IncomingMessage>((resolve, reject) => void get(`${nginx.url}/health`, { ca: cert, servername: 'pages.example', headers: { host: 'pages.example' } }, resolve).on('error', reject));
        expect([response.statusCode, JSON.parse(await text(response))]).to.equal([200, ['pages.example', '127.0.0.1']]);
        const plain = await new Promise<IncomingMessage>((resolve, reject) => void getPlain({ socketPath: join(dir, 'plain'), path: '/u/ada?x=1', headers: { host: 'pages.example' } }, resolve).on('error', reject));
        expect([plain.statusCode, plain.headers.location]).to.equal([301, 'https://pages.example/u/ada?x=1']);
    });
});
