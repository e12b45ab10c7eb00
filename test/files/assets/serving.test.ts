import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { ServerInjectResponse } from '@hapi/hapi';
import sharp from 'sharp';
import type { Metadata } from 'sharp';

import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { drawing, hashOf, mp3, noise, picture, wav } from '../../support/files';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();
const { describe, it, before, after } = lab;

describe('Reading assets', () => {
    let test: TestServer;
    let author: Author;

    before(async () => {
        test = await startTestServer();
        author = await openAuthor(test);
    });

    after(() => test.stop());

    const send = async (bytes: Buffer, type: string): Promise<string> => {
        const { status, text } = await author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': type } });
        expect(status, text).to.equal(201);
        return `/assets/${hashOf(bytes)}`;
    };

    /** The service has closed all other ways of reading than from a file, for the whole process. */
    const metadataOf = async (bytes: Buffer): Promise<Metadata> => {
        const file = join(test.assets.incoming, randomUUID());
        await writeFile(file, bytes);
        const metadata = await sharp(file).metadata();
        await rm(file);
        return metadata;
    };

    const get = (url: string, headers: Record<string, string> = {}): Promise<ServerInjectResponse> => test.server.inject({ url, headers });

    it('is safe and cached for a year', async () => {
        const url = await send(drawing('<script>alert(1)</script>'), 'image/svg+xml');
        for (const method of ['GET', 'HEAD']) {
            const { headers, statusCode } = await test.server.inject({ method, url, headers: { 'accept-encoding': 'gzip', 'origin': 'https://editor.example' } });
            expect(statusCode).to.equal(200);
            expect(headers).to.include({
                'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes', 'cross-origin-resource-policy': 'cross-origin',
                'content-security-policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'`, 'access-control-allow-origin': 'https://editor.example', 'etag': `"${url.slice(8)}"`
            });
            expect(String(headers['content-disposition'])).to.startWith('attachment');
            expect(headers['content-encoding']).to.be.undefined();
        }

        expect(String((await get(await send(wav(), 'audio/wav'))).headers['content-disposition'])).to.match(/^inline; filename="[0-9a-f]{16}\.wav"$/);
    });

    it('answers 304 to whoever has it', async () => {
        const url = await send(await picture(), 'image/png');
        const { headers } = await get(url);
        for (const tag of [String(headers.etag), '*', `"x", W/${headers.etag}`]) {
            const held = await get(url, { 'if-none-match': tag });
            expect([held.statusCode, held.payload, held.headers.etag]).to.equal([304, '', headers.etag]);
        }

        expect((await get(url, { 'if-none-match': '"x"' })).statusCode).to.equal(200);
        expect((await get(url, { 'if-none-match': String(headers.etag), 'range': 'bytes=999999-' })).statusCode).to.equal(304);
        expect((await get(`${url}?width=64`, { 'if-none-match': `"${url.slice(8)}-64"` })).statusCode).to.equal(304);
        expect(await test.assets.size(`${url.slice(8)}-64`)).to.be.undefined();
    });

    it('compresses nothing, so that a tag stands for one form of the bytes', async () => {
        const svg = drawing(`<text>${'words '.repeat(500)}</text>`);
        for (const [bytes, type] of [[svg, 'image/svg+xml'], [await noise(3000), 'image/png'], [wav(3000), 'audio/wav'], [mp3(10), 'audio/mpeg']] as const) {
            const { headers, rawPayload } = await get(await send(bytes, type), { 'accept-encoding': 'gzip' });
            expect([headers['content-encoding'], headers.etag, rawPayload.equals(bytes)], type).to.equal([undefined, `"${hashOf(bytes)}"`, true]);
        }

        const { statusCode, payload, headers } = await get(`/assets/${hashOf(svg)}`, { 'accept-encoding': 'gzip', 'range': 'bytes=0-3' });
        expect([statusCode, payload, headers.etag]).to.equal([206, '<svg', `"${hashOf(svg)}"`]);
    });

    it('reads small files once in a while, and large ones each time', async () => {
        const opened: string[] = [];
        const counting = await startTestServer({ assets: { ...test.assets, open: (name, range) => {
            opened.push(name);
            return test.assets.open(name, range);
        } } });
        const by = await openAuthor(counting);
        const [small, large] = [wav(60_000), wav(70_000)];
        const ranges = ['', 'bytes=0-9', 'bytes=59000-', ...Array.from({ length: 17 }, () => 'bytes=5-500')];
        for (const bytes of [small, large]) {
            expect((await by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'audio/wav' } })).status).to.equal(201);
            for (const range of ranges) {
                const { rawPayload } = await counting.server.inject({ url: `/assets/${hashOf(bytes)}`, headers: { range } });
                const [start = 0, end = bytes.length - 1] = range.slice(6).split('-').filter((place) => place !== '').map(Number);
                expect(rawPayload.equals(bytes.subarray(start, end + 1))).to.be.true();
            }
        }

        expect(opened.filter((name) => name === hashOf(small)).length).to.be.below(ranges.length);
        expect(opened.filter((name) => name === hashOf(large)).length).to.equal(ranges.length);
        await test.assets.remove(hashOf(small));
        while ((await counting.server.inject(`/assets/${hashOf(small)}`)).statusCode === 200) {
            await sleep(50);
        }

        await counting.stop();
    });

    it('keeps at most 16 MiB of small files', async () => {
        const opened: string[] = [];
        const many = await startTestServer({ assets: { ...test.assets, open: (name) => {
            opened.push(name);
            return Promise.resolve(Readable.from([Buffer.alloc(64 * 1024)]));
        } } });
        const hashes = Array.from({ length: 257 }, (_one, n) => n.toString(16).padStart(64, '0'));
        await many.database.db.raw(`insert into assets (hash, type, size) select hash, 'audio/wav', 65536 from unnest(?::text[]) as hash`, [hashes]);
        for (const hash of [...hashes, ...hashes.slice(0, 1)]) {
            expect((await many.server.inject(`/assets/${hash}`)).rawPayload).to.have.length(65_536);
        }

        expect(opened).to.equal([...hashes, ...hashes.slice(0, 1)]);
        await many.stop();
    });

    it('answers a part', async () => {
        const bytes = await noise(3000);
        const url = await send(bytes, 'image/png');
        const { length } = bytes;
        const parts: [string, number, number][] = [['bytes=0-9', 0, 9], ['bytes=10-', 10, length - 1], ['bytes=-10', length - 10, length - 1], [`bytes=5-${length + 50}`, 5, length - 1], [`bytes=-${length * 2}`, 0, length - 1]];
        for (const [range, start, end] of parts) {
            const { statusCode, headers, rawPayload } = await get(url, { range });
            expect([statusCode, headers['content-range'], headers['content-length']]).to.equal([206, `bytes ${start}-${end}/${length}`, end - start + 1]);
            expect(rawPayload.equals(bytes.subarray(start, end + 1)), range).to.be.true();
        }

        for (const range of ['bytes=0-1,5-6', 'bytes=9-5', 'lines=1-2', 'bytes=-', 'bytes=a-b']) {
            expect((await get(url, { range })).statusCode, range).to.equal(200);
        }

        for (const range of [`bytes=${length}-`, 'bytes=-0']) {
            const { statusCode, headers } = await get(url, { range });
            expect([statusCode, headers['content-range']]).to.equal([416, `bytes */${length}`]);
        }

        const { etag } = (await get(url)).headers;
        expect((await get(url, { 'range': 'bytes=0-1', 'if-range': String(etag) })).statusCode).to.equal(206);
        expect((await get(url, { 'range': 'bytes=0-1', 'if-range': '"other"' })).statusCode).to.equal(200);
    });

    it('answers smaller pictures, made once', async () => {
        const wide = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#123' } }).jpeg().toBuffer();
        const url = await send(wide, 'image/jpeg');
        const answers = await Promise.all([...Array.from({ length: 5 }, () => get(`${url}?width=320`)), get(`${url}?width=1280`)]);
        const sizes = await Promise.all(answers.map(async ({ rawPayload }) => {
            const { format, width, height } = await metadataOf(rawPayload);
            return `${format} ${width} ${height}`;
        }));
        expect(sizes).to.equal([...Array.from({ length: 5 }, () => 'webp 320 213'), 'webp 900 600']);
        expect(answers.every(({ headers }) => headers['content-type'] === 'image/webp')).to.be.true();
        expect(answers[0]?.headers.etag).to.equal(`"${hashOf(wide)}-320"`);
        expect(await test.assets.size(`${hashOf(wide)}-320`)).to.equal(answers[0]?.rawPayload.length);
        expect((await get(`${url}?width=320`)).rawPayload.equals(Buffer.from(answers[0]?.rawPayload ?? ''))).to.be.true();

        // The upper part, blue below it.
        const tall = await sharp({ create: { width: 640, height: 960, channels: 3, background: '#00f' } }).composite([{ input: { create: { width: 640, height: 396, channels: 3, background: '#f00' } }, left: 0, top: 0 }]).png().toBuffer();
        const upper = await get(`${await send(tall, 'image/png')}?width=320&height=198`);
        expect([upper.statusCode, upper.headers.etag]).to.equal([200, `"${hashOf(tall)}-320x198"`]);
        expect(await metadataOf(upper.rawPayload)).to.include({ format: 'webp', width: 320, height: 198 });
        const shown = join(test.assets.incoming, 'upper');
        await writeFile(shown, upper.rawPayload);
        const { channels: [red, , blue] } = await sharp(shown).stats();
        expect([Number(red?.min) > 200, Number(blue?.max) < 60]).to.equal([true, true]);
        expect(await metadataOf((await get(`${url}?width=320&height=198`)).rawPayload)).to.include({ width: 320, height: 198 });
        const small = await picture('png', { width: 100, height: 80 });
        expect(await metadataOf((await get(`${await send(small, 'image/png')}?width=320&height=198`)).rawPayload)).to.include({ width: 100, height: 80 });

        const svg = drawing('<g id="scaled"/>');
        expect((await get(`${await send(svg, 'image/svg+xml')}?width=64`)).rawPayload.equals(svg)).to.be.true();
        // A poster, also of a drawing.
        for (const [poster, tag] of [[await get(`${url}?width=640&height=960`), `"${hashOf(wide)}-640x960"`], [await get(`/assets/${hashOf(svg)}?width=640&height=960`), `"${hashOf(svg)}-640x960"`]] as const) {
            expect([poster.headers['content-type'], poster.headers.etag]).to.equal(['image/jpeg', tag]);
            expect(await metadataOf(poster.rawPayload)).to.include({ format: 'jpeg', width: 640, height: 960 });
        }

        // It is a drawing by its structure, and nothing is drawn of it.
        const unusable = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>');
        expect((await get(`${await send(unusable, 'image/svg+xml')}?width=640&height=960`)).statusCode).to.equal(400);
        const images = ['one', 'two'].map((name) => join(test.assets.incoming, name));
        await Promise.all(images.map(async (file) => writeFile(file, await picture('png'))));
        const frames = await sharp(images, { join: { animated: true } }).gif().toBuffer();
        const { pages = 1, width } = await metadataOf((await get(`${await send(frames, 'image/gif')}?width=160`)).rawPayload);
        expect([pages, width]).to.equal([1, 40]);

        const sound = await send(wav(7), 'audio/wav');
        for (const bad of [`${sound}?width=320`, `${url}?width=321`, `${url}?width=x`, `${url}?width=0`, `${url}?height=5`, `${url}?height=198`, `${url}?width=640&height=198`, `${url}?width=320&height=199`, `${url}?width=320&height=960`, `${sound}?width=640&height=960`, '/assets/abc', `/assets/${'A'.repeat(64)}`]) {
            const { statusCode, payload } = await get(bad);
            expect([statusCode, JSON.parse(payload).code], bad).to.equal([400, 'validation_failed']);
        }
    });

    it('makes nobody wait longer than 10 seconds for a smaller picture', async () => {
        let delay = 400;
        const busy = await startTestServer({ assets: { ...test.assets, open: async (name, range) => {
            await sleep(delay);
            return test.assets.open(name, range);
        } } });
        const by = await openAuthor(busy);
        const urls: string[] = [];
        while (urls.length < 50) {
            const bytes = await picture();
            expect((await by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } })).status).to.equal(201);
            urls.push(...[64, 160, 320, 640, 1280].map((width) => `/assets/${hashOf(bytes)}?width=${width}`));
        }

        const [first = '', ...others] = urls;
        expect((await busy.server.inject(first)).statusCode).to.equal(200);
        const answers = others.map((url) => busy.server.inject(url));
        const refused = await Promise.race(answers.map(async (answer) => {
            const { statusCode, payload } = await answer;
            return statusCode === 503 ? JSON.parse(payload).code : await new Promise<undefined>(() => undefined);
        }));
        expect(refused).to.equal('overloaded');
        delay = 0;
        const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
        expect(new Set(statuses)).to.equal(new Set([200, 503]));
        await busy.stop();
    });

    it('keeps what was drawn without loss, pixel art above all, and photos small', async () => {
        const art = Buffer.from(Array.from({ length: 48 * 32 * 3 }, (_one, n) => (n * 7919) % 256));
        const flags = Buffer.from(Array.from({ length: 400 * 300 * 3 }, (_one, n) => (Math.floor(n / 30) % 2) * 200));
        const photo = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } } }).png().toBuffer();
        const read = async (png: Buffer, width: number): Promise<{ raw: Buffer; bytes: Buffer }> => {
            await author.call('PUT', `/users/me/assets/${hashOf(png)}`, png, { headers: { 'content-type': 'image/png' } });
            const { rawPayload: bytes } = await get(`/assets/${hashOf(png)}?width=${width}`);
            return { raw: await sharp(bytes).removeAlpha().raw().toBuffer(), bytes };
        };

        const png = await sharp(art, { raw: { width: 48, height: 32, channels: 3 } }).png().toBuffer();
        expect((await read(png, 320)).raw.equals(art)).to.be.true();
        const drawn = await sharp(flags, { raw: { width: 400, height: 300, channels: 3 } }).png().toBuffer();
        expect((await read(drawn, 640)).raw.equals(flags)).to.be.true();
        expect((await read(photo, 640)).bytes.length).to.be.below(photo.length / 2);
    });

    it('turns pictures upright, and keeps no note of where they were taken', async () => {
        const photo = await sharp({ create: { width: 60, height: 20, channels: 3, background: '#fff' } }).withExif({ IFD3: { GPSLatitude: '51/1 30/1 0/1' } }).withMetadata({ orientation: 6 }).jpeg().toBuffer();
        const { body } = await author.call('PUT', `/users/me/assets/${hashOf(photo)}`, photo, { headers: { 'content-type': 'image/jpeg' } });
        expect([body.asset.width, body.asset.height]).to.equal([20, 60]);
        const { width, exif } = await metadataOf((await get(`/assets/${hashOf(photo)}?width=64`)).rawPayload);
        expect([width, exif]).to.equal([20, undefined]);
    });

    it('is 404 where the bytes are gone, until they are sent again', async () => {
        const bytes = await picture();
        const url = await send(bytes, 'image/png');
        await rm(join(test.assets.incoming, '..', url.slice(8, 10), url.slice(8)));
        expect((await get(url)).statusCode).to.equal(404);
        expect((await get(`${url}?width=64`)).statusCode).to.equal(404);
        const again = await author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
        expect(again.status).to.equal(200);
        expect((await get(url)).statusCode).to.equal(200);
        expect((await get(`/assets/${'0'.repeat(64)}`)).statusCode).to.equal(404);
    });
});
