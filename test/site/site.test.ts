import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../src/config';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

const shells = ['/edit/1', '/account', '/account/trash', '/sign-in', '/sign-up', '/moderation'];

lab.experiment('The site', () => {

    let server: TestServer;

    lab.before(async () => {
        await build();
        server = await startTestServer({ config: { site: readConfig({}).site, listMaxAge: 1000 } });
    });

    lab.after(() => server.stop());

    for (const path of ['/', ...shells]) {
        lab.test(`has a page at ${path} under a strict policy, which loads files of the service alone`, async () => {
            const { status, headers, text } = await server.call('GET', path);
            expect(status).to.equal(200);
            expect(headers).to.include({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', 'cross-origin-opener-policy': 'same-origin' });
            expect(headers.vary).to.contain('accept-language');
            expect(headers['content-security-policy']).to.contain([`default-src 'none';`, `script-src 'self';`, `base-uri 'none';`, `frame-ancestors 'none'`]);
            expect(text).to.startWith('<!doctype html><html lang="en" dir="ltr"').and.to.not.match(/<script>|<style|\son\w+=/);
            const loaded = [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map(([, url]) => String(url));
            expect(loaded.length).to.be.above(2);
            for (const url of loaded) {
                expect((await server.call('GET', url)).status, url).to.equal(200);
            }
        });
    }

    lab.test('has a page of its own for what is missing', async () => {
        for (const path of ['/edit/0', '/edit/x', '/site/missing.js', '/site/..%2fbuilt.json']) {
            const { status, headers, text } = await server.call('GET', path, undefined, { headers: { 'if-none-match': '*' } });
            expect(status, path).to.equal(404);
            expect(headers['content-type']).to.equal('text/html; charset=utf-8');
            expect(headers['content-security-policy']).to.contain(`default-src 'none';`);
            expect(text).to.contain('Nothing here');
        }
    });

    lab.test('is in the language that the address or the browser asks for', async () => {
        const languageOf = async (path: string, field?: string): Promise<string> => {
            const { text } = await server.call('GET', path, undefined, { headers: field === undefined ? {} : { 'accept-language': field } });
            return String(/<html lang="(\w+)" dir="(\w+)"/.exec(text)?.slice(1).join(' '));
        };

        for (const _turn of [1, 2]) {
            expect(await languageOf('/')).to.equal('en ltr');
            expect(await languageOf('/', 'pt-BR,pt;q=0.9,en;q=0.8')).to.equal('pt ltr');
            expect(await languageOf('/', 'ja,ar;q=0.5')).to.equal('ar rtl');
            expect(await languageOf('/', 'ja')).to.equal('en ltr');
            expect(await languageOf('/', 'en;x=1')).to.equal('en ltr');
            expect(await languageOf('/', 'pt,'.repeat(100))).to.equal('en ltr');
            expect(await languageOf('/?lang=ru', 'pt')).to.equal('ru ltr');
            expect(await languageOf('/?lang=xx', 'pt')).to.equal('pt ltr');
        }
    });

    lab.test('keeps the language that was chosen in its links, and offers the others', async () => {
        const { text } = await server.call('GET', '/account?lang=es&other=1');
        expect(text).to.contain(['href="/?lang=es"', 'href="/account?lang=pt"', 'name="lang" value="es"']);
        expect(text).to.not.contain('other');
        expect((await server.call('GET', '/account')).text).to.contain('href="/"').and.to.not.contain('name="lang"');
    });

    lab.test('sends nothing again to whoever has it, and lets browsers keep files for good', async () => {
        const { headers, text } = await server.call('GET', '/');
        expect(await server.call('GET', '/', undefined, { headers: { 'if-none-match': String(headers.etag) } })).to.include({ status: 304, text: '' });
        const [, file = ''] = /src="(\/site\/[^"]*)"/.exec(text) ?? [];
        expect((await server.call('GET', file)).headers).to.include({ 'cache-control': 'public, max-age=31536000, immutable', 'content-type': 'text/javascript; charset=utf-8' });
    });

    lab.test('is no part of the API', async () => {
        const { paths } = (await server.call('GET', '/openapi.json')).body;
        expect(Object.keys(paths)).to.not.include(['/', '/account', '/p/{project}']);
    });

    lab.test('can be turned off', async () => {
        const { site } = readConfig({ SITE: 'off' });
        const off = await startTestServer({ config: { site } });
        try {
            expect((await off.call('GET', '/')).headers.location).to.equal('/docs');
            for (const path of [...shells, '/site/page.js']) {
                expect((await off.call('GET', path)).body.code, path).to.equal('not_found');
            }
        }
        finally {
            await off.stop();
        }
    });
});
