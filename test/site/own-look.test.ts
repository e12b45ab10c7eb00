import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import { readConfig } from '../../src/config/index';
import { run } from '../../src/operations/main';
import { contrastOf, grounds, readableOn } from '../../src/site/colors';
import { build } from '../support/program';
import { fakeHost } from '../support/host';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

const drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><circle cx="20" cy="15" r="10"/></svg>';

lab.experiment('A place with a look of its own', () => {

    const folder = mkdtempSync(join(tmpdir(), 'pagewright-look-'));

    lab.before(() => build());

    lab.after(() => rmSync(folder, { recursive: true }));

    const fileOf = (name: string, content: string | Buffer): string => {
        const path = join(folder, name);
        writeFileSync(path, content);
        return path;
    };

    const at = async (settings: Record<string, string>, look: (server: TestServer) => Promise<void>): Promise<void> => {
        const server = await startTestServer({ config: { site: readConfig(settings).site } });
        try {
            await look(server);
        }
        finally {
            await server.stop();
        }
    };

    lab.test('shows its picture on every page, with a hash in its address, and runs nothing that is in it', async () => {
        const green = { create: { width: 20, height: 10, channels: 3, background: 'green' } } as const;
        const [png, jpeg] = [await sharp(green).png().toBuffer(), await sharp(green).jpeg().toBuffer()];
        for (const [name, content, type, size] of [['a.svg', drawing, 'image/svg+xml', 'width="40" height="30"'], ['b.PNG', png, 'image/png', 'width="20" height="10"'], ['c.jpeg', jpeg, 'image/jpeg', 'width="20" height="10"']] as const) {
            await at({ SITE_LOGO: fileOf(name, content) }, async (server) => {
                for (const path of ['/', '/account', '/p/1']) {
                    const { text } = await server.call('GET', path);
                    const [, address = ''] = /<link rel="icon" href="([^"]*)"/.exec(text) ?? [];
                    expect(address).to.match(/^\/site\/logo-[0-9a-f]{8}\.(?:svg|png|jpg)$/);
                    expect(text).to.contain(`<img class="logo" src="${address}" alt ${size}`);
                    const { status, headers } = await server.call('GET', address);
                    expect(status).to.equal(200);
                    expect(headers).to.include({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' });
                    expect(headers['content-security-policy']).to.contain(['sandbox', `default-src 'none'`]);
                }
            });
        }

        await at({ SITE_LOGO: fileOf('unsized.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>') }, async (server) => {
            expect((await server.call('GET', '/')).text).to.match(/<img class="logo" src="[^"]*" alt\/>/);
        });
        await at({}, async (server) => {
            expect((await server.call('GET', '/')).text).to.contain('rel="icon" href="/docs/favicon-32x32.png"').and.to.not.contain(['class="logo"', '/site/colors']);
        });
    });

    lab.test('does not start with a picture that cannot be used, and says why', async () => {
        for (const [path, why] of [
            [join(folder, 'missing.png'), 'ENOENT'], [fileOf('logo.html', '<p>'), 'its name has to end with .png'], [fileOf('logo.mp3', ''), 'its name has to end with .png'],
            [fileOf('large.svg', `${drawing}<!--${'x'.repeat(262_144)}-->`), 'it has 262249 bytes, and may have 262144'],
            [fileOf('text.png', 'x'), 'not image/png by its content'], [fileOf('bad.svg', '<svg'), 'not an SVG drawing']
        ] as const) {
            const host = fakeHost({ SITE_LOGO: path, PORT: '0' });
            await run(host);
            expect(host.exits, path).to.equal([78]);
            expect(host.err).to.startWith(`The configuration has 1 error(s):\n  - SITE_LOGO cannot be used. ${path}: `).and.to.contain(why);
            // It is found out before the database is opened.
            expect(host.out).to.not.contain('schema');
        }
    });

    lab.test('reports such a picture together with all other errors of the configuration, and ignores it without a site', async () => {
        const wrong = { SITE_LOGO: join(folder, 'missing.png'), SITE_COLOR: 'blue', PORT: 'x' };
        const host = fakeHost(wrong);
        await run(host);
        expect(host.exits).to.equal([78]);
        expect(host.err.trim().split('\n').map((line) => line.split(' ').slice(0, 4).join(' '))).to.equal(['The configuration has 3', '  - PORT', '  - SITE_COLOR', '  - SITE_LOGO']);

        const without = fakeHost({ ...wrong, SITE: 'off' });
        await run(without);
        expect(without.err).to.startWith('The configuration has 2 error(s)').and.to.not.contain('SITE_LOGO');
    });

    lab.test('has its colour in all pages, where it can be read', async () => {
        await at({ SITE_COLOR: '#ffd500' }, async (server) => {
            const { text } = await server.call('GET', '/account');
            const [, address = ''] = /href="(\/site\/colors-[^"]*\.css)"\/><link|href="(\/site\/colors-[^"]*\.css)"/.exec(text) ?? [];
            expect(text.indexOf(address)).to.be.above(text.lastIndexOf('/site/style-'));
            const { headers, text: styles } = await server.call('GET', address);
            expect(headers['content-type']).to.equal('text/css; charset=utf-8');
            expect(styles).to.match(/^:root\{--accent:#[0-9a-f]{6};--on-accent:#fff\}@media \(prefers-color-scheme:dark\)\{:root\{--accent:#ffd500;--on-accent:#1c1917\}\}$/);
        });

        const styles = readFileSync(join(__dirname, '../../web/style.css'), 'utf8');
        expect(styles).to.contain([`--background: ${grounds.light};`, `--surface: ${grounds.dark};`, '--surface: #fff;', '--background: #1c1917;']);
        for (const color of ['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#808080', '#ffd500', '#0b6e4f', '#272320', '#fffaf3']) {
            const [light, dark] = [readableOn(grounds.light, color), readableOn(grounds.dark, color)];
            for (const [one, other] of [[light, grounds.light], [light, '#ffffff'], [dark, grounds.dark], [dark, '#1c1917']] as const) {
                expect(contrastOf(one, other), `${color} ${other}`).to.be.at.least(4.5);
            }
        }

        // A colour that can be read stays as it is.
        expect(readableOn(grounds.light, '#0b6e4f')).to.equal('#0b6e4f');
    });

    lab.test('says its welcome on the first page, as text, in any language', async () => {
        await at({ SITE_NAME: 'Class 4b', SITE_WELCOME: 'Our <stories>.\nCome in!' }, async (server) => {
            for (const path of ['/', '/?lang=ar']) {
                expect((await server.call('GET', path)).text).to.contain(['<h1><bdi>Class 4b</bdi></h1>', '<p class="description" dir="auto">Our &lt;stories>.\nCome in!</p>']).and.to.not.contain('Small books');
            }
        });
    });
});
