import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import { clientLimits } from '../../../src/api/request/client-limits';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { inThisProcess } from '../../support/file-pools';
import { apng, box, drawing, hashOf, m4a, mp3, mp4, noise, ogg, picture, quickTime, wav, weba, webm, webmHead } from '../../support/files';
import type { Answer, TestServer } from '../../support/server';
import { startTestServer } from '../../support/server';

export const lab = script();
const { describe, it, before, after } = lab;

describe('Uploads', () => {
    let test: TestServer;
    let author: Author;

    before(async () => {
        test = await startTestServer();
        author = await openAuthor(test);
    });

    after(() => test.stop());

    const put = (bytes: Buffer, type: string, { by = author, hash = hashOf(bytes), headers = {} } = {}): Promise<Answer> => {
        return by.call('PUT', `/users/${author.id}/assets/${hash}`, bytes, { headers: { 'content-type': type, ...headers } });
    };

    const leftovers = (): Promise<string[]> => readdir(test.assets.incoming);

    it('stores each type, and says what it is', async () => {
        const files: [Buffer, string, number | null, number | null][] = [
            [await picture('png'), 'image/png', 40, 30], [await picture('jpeg'), 'image/jpeg', 40, 30], [await picture('webp'), 'image/webp', 40, 30],
            [await picture('gif'), 'image/gif', 40, 30], [await picture('avif'), 'image/avif', 40, 30], [drawing('<path d="M0 0"/>'), 'image/svg+xml', 10, 20],
            [wav(), 'audio/wav', null, null], [m4a(), 'audio/mp4', null, null], [weba(), 'audio/webm', null, null], [mp3(), 'audio/mpeg', null, null], [ogg(), 'audio/ogg', null, null], [mp4(), 'video/mp4', null, null], [webm(), 'video/webm', null, null]
        ];
        for (const [bytes, type, width, height] of files) {
            const { status, body } = await put(bytes, type);
            expect(status, `${type} ${JSON.stringify(body)}`).to.equal(201);
            const id = hashOf(bytes);
            expect(body).to.equal({ status: 'created', asset: { id, type, size: bytes.length, width, height, url: body.asset.url } });
            expect(String(body.asset.url)).to.endWith(`/assets/${id}`);
            const read = await test.server.inject(`/assets/${id}`);
            expect(read.statusCode).to.equal(200);
            expect(read.rawPayload.equals(bytes)).to.be.true();
            expect(String(read.headers['content-type'])).to.startWith(type);
        }

        expect(await leftovers()).to.equal([]);
    });

    it('is idempotent', async () => {
        const bytes = await picture();
        expect((await put(bytes, 'image/png')).status).to.equal(201);
        const again = await put(bytes, 'image/png');
        expect(again.status).to.equal(200);
        expect(again.body.status).to.equal('success');
    });

    it('does not trust bytes that it knows nothing of, as a power cut may leave them', async () => {
        const bytes = await picture();
        const folder = join(test.assets.incoming, '..', hashOf(bytes).slice(0, 2));
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, hashOf(bytes)), Buffer.alloc(bytes.length));
        expect((await put(bytes, 'image/png')).status).to.equal(201);
        expect((await test.server.inject(`/assets/${hashOf(bytes)}`)).rawPayload.equals(bytes)).to.be.true();
    });

    it('stores what was sent compressed as it was', async () => {
        const bytes = drawing('<g id="a"/>');
        expect((await put(gzipSync(bytes), 'image/svg+xml', { hash: hashOf(bytes), headers: { 'content-encoding': 'gzip' } })).status).to.equal(201);
        expect((await test.server.inject(`/assets/${hashOf(bytes)}`)).rawPayload.equals(bytes)).to.be.true();
    });

    it('rejects what is not in its encoding, whether or not anything else is wrong', async () => {
        const bytes = Buffer.from('not compressed');
        for (const encoding of ['gzip', 'deflate']) {
            const { status, body } = await put(bytes, 'image/png', { headers: { 'content-encoding': encoding } });
            expect([status, body.code]).to.equal([400, 'malformed_body']);
            expect((await put(bytes, 'image/png', { hash: 'none', headers: { 'content-encoding': encoding } })).body.code).to.equal('validation_failed');
        }

        expect(await leftovers()).to.equal([]);
        expect(test.faults).to.equal([]);
    });

    it('rejects what does not have the hash', async () => {
        const { status, body } = await put(await picture(), 'image/png', { hash: '0'.repeat(64) });
        expect([status, body.code]).to.equal([400, 'hash_mismatch']);
        expect((await test.call('GET', `/assets/${'0'.repeat(64)}`)).status).to.equal(404);
        expect(await leftovers()).to.equal([]);
    });

    it('rejects what is larger than allowed', async () => {
        const small = await startTestServer({ config: { maxAssetBytes: 2000 } });
        const bytes = await noise(5000);
        const by = await openAuthor(small);
        const { status, body } = await by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
        expect([status, body.code]).to.equal([413, 'payload_too_large']);
        const packed = gzipSync(drawing(' '.repeat(5000)));
        const unpacked = await by.call('PUT', `/users/me/assets/${hashOf(packed)}`, packed, { headers: { 'content-type': 'image/svg+xml', 'content-encoding': 'gzip' } });
        expect([unpacked.status, unpacked.body.code]).to.equal([413, 'payload_too_large']);
        expect(await readdir(small.assets.incoming)).to.equal([]);
        await small.stop();
    });

    it('rejects what is not whole, or of another type', async () => {
        const [png, jpeg, gif] = [await picture('png'), await picture('jpeg'), await picture('gif')];
        const cut = (bytes: Buffer, by = 10): Buffer => bytes.subarray(0, bytes.length - by);
        const files: [Buffer, string][] = [
            [png, 'image/jpeg'], [jpeg, 'image/png'], [gif, 'image/webp'], [Buffer.alloc(0), 'image/png'], [Buffer.from('hello'), 'image/png'], [wav(51), 'audio/mpeg'], [png, 'audio/wav'],
            [cut(png), 'image/png'], [cut(jpeg), 'image/jpeg'], [cut(gif), 'image/gif'], [cut(await picture('webp')), 'image/webp'], [cut(await picture('avif')), 'image/avif'],
            [cut(wav()), 'audio/wav'], [cut(mp3()), 'audio/mpeg'], [cut(ogg()), 'audio/ogg'], [cut(mp4()), 'video/mp4'], [cut(webm()), 'video/webm'], [mp4().subarray(0, 70), 'video/mp4'],
            [cut(ogg(), 48), 'audio/ogg'], [await picture('avif'), 'video/mp4'], [webm().subarray(0, 12), 'video/webm'],
            [quickTime('mp4v'), 'video/mp4'], [quickTime('alac', 1, 'soun'), 'audio/mp4'], [quickTime('samr', 1, 'soun'), 'audio/x-m4a'], [drawing(), 'image/png'], [Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"/>'), 'image/svg+xml'], [Buffer.from('<svg/>'), 'image/svg+xml'], [cut(drawing()), 'image/svg+xml'],
            [Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'), 'image/svg+xml'], [Buffer.from('\xff\xfe<svg/>', 'latin1'), 'image/svg+xml'],
            [drawing(`<g ${Array.from({ length: 1001 }, (_one, n) => `a${n}=""`).join(' ')}/>`), 'image/svg+xml'],
            [drawing('<g>'.repeat(300) + '</g>'.repeat(300)), 'image/svg+xml'], [Buffer.concat([drawing(), Buffer.from([0xc3])]), 'image/svg+xml'], [Buffer.alloc(0), 'image/svg+xml']
        ];
        for (const [index, [bytes, type]] of files.entries()) {
            const { status, body } = await put(bytes, type);
            expect([status, body.code], `${index} ${type}`).to.equal([400, 'type_mismatch']);
            expect((await test.call('GET', `/assets/${hashOf(bytes)}`)).status).to.equal(404);
        }

        expect(await leftovers()).to.equal([]);
    });

    it('knows the unusual forms of a type', async () => {
        const jpeg = await picture('jpeg');
        const id3 = Buffer.from('ID3\x03\0\0\0\0\0\x0aabcdefghij', 'latin1');
        const mpeg2 = Buffer.concat(Array.from({ length: 4 }, () => Buffer.concat([Buffer.from('fff38000', 'hex'), Buffer.alloc(204)])));
        const mpeg25 = Buffer.concat(Array.from({ length: 4 }, () => Buffer.concat([Buffer.from('ffe38000', 'hex'), Buffer.alloc(413)])));
        const long = Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.from('mdat'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 20]), Buffer.alloc(4)]);
        const ftyp = mp4().subarray(0, 24);
        const recorded = wav(34);
        [4, recorded.length - 34 - 4].forEach((at) => recorded.writeUInt32LE(0xffff_ffff, at));
        const good: [Buffer, string][] = [
            [Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff]), jpeg.subarray(2)]), 'image/jpeg'],
            [await sharp({ create: { width: 40, height: 30, channels: 3, background: '#123' } }).jpeg({ progressive: true }).toBuffer(), 'image/jpeg'],
            // A restart where none is, as a marker without a segment, and FF 00 between segments.
            [Buffer.concat([jpeg.subarray(0, 20), Buffer.from('ffd0ff00ff01', 'hex'), jpeg.subarray(20)]), 'image/jpeg'],
            [await apng(), 'image/apng'], [quickTime('avc1'), 'video/quicktime'], [quickTime('hvc1', 2), 'video/mp4'], [quickTime('mp4a', 1, 'soun'), 'video/quicktime'], [quickTime(''), 'video/quicktime'], [Buffer.concat([m4a(), box('free', Buffer.alloc(3))]), 'audio/x-m4a'],
            [quickTime('mp4a', 2, 'soun'), 'audio/x-m4a'], [quickTime('lpcm', 1, 'soun'), 'video/quicktime'], [Buffer.concat([box('ftyp', Buffer.from('3gp5\0\0\0\x003gp5', 'latin1')), box('moov', Buffer.alloc(9))]), 'audio/mp4'],
            [Buffer.concat([id3, mp3(), id3, Buffer.alloc(50), mp3()]), 'audio/mpeg'], [recorded, 'audio/wav'],
            [Buffer.concat([id3, mp3()]), 'audio/mpeg'], [Buffer.concat([mp3(6), Buffer.from('TAG'), Buffer.alloc(125)]), 'audio/mpeg'], [mpeg2, 'audio/mpeg'],
            [Buffer.concat([ftyp, long, box('moov', Buffer.alloc(9))]), 'video/mp4'], [Buffer.concat([ftyp, box('moov', Buffer.alloc(9)), Buffer.alloc(4), Buffer.from('mdat'), Buffer.alloc(30)]), 'video/mp4'],
            [Buffer.concat([webmHead(), Buffer.from('1853806701ffffffffffffff', 'hex'), Buffer.alloc(30)]), 'video/webm'], [wav(21), 'audio/x-wav'],
            [Buffer.from('<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 12.4 9"/>'), 'image/svg+xml'],
            [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="50%"/>'), 'image/svg+xml']
        ];
        for (const [index, [bytes, type]] of good.entries()) {
            const { status, text } = await put(bytes, type);
            expect(status, `${index} ${type} ${text}`).to.equal(201);
        }

        const cut = (bytes: Buffer): Buffer => bytes.subarray(0, -10);
        const larger = wav(31);
        larger.writeUInt32LE(5000, 4);
        const bad: [Buffer, string][] = [
            [quickTime('apcn'), 'video/quicktime'], [quickTime('jpeg'), 'video/mp4'], [cut(quickTime('avc1')), 'video/quicktime'], [jpeg, 'image/apng'], [webm(), 'audio/mp4'], [m4a(), 'audio/webm'],
            [larger, 'audio/wav'], [wav().subarray(0, 36), 'audio/wav'],
            [mpeg25.subarray(0, 4), 'audio/mpeg'], [Buffer.concat([mp3(7), Buffer.from('JUNK')]), 'audio/mpeg'], [id3, 'audio/mpeg'], [wav(0, []), 'audio/wav'],
            [Buffer.concat([ftyp, Buffer.from([0, 0, 0, 4]), Buffer.from('mdat')]), 'video/mp4'], [Buffer.concat([webmHead(), Buffer.from('1853806700', 'hex'), Buffer.alloc(9)]), 'video/webm'],
            [jpeg.subarray(0, 20), 'image/jpeg'], [Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe0])]), 'image/jpeg'], [Buffer.concat([jpeg.subarray(0, 20), Buffer.alloc(400)]), 'image/jpeg'],
            [Buffer.concat([webmHead(), Buffer.alloc(20)]), 'video/webm'], [webmHead(), 'video/webm'], [Buffer.concat([webmHead(), Buffer.from('1853806701', 'hex')]), 'video/webm'],
            [Buffer.concat([Buffer.from('1a45dfa30000000000000000074282847765626d', 'hex'), Buffer.alloc(40)]), 'video/webm'],
            // In a scan, FF D0 is no marker, and the last byte is FF.
            [Buffer.concat([jpeg.subarray(0, -2), Buffer.from('ffd0ff', 'hex')]), 'image/jpeg'],
            // Said to be longer than the file is.
            [Buffer.from('ID3\x03\0\0\0\0\x07\x0aabcdefghij', 'latin1'), 'audio/mpeg'],
            // No frame at all.
            [Buffer.concat([Buffer.from('fffb0000', 'hex'), Buffer.alloc(900)]), 'audio/mpeg'],
            // After the frames: of layer II, of no version, of no rate, of no length.
            ...['fffd9000', 'ffeb9000', 'fffb9c00', 'fffb0000'].map((header): [Buffer, string] => [Buffer.concat([mp3(8), Buffer.from(header, 'hex')]), 'audio/mpeg'])
        ];
        for (const [index, [bytes, type]] of bad.entries()) {
            const { status, body } = await put(bytes, type);
            expect([status, body.code], `${index} ${type}`).to.equal([400, 'type_mismatch']);
        }

        const blank = (width: number, height: number): Promise<Buffer> => sharp({ create: { width, height, channels: 3, background: '#fff' } }).png().toBuffer();
        const pixels = Buffer.from(Array.from({ length: 501 * 12 }, (_one, n) => (n * 7919) % 251));
        const frames = await sharp(pixels, { raw: { width: 2, height: 1002, channels: 3, pageHeight: 2 } }).gif().toBuffer();
        for (const [bytes, type] of [[await blank(8000, 7000), 'image/png'], [await blank(16_384, 1), 'image/png'], [await blank(1, 16_384), 'image/png'], [frames, 'image/gif']] as const) {
            const { status, body } = await put(bytes, type);
            expect([status, body.code]).to.equal([400, 'type_mismatch']);
            expect(body.message).to.contain('16383 pixels on a side, and 50 million in at most 500 frames');
        }

        for (const [headers, code] of [[{ 'content-encoding': 'br' }, 'unsupported_encoding'], [{ 'content-type': 'text/html' }, 'unsupported_media_type'], [{ 'content-type': 'audio/flac' }, 'unsupported_media_type']] as const) {
            const { status, body } = await put(wav(), 'audio/wav', { headers });
            expect([status, body.code]).to.equal([415, code]);
        }
    });

    it('waits no longer than 20 seconds to be checked', async () => {
        let wait = 20_001;
        const busy = await startTestServer({ files: { ...inThisProcess, wait: () => wait } });
        const by = await openAuthor(busy);
        const bytes = await picture();
        const send = (): Promise<Answer> => by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
        const { status, body, headers } = await send();
        expect([status, body.code, Number(headers['retry-after']) > 0]).to.equal([503, 'overloaded', true]);
        expect(await readdir(busy.assets.incoming)).to.equal([]);
        wait = 20_000;
        expect((await send()).status).to.equal(201);
        await busy.stop();
    });

    it('takes 64 at once, and half of them from one address, however many accounts are there', async () => {
        const slow = await startTestServer({ config: { trustedProxies: 1 }, limits: { ...clientLimits, bodyBegins: 20_000 } });
        await slow.server.start();
        const bytes = await picture();
        const authors = await Promise.all(Array.from({ length: 8 }, () => openAuthor(slow)));
        const sockets = new Set<Socket>();
        const hold = (token: string, address: string): void => {
            const socket = connect(Number(slow.server.info.port), '127.0.0.1').on('error', () => undefined);
            sockets.add(socket);
            socket.write(`PUT /users/me/assets/${hashOf(bytes)} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nAuthorization: token ${token}\r\nContent-Type: image/png\r\nContent-Length: ${bytes.length}\r\n\r\n`);
            // On a busy machine it may be refused, or have waited too long.
            socket.once('data', () => {
                sockets.delete(socket);
                socket.destroy();
                hold(token, address);
            });
        };

        const last = await openAuthor(slow);
        const send = (address: string): Promise<Answer> => last.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png', 'x-forwarded-for': address } });
        const refused = async (address: string): Promise<unknown[]> => {
            for (;;) {
                const { status, body: { code } } = await send(address);
                if (status > 201) {
                    return [status, code];
                }

                await sleep(20);
            }
        };

        const [here, there] = ['192.0.2.1', '192.0.2.2'];
        authors.slice(0, 4).forEach(({ token }) => Array.from({ length: 8 }, () => hold(token, here)));
        expect(await refused(here)).to.equal([429, 'too_much_in_progress']);
        expect((await send(there)).status).to.be.at.most(201);
        authors.slice(4).forEach(({ token }) => Array.from({ length: 8 }, () => hold(token, there)));
        expect(await refused('192.0.2.3')).to.equal([503, 'overloaded']);
        sockets.forEach((socket) => socket.destroy());
        while ((await send(there)).status > 201) {
            await sleep(20);
        }

        await slow.stop();
    });

    it('leaves nothing of an upload that is cut off, or never comes', async () => {
        const slow = await startTestServer({ limits: { ...clientLimits, bodyBegins: 200, body: 600 } });
        const by = await openAuthor(slow);
        await slow.server.start();
        const bytes = await noise(400_000);
        const send = (parts: Buffer[], end: 'wait' | 'cut'): Promise<string> => new Promise((resolve) => {
            const socket = connect(Number(slow.server.info.port), '127.0.0.1');
            let answer = '';
            socket.on('data', (chunk) => {
                answer += chunk;
            }).on('error', () => undefined).on('close', () => resolve(answer));
            socket.write(`PUT /users/me/assets/${hashOf(bytes)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: token ${by.token}\r\nContent-Type: image/png\r\nContent-Length: ${bytes.length}\r\n\r\n`);
            parts.forEach((part) => socket.write(part));
            setTimeout(() => {
                if (end === 'cut') {
                    socket.destroy();
                }
            }, 300);
            setTimeout(() => socket.destroy(), 2000);
        });
        expect(await send([], 'wait')).to.startWith('HTTP/1.1 408 ');
        expect(await send([bytes.subarray(0, 100_000)], 'wait')).to.startWith('HTTP/1.1 408 ');
        expect(await send([bytes.subarray(0, 300_000)], 'cut')).to.equal('');
        expect(await send([bytes], 'wait')).to.startWith('HTTP/1.1 201 ');
        while ((await readdir(slow.assets.incoming)).length > 0) {
            await new Promise((resolve) => {
                setTimeout(resolve, 20);
            });
        }

        const many = await Promise.all(Array.from({ length: 12 }, () => put(bytes.subarray(0, 200_000), 'image/png')));
        expect(many.filter(({ status }) => status === 429).length).to.equal(4);
        await slow.stop();
    });
});
