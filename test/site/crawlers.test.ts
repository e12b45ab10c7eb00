import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import { SaxesParser } from 'saxes';

import { readConfig } from '../../src/config/index';
import { run } from '../../src/operations/main';
import { writeIndex, writeSitemap } from '../../src/site/sitemaps';
import { fakeHost } from '../support/host';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { Actor, TestServer } from '../support/server';

export const lab = script();

/** The addresses in a sitemap, or in the index. It throws on what is not well-formed. */
function addressesIn(xml: string): string[] {
    const found: string[] = [];
    let isAddress = false;
    const parser = new SaxesParser();
    parser.on('error', (error) => {
        throw error;
    });
    parser.on('opentag', ({ name }) => {
        isAddress = name === 'loc';
    });
    parser.on('text', (text) => {
        if (isAddress && text.trim() !== '') {
            found.push(text);
        }
    });
    parser.write(xml).close();
    return found;
}

lab.experiment('What crawlers read', () => {

    const PUBLIC_URL = 'https://pages.example';
    let server: TestServer;
    let ana: Actor;
    let guard: Actor;

    const at = async (settings: Record<string, string>, look: (other: TestServer) => Promise<void>): Promise<void> => {
        const other = await startTestServer({ config: { site: readConfig(settings).site, publicUrl: PUBLIC_URL }, now: () => Date.parse('2026-03-01T18:30:00Z') });
        try {
            await look(other);
        }
        finally {
            await other.stop();
        }
    };

    const read = async (path: string): Promise<string> => {
        const { status, headers, text } = await server.call('GET', path);
        expect(status, path).to.equal(200);
        expect(headers['content-type'], path).to.equal('application/xml; charset=utf-8');
        return text;
    };

    const make = async (fields: object = {}): Promise<string> => (await server.call('POST', `/users/${ana.id}/projects`, { title: 'Oak', ...fields }, { token: ana.token })).body.project.id;

    lab.before(async () => {
        await build();
        server = await startTestServer({ config: { site: readConfig({}).site, publicUrl: PUBLIC_URL } });
        ana = await server.open('Ana');
        guard = await server.open('Guard', { moderator: true });
    });

    lab.after(() => server.stop());

    lab.test('is a /robots.txt that leaves out what is not for them, and names the sitemap', async () => {
        const { status, headers, text } = await server.call('GET', '/robots.txt');
        expect(status).to.equal(200);
        expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
        const lines = text.split('\n');
        expect(lines[0]).to.equal('User-agent: *');
        expect(lines).to.include(['Disallow: /edit/', 'Disallow: /account', 'Disallow: /moderation', 'Disallow: /admin', 'Disallow: /find', `Sitemap: ${PUBLIC_URL}/sitemap.xml`]);
        expect(lines).to.not.include(['Disallow: /', 'Disallow: /p/', 'Disallow: ']);
        expect(await server.call('GET', '/robots.txt', undefined, { headers: { 'if-none-match': String(headers.etag) } })).to.include({ status: 304, text: '' });
    });

    lab.test('is a sitemap of what is public, at once', async () => {
        expect(addressesIn(await read('/sitemap.xml'))).to.equal([`${PUBLIC_URL}/sitemaps/pages.xml`]);
        expect(addressesIn(await read('/sitemaps/pages.xml'))).to.equal(['/', '/browse/featured', '/browse/trending', '/browse/new'].map((path) => PUBLIC_URL + path));
        expect((await server.call('GET', '/sitemaps/1.xml')).status).to.equal(404);

        const shown = await make();
        const changed = await Promise.all([
            make({ visibility: 'unlisted' }), make({ visibility: 'private' }),
            make().then(async (id) => (await server.call('DELETE', `/users/${ana.id}/projects/${id}`, undefined, { token: ana.token })).status),
            make().then(async (id) => (await server.call('PUT', `/moderation/projects/${id}/hold`, { reason: 'Spam' }, { token: guard.token })).status)
        ]);
        expect(changed.slice(2)).to.equal([200, 200]);
        expect(addressesIn(await read('/sitemap.xml'))).to.equal([`${PUBLIC_URL}/sitemaps/pages.xml`, `${PUBLIC_URL}/sitemaps/1.xml`]);
        const text = await read('/sitemaps/1.xml');
        expect(addressesIn(text)).to.equal([`${PUBLIC_URL}/p/${shown}`]);
        expect(text).to.match(/<lastmod>\d{4}-\d\d-\d\dT[\d:.]+Z<\/lastmod>/);

        const { headers } = await server.call('GET', '/sitemaps/1.xml');
        expect((await server.call('GET', '/sitemaps/1.xml', undefined, { headers: { 'if-none-match': String(headers.etag) } })).status).to.equal(304);
        await server.call('PATCH', `/users/${ana.id}/projects/${shown}`, { visibility: 'private' }, { token: ana.token });
        expect((await server.call('GET', '/sitemaps/1.xml')).status).to.equal(404);
        expect(addressesIn(await read('/sitemap.xml'))).to.equal([`${PUBLIC_URL}/sitemaps/pages.xml`]);
    });

    lab.test('is in several files, each of a bounded number of projects', async () => {
        const ids = ['5000', '5001', '600000001'];
        for (const id of ids) {
            await server.database.db.raw(`insert into projects (id, user_id, title, version) values (?, ?, 'Far', '1')`, [id, ana.id]);
        }

        await server.database.db.raw(`insert into projects (id, user_id, title, version) select n, ?, 'One of many', '1' from generate_series(10001, 15000) n`, [ana.id]);
        const files = addressesIn(await read('/sitemap.xml'));
        expect(files.slice(1)).to.equal(['1', '2', '3', '120001'].map((number) => `${PUBLIC_URL}/sitemaps/${number}.xml`));
        const lists = await Promise.all(files.slice(1).map(async (file) => addressesIn(await read(file.slice(PUBLIC_URL.length)))));
        expect(lists.map((list) => list.length)).to.equal([1, 1, 5000, 1]);
        expect([lists[0], lists[1], lists[3]].flat()).to.equal(ids.map((id) => `${PUBLIC_URL}/p/${id}`));
        expect(lists[2]?.at(-1)).to.equal(`${PUBLIC_URL}/p/15000`);
        for (const number of ['0', '01', 'x', '-1', '1e0', '9999999999999', '999999999999']) {
            expect((await server.call('GET', `/sitemaps/${number}.xml`)).status, number).to.equal(404);
        }

        // The protocol allows no more files in an index.
        expect(addressesIn(writeIndex(PUBLIC_URL, Array.from({ length: 60_000 }, (_, index) => String(index + 1)))).length).to.equal(50_000);
        expect(addressesIn(writeSitemap('https://pages.example/a&b<', [{ path: '/p/1' }])).join('')).to.equal('https://pages.example/a&b</p/1');
    });

    lab.test('is a /.well-known/security.txt if the operators have said where to report a weakness', async () => {
        expect((await server.call('GET', '/.well-known/security.txt')).status).to.equal(404);
        await at({ SITE_SECURITY_CONTACT: 'mailto:security@pages.example' }, async (other) => {
            const { headers, text } = await other.call('GET', '/.well-known/security.txt');
            expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
            expect(text).to.equal('Contact: mailto:security@pages.example\nExpires: 2026-08-28T00:00:00.000Z\nCanonical: https://pages.example/.well-known/security.txt\n');
        });
    });

    lab.test('is not there without a site', async () => {
        await at({ SITE: 'off', SITE_SECURITY_CONTACT: 'mailto:security@pages.example' }, async (other) => {
            for (const path of ['/robots.txt', '/sitemap.xml', '/sitemaps/1.xml', '/.well-known/security.txt', '/imprint', '/discover/feed.atom']) {
                expect((await other.call('GET', path)).status, path).to.equal(path === '/discover/feed.atom' ? 200 : 404);
            }
        });
    });

    lab.experiment('Imprint and privacy', () => {

        const folder = mkdtempSync(join(tmpdir(), 'pagewright-texts-'));

        lab.after(() => rmSync(folder, { recursive: true }));

        const fileOf = (name: string, content: string | Buffer): string => {
            const path = join(folder, name);
            writeFileSync(path, content);
            return path;
        };

        lab.test('are pages made of files of the operators, to which all pages link', async () => {
            const SITE_IMPRINT = fileOf('imprint.md', 'School at the **harbour**\n\n## Whom to ask\n\n- [office](mailto:office@school.example)\n- [no](javascript:alert(1))\n\n<script>alert(1)</script>\n');
            await at({ SITE_IMPRINT, SITE_PRIVACY: fileOf('privacy.md', 'Нет данных') }, async (other) => {
                const { status, text, headers } = await other.call('GET', '/imprint?lang=pt');
                expect(status).to.equal(200);
                expect(headers['content-security-policy']).to.contain(`script-src 'self'`);
                expect(text).to.contain(['<h1>Aviso legal</h1>', '<strong>harbour</strong>', '<h2>Whom to ask</h2>', '<a href="mailto:office@school.example">office</a>', '&lt;script&gt;']).and.to.not.contain(['<script>', 'href="javascript:']);
                expect((await other.call('GET', '/privacy')).text).to.contain('Нет данных');
                expect((await other.call('GET', '/account')).text).to.contain(['href="/imprint"', 'href="/privacy"']);
                expect((await other.call('GET', '/sitemaps/pages.xml')).text).to.contain('/imprint</loc>');
            });
            expect((await server.call('GET', '/imprint')).status).to.equal(404);
            expect((await server.call('GET', '/')).text).to.not.contain('/imprint');
        });

        lab.test('stop the start if they cannot be read, together with all other errors', async () => {
            for (const [SITE_PRIVACY, why] of [[join(folder, 'missing.md'), 'ENOENT'], [fileOf('large.md', 'x'.repeat(262_145)), 'it has 262145 bytes, and may have 262144'], [fileOf('latin.md', Buffer.from([0xe9])), 'not valid']] as const) {
                const host = fakeHost({ SITE_PRIVACY, SITE_IMPRINT: join(folder, 'nothing.md'), SITE_LOGO: join(folder, 'none.png'), PORT: 'x' });
                await run(host);
                expect(host.exits).to.equal([78]);
                expect(host.err.trim().split('\n').map((line) => line.split(' ').slice(0, 4).join(' '))).to.equal(['The configuration has 4', '  - PORT', '  - SITE_LOGO', '  - SITE_IMPRINT', '  - SITE_PRIVACY']);
                expect(host.err).to.contain([`SITE_PRIVACY cannot be used. ${SITE_PRIVACY}: `, why]);
            }

            const good = fakeHost({ SITE_PRIVACY: fileOf('good.md', 'Nothing is kept.'), SITE_LOGO: fileOf('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'), PORT: 'x' });
            await run(good);
            expect(good.err).to.startWith('The configuration has 1 error(s):\n  - PORT');

            const without = fakeHost({ SITE_IMPRINT: join(folder, 'nothing.md'), SITE: 'off', PORT: 'x' });
            await run(without);
            expect(without.err).to.startWith('The configuration has 1 error(s)');
        });
    });
});
