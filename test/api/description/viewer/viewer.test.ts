import { gunzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../../../src/config/index';
import { build } from '../../../support/program';
import { startTestServer } from '../../../support/server';
import type { TestServer } from '../../../support/server';

export const lab = script();

const files = [
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/errors', 'text/html; charset=utf-8'],
    ['/docs/docs.css', 'text/css; charset=utf-8'],
    ['/docs/docs.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
    ['/docs/favicon-32x32.png', 'image/png']
] as const;

lab.experiment('The documentation', () => {

    let server: TestServer;

    lab.before(async () => {
        await build();
        server = await startTestServer();
    });

    lab.after(() => server.stop());

    lab.test('is the target of the redirect from /', async () => {
        for (const accept of ['text/html', 'application/json', '*/*']) {
            const { status, headers, text } = await server.call('GET', '/', undefined, { headers: { accept } });
            expect({ status, location: headers.location, text }).to.equal({ status: 302, location: '/docs', text: '' });
        }
    });

    for (const [path, type] of files) {
        lab.test(`${path} is ${type}, and 304 if the client has it`, async () => {
            const { status, headers, text } = await server.call('GET', path);
            expect(status).to.equal(200);
            expect(text.length).to.be.above(300);
            expect(headers).to.include({ 'content-type': type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
            expect(headers['content-security-policy']).to.contain([`default-src 'none';`, `script-src 'self';`, `connect-src 'self';`, `frame-ancestors 'none'`]);

            const again = await server.call('GET', path, undefined, { headers: { 'if-none-match': String(headers.etag) } });
            expect(again).to.include({ status: 304, text: '' });
        });
    }

    lab.test('says how to sign in, also with another provider', async () => {
        expect((await server.call('GET', '/docs')).text).to.contain('POST /users');
        const { auth } = readConfig({ AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://id.example', AUTH_AUDIENCE: 'https://pages.example' });
        const other = await startTestServer({ config: { auth } });
        try {
            const { text } = await other.call('GET', '/docs');
            expect(text).to.contain('paste the token').and.not.contain('password');
        }
        finally {
            await other.stop();
        }
    });

    lab.test('is compressed for clients that accept it', async () => {
        const { rawPayload, headers } = await server.server.inject({ url: '/docs/swagger-ui-bundle.js', headers: { 'accept-encoding': 'gzip' } });
        const { rawPayload: plain } = await server.server.inject('/docs/swagger-ui-bundle.js');
        expect(headers['content-encoding']).to.equal('gzip');
        expect(rawPayload.length).to.be.below(plain.length / 2);
        expect(gunzipSync(rawPayload).equals(plain)).to.be.true();
    });

    lab.test('gives no access to other files', async () => {
        for (const path of ['/docs/package.json', '/docs/../package.json', '/docs/..%2fpackage.json', '/docs/%2e%2e/package.json', '/docs/index.js', '/docs/docs.js/x', '/docs//etc/passwd']) {
            expect((await server.call('GET', path)).status, path).to.equal(404);
        }
    });

    lab.test('loads everything from the service itself, and has no inline script', async () => {
        const { text } = await server.call('GET', '/docs');
        const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
        expect(loaded.sort()).to.equal([...files.map(([path]) => path).filter((path) => path !== '/docs' && path !== '/docs/errors'), '/openapi.json', '/openapi.json'].sort());
        expect(text).to.not.match(/<script>|<style|\son\w+=/);
    });
});
