import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../src/config/index';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

const shells = ['/edit/1', '/account', '/account/trash', '/sign-in', '/sign-up', '/moderation', '/admin', '/classes', '/class/1'];

lab.experiment('The site', () => {

    let server: TestServer;

    lab.before(async () => {
        await build();
        server = await startTestServer({ config: { site: readConfig({}).site, listMaxAge: 1000 } });
    });

    lab.after(() => server.stop());

    for (const path of ['/', '/welcome', '/transparency', ...shells]) {
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
        for (const path of ['/edit/0', '/edit/x', '/class/0', '/class/x', '/site/missing.js', '/site/..%2fbuilt.json']) {
            const { status, headers, text } = await server.call('GET', path, undefined, { headers: { 'if-none-match': '*' } });
            expect(status, path).to.equal(404);
            expect(headers['content-type']).to.equal('text/html; charset=utf-8');
            expect(headers['content-security-policy']).to.contain(`default-src 'none';`);
            expect(text).to.contain('Nothing here');
        }
    });

    lab.test('leads from no address of its own to another site', async () => {
        for (const path of ['//evil.example/', '///evil.example/x', '/%5Cevil.example', '//evil.example/?q=1']) {
            const { text } = await server.call('GET', path, undefined, { headers: { accept: 'text/html' } });
            expect(text, path).to.contain('<footer').and.to.not.match(/(?:href|action)="[/\\]{2}/);
        }
    });

    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

    lab.test('says to browsers that there is nothing at an address, and goes on saying it to programs in JSON', async () => {
        for (const method of ['GET', 'HEAD']) {
            for (const path of ['/nothing', '/nothing/here?lang=pt', '/docs/nothing', '/users/1/nothing']) {
                const { status, headers, text } = await server.call(method, path, undefined, { headers: { accept: browser } });
                expect(status, path).to.equal(404);
                expect(headers['content-type'], path).to.equal('text/html; charset=utf-8');
                expect(headers['content-security-policy']).to.contain(`default-src 'none';`);
                expect(String(headers.vary).split(',')).to.include(['accept', 'accept-language', 'origin']);
                expect(text).to.match(method === 'HEAD' ? /^$/ : path.endsWith('pt') ? /<html lang="pt".*Não há nada aqui/s : /<header.*Nothing here.*<footer/s);
            }
        }

        const programs: Record<string, string>[] = [{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'application/json, text/plain, */*' }, { accept: 'text/html;q=0.5, application/json' }, { accept: 'text/html;=' }, { accept: 'image/png' }];
        for (const headers of programs) {
            const { status, body } = await server.call('GET', '/nothing', undefined, { headers });
            expect(status).to.equal(404);
            expect(body, String(headers.accept)).to.include({ statusCode: 404, error: 'Not Found', message: 'There is nothing at GET /nothing.', code: 'not_found' });
        }

        for (const [method, path, status] of [['POST', '/nothing', 404], ['POST', '/', 405], ['GET', '/projects/99', 404], ['GET', '/projects/x', 400], ['GET', '/users/1', 401], ['GET', '/view-project/1', 405]] as const) {
            const answer = await server.call(method, path, undefined, { headers: { accept: browser } });
            expect(answer.status, path).to.equal(status);
            expect(answer.body.statusCode, path).to.equal(status);
        }
    });

    lab.test('says to browsers that a page failed, with the number of the request', async () => {
        await server.database.db.raw('alter table collections rename to lost');
        const { status, headers, text } = await server.call('GET', '/c/1', undefined, { headers: { accept: browser } });
        const { body } = await server.call('GET', '/c/1');
        await server.database.db.raw('alter table lost rename to collections');
        expect(status).to.equal(500);
        expect(headers['content-type']).to.equal('text/html; charset=utf-8');
        expect(text).to.contain(['This did not work', String(headers['x-request-id'])]).and.to.not.contain('lost');
        expect(body.code).to.equal('internal_error');
        expect(server.faults.splice(0).length).to.equal(2);
    });

    lab.test('explains how to make the first moderator, for as long as there is none', async () => {
        const fresh = await startTestServer({ config: { site: readConfig({}).site } });
        try {
            expect((await fresh.call('GET', '/')).text).to.contain('href="/welcome"');
            expect((await fresh.call('GET', '/welcome')).text).to.contain([
                '<code dir="ltr">npm run admin -- grant NAME moderator</code>', '<code dir="ltr">npx pagewright admin grant NAME moderator</code>', '<code dir="ltr">docker exec CONTAINER pagewright admin grant NAME moderator</code>',
                'href="/sign-up"', 'SITE_NAME, SITE_RULES'
            ]).and.to.not.contain(['admin -- invite', 'SIGN_UP=closed']);
            const mod = await fresh.open(undefined, { moderator: true });
            expect((await fresh.call('GET', '/')).text).to.not.contain('/welcome');
            expect((await fresh.call('GET', '/welcome')).text).to.contain('This place has a moderator').and.to.not.contain('grant');
            expect((await fresh.call('DELETE', `/users/${mod.id}`, undefined, { token: mod.token })).status).to.equal(200);
            expect((await fresh.call('GET', '/')).text).to.contain('/welcome');
        }
        finally {
            await fresh.stop();
        }

        for (const [signUp, text] of [['invite', 'npm run admin -- invite'], ['closed', 'without SIGN_UP=closed']] as const) {
            const other = await startTestServer({ config: { site: readConfig({}).site, signUp } });
            expect((await other.call('GET', '/welcome')).text).to.contain(text);
            await other.stop();
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
            expect(await languageOf('/', 'es_MX')).to.equal('es ltr');
            expect(await languageOf('/', 'ja,ar;q=0.5')).to.equal('ar rtl');
            // As browsers say it where a language is spoken in several regions.
            expect(await Promise.all(['es-MX', 'ru-RU', 'ar-EG', 'PT-br', 'fr-CA,fr;q=0.9,es-419;q=0.5', 'ja, *;q=0.1', 'es-MX;q=0,ru'].map((field) => languageOf('/', field)))).to.equal(['es ltr', 'ru ltr', 'ar rtl', 'pt ltr', 'es ltr', 'en ltr', 'ru ltr']);
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
            for (const path of [...shells, '/welcome', '/site/page.js']) {
                // The API has a route there, which joins classes.
                expect((await off.call('GET', path, undefined, { headers: { accept: browser } })).body.code, path).to.equal(path === '/classes' ? 'method_not_allowed' : 'not_found');
            }
        }
        finally {
            await off.stop();
        }
    });
});
