import { createHash } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../../src/config/index';
import { UsedFonts } from '../../../src/files/exports/used-fonts';
import { build } from '../../support/program';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';
import { fileOf, zipBytes } from '../../support/zips';

export const lab = script();

const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>');
const hash = createHash('sha256').update(drawing).digest('hex');

lab.experiment('A project as one HTML file', () => {

    let test: TestServer;
    let eva: Actor;
    let path: string;

    const texts = ['</script><script>alert(1)</script><!-- ', 'Русский', 'plain'];

    lab.before(async () => {
        await build();
        test = await startTestServer();
        eva = await test.open('eva');
        const elements = [...texts.map((text) => ({ type: 'text', attributes: { text }, styles: { fontFamily: 'lora' } })), { type: 'image', attributes: { src: `asset:${hash.toUpperCase()}` } }, { type: 'image', attributes: { src: `asset:${hash}` } }];
        const file = fileOf({ title: 'A <b> & "c"</title>', visibility: 'private' }, [{ x: 0, y: 0, elements }, { x: 1, y: 0, elements: [] }]);
        const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(file) }, { name: `assets/${hash}.svg`, content: drawing }]);
        const { status, headers, text } = await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });
        expect(status, text).to.equal(201);
        path = `${String(headers.location)}/export`;
    });

    lab.after(async () => {
        expect(test.faults).to.equal([]);
        await test.stop();
    });

    const get = (query = 'as=html', token: string | undefined = eva.token) => test.server.inject({ url: `${path}?${query}`, headers: token === undefined ? {} : { authorization: `token ${token}` } });

    const read = async (): Promise<string> => String((await get()).rawPayload);

    lab.test('has what the zip has, and nothing in it ends the data', async () => {
        const { statusCode, headers } = await get();
        expect(statusCode).to.equal(200);
        expect(headers).to.include({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-cache', 'content-disposition': `attachment; filename="project-${path.split('/').at(-2)}.html"` });
        expect(headers['content-security-policy']).to.contain('sandbox');
        const text = await read();
        const [, json = ''] = /<script type="application\/json" id="project">([^<]*)<\/script>/.exec(text) ?? [];
        const { project, pages, origin } = JSON.parse(json);
        expect(project.title).to.equal('A <b> & "c"</title>');
        expect(origin.author).to.equal('eva');
        expect(pages.map(({ elements }: { elements: object[] }) => elements.length)).to.equal([5, 0]);
        expect(pages[0].elements.slice(0, 3).map(({ attributes }: { attributes: { text: string } }) => attributes.text)).to.equal(texts);
        expect(text).to.contain('<title>A &lt;b> &amp; &quot;c&quot;&lt;/title></title>');
        expect(text.match(/<script/g)?.length).to.equal(3 + 1 + (text.match(/data-family=/g)?.length ?? 0));
        const [, bytes = ''] = new RegExp(`<script type="text/plain" data-asset="${hash}" data-type="image/svg\\+xml">([^<]*)<`).exec(text) ?? [];
        expect(Buffer.from(bytes, 'base64')).to.equal(drawing);
    });

    lab.test('runs its own script alone, and loads nothing', async () => {
        const text = await read();
        const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(text) ?? [];
        const [, styles = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
        const [, player = ''] = /<script>([^]*)<\/script>/.exec(text) ?? [];
        const sum = (of: string): string => `'sha256-${createHash('sha256').update(of).digest('base64')}'`;
        expect(policy.split('; ')).to.equal([
            `default-src 'none'`, `script-src ${sum(player)}`, `style-src ${sum(styles)}`, `style-src-attr 'unsafe-inline'`, 'img-src data:', 'media-src data:', 'font-src data:', `base-uri 'none'`, `form-action 'none'`
        ]);
        expect(player.length).to.be.above(1000);
        expect(styles).to.contain('.sheet').and.to.not.contain(['url(', '@import']);
        expect(text).to.not.match(/<(?:link|img|script)[^>]* (?:src|href)="(?!data:)/);
    });

    lab.test('has the fonts whose letters and names it uses', async () => {
        const files = [...(await read()).matchAll(/data-family="([^"]*)" data-weight="(\d+)" data-letters="([^"]*)">([^<]*)</g)].map(([, family, weight, letters, bytes]) => ({ family, weight, letters, bytes: String(bytes) }));
        expect([...new Set(files.map(({ family }) => family))]).to.equal(['Noto Sans', 'Lora']);
        expect([...new Set(files.filter(({ family }) => family === 'Lora').map(({ weight }) => weight))]).to.equal(['400', '700']);
        expect(files.some(({ letters }) => letters?.includes('U+0301'))).to.be.true();
        expect(files.every(({ bytes }) => Buffer.from(bytes, 'base64').toString('latin1', 0, 4) === 'wOF2')).to.be.true();

        const some = [
            { family: 'Noto Sans', letters: 'U+0041' }, { family: 'Noto Sans', letters: 'U+0900-097F,U+1F600-1F64F' }, { family: 'Roboto Mono', letters: 'U+0000-00FF' }, { family: 'Noto Sans SC', letters: 'U+4E00-9FFF' }, { family: 'Noto Sans Arabic', letters: 'U+FB50-1EEFF' }
        ].map((one) => ({ ...one, weight: 400, file: '' }));
        const usedIn = (...pieces: string[]): string[] => {
            const used = new UsedFonts();
            pieces.forEach((piece) => used.note(piece));
            return used.of(some).map(({ family, letters }) => `${family} ${letters.slice(0, 6)}`);
        };

        expect(usedIn('')).to.equal([]);
        expect(usedIn('"A"')).to.equal(['Noto Sans U+0041']);
        expect(usedIn('"A"', '"UI-Monospace"')).to.equal(['Noto Sans U+0041', 'Roboto Mono U+0000']);
        expect(usedIn('"😀"')).to.equal(['Noto Sans U+0900']);
        expect(usedIn('"\\u4e2d"')).to.equal(['Noto Sans SC U+4E00']);
        expect(usedIn('ﭐ')).to.equal(['Noto Sans Arabic U+FB50']);
    });

    lab.test('is for those who may read the project, and has no history', async () => {
        const ali = await test.open('ali');
        expect((await get('as=html', '')).statusCode).to.equal(401);
        expect((await get('as=html', ali.token)).statusCode).to.equal(404);
        expect((await test.server.inject({ url: `${path}?as=html` })).statusCode).to.equal(404);
        for (const query of ['as=html&history=true', 'as=pdf', 'as=']) {
            expect((await get(query)).statusCode, query).to.equal(400);
        }

        expect((await get('as=zip')).headers['content-type']).to.equal('application/zip');
        const { statusCode, rawPayload, headers } = await test.server.inject({ method: 'HEAD', url: `${path}?as=html`, headers: { authorization: `token ${eva.token}` } });
        expect([statusCode, rawPayload.length, headers['content-type']]).to.equal([200, 0, 'text/html; charset=utf-8']);
    });

    lab.test('says which place it is from', async () => {
        const other = await startTestServer({ config: { site: readConfig({ SITE_NAME: 'Class <4b>' }).site, publicUrl: 'https://pages.example' } });
        try {
            const author = await other.open('ali');
            const { headers } = await other.call('POST', '/users/me/projects', { title: 'Plants' }, { token: author.token });
            const { text } = await other.call('GET', `${String(headers.location)}/export?as=html`);
            expect(text).to.contain('{"origin":"https://pages.example","name":"Class \\u003c4b>"}');
        }
        finally {
            await other.stop();
        }
    });

    lab.test('is cut off if an asset cannot be read, so that nobody takes it for a whole one', async () => {
        const { open } = test.assets;
        test.assets.open = () => Promise.reject(new Error('The disk is gone'));
        try {
            await expect(get()).to.reject();
        }
        finally {
            test.assets.open = open;
        }

        expect(test.faults.splice(0).length).to.equal(1);
    });
});
