import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../src/config/index';
import { build } from '../support/program';
import { startTestServer } from '../support/server';

export const lab = script();

lab.experiment('What the site needs to open without a network', () => {

    lab.before(() => build());

    const at = async <Result>(settings: Record<string, string>, look: (server: Awaited<ReturnType<typeof startTestServer>>) => Promise<Result>): Promise<Result> => {
        const server = await startTestServer({ config: { site: readConfig(settings).site } });
        try {
            return await look(server);
        }
        finally {
            await server.stop();
        }
    };

    lab.test('is a manifest in the language of the page, which names pictures that are there', async () => {
        await at({ SITE_NAME: 'School at the harbour', SITE_WELCOME: 'Our stories', SITE_COLOR: '0b6e4f' }, async (server) => {
            const { status, headers, text } = await server.call('GET', '/manifest.webmanifest?lang=ar');
            expect(status).to.equal(200);
            expect(headers['content-type']).to.equal('application/manifest+json; charset=utf-8');
            const { icons, ...manifest } = JSON.parse(text);
            expect(manifest).to.equal({
                id: '/', name: 'School at the harbour', short_name: 'School at the harbour', description: 'Our stories', lang: 'ar', dir: 'rtl', start_url: '/?lang=ar', scope: '/',
                display: 'standalone', background_color: '#fffaf3', theme_color: '#0b6e4f'
            });
            for (const { src, type } of icons) {
                const icon = await server.call('GET', src);
                expect(icon.status).to.equal(200);
                expect(icon.headers).to.include({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' });
            }

            const page = await server.call('GET', '/?lang=ar');
            expect(page.text).to.contain(['<link rel="manifest" href="/manifest.webmanifest?lang=ar"/>', `<link rel="apple-touch-icon" href="${icons[0].src}"/>`]);
            expect(page.headers['content-security-policy']).to.contain([`worker-src 'self'`, `manifest-src 'self'`]);
            expect((await server.call('GET', '/manifest.webmanifest')).text).to.contain('"start_url":"/"');
            expect((await server.call('GET', '/manifest.webmanifest', undefined, { headers: { 'if-none-match': String((await server.call('GET', '/manifest.webmanifest')).headers.etag) } })).status).to.equal(304);
        });
    });

    lab.test('is a service worker that browsers ask for each time, and that differs when the site does', async () => {
        const read = (settings: Record<string, string>): Promise<string> => at(settings, async (server) => {
            const { status, headers, text } = await server.call('GET', '/service-worker.js');
            expect(status).to.equal(200);
            expect(headers).to.include({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache', 'content-security-policy': `default-src 'none'; connect-src 'self'` });
            const { files, languages } = JSON.parse(String(/^const builtSite=(.*);\n/.exec(text)?.[1]));
            expect(languages).to.equal(['en', 'es', 'pt', 'ru', 'ar']);
            for (const path of [...files, ...['/offline', '/edit/1'].flatMap((each) => [each, `${each}?lang=pt`])]) {
                expect((await server.call('GET', path)).status, path).to.equal(200);
            }

            return text;
        });
        const [one, same, named, coloured] = [await read({}), await read({}), await read({ SITE_NAME: 'Another' }), await read({ SITE_COLOR: '0b6e4f' })];
        expect(same).to.equal(one);
        expect(new Set([one, named, coloured]).size).to.equal(3);
    });

    lab.test('is a page for what was never opened, which crawlers leave out', async () => {
        await at({}, async (server) => {
            const { status, text } = await server.call('GET', '/offline?lang=es');
            expect(status).to.equal(200);
            expect(text).to.contain(['Sin conexión', '<meta name="robots" content="noindex"/>', 'data-nothing-kept']);
        });
    });

    lab.test('is not there without a site', async () => {
        await at({ SITE: 'off' }, async (server) => {
            for (const path of ['/manifest.webmanifest', '/service-worker.js', '/offline']) {
                expect((await server.call('GET', path)).status, path).to.equal(404);
            }
        });
    });
});
