import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { drawing, hashOf, mp3, mp4, noise, ogg, picture, wav, webm } from '../support/files';
import type { Answer, TestServer } from '../support/server';
import { startTestServer } from '../support/server';

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

    const leftovers = async (): Promise<string[]> => readdir(test.assets.incoming);

    it('stores each type, and says what it is', async () => {
        const files: [Buffer, string, number | null, number | null][] = [
            [await picture('png'), 'image/png', 40, 30], [await picture('jpeg'), 'image/jpeg', 40, 30], [await picture('webp'), 'image/webp', 40, 30],
            [await picture('gif'), 'image/gif', 40, 30], [await picture('avif'), 'image/avif', 40, 30], [drawing('<path d="M0 0"/>'), 'image/svg+xml', 10, 20],
            [wav(), 'audio/wav', null, null], [mp3(), 'audio/mpeg', null, null], [ogg(), 'audio/ogg', null, null], [mp4(), 'video/mp4', null, null], [webm(), 'video/webm', null, null]
        ];
        for (const [bytes, type, width, height] of files) {
            const { status, body, headers } = await put(bytes, type);
            expect(status, `${type} ${JSON.stringify(body)}`).to.equal(201);
            const id = hashOf(bytes);
            expect(body).to.equal({ status: 'created', asset: { id, type, size: bytes.length, width, height, url: body.asset.url } });
            expect(body.asset.url).to.endWith(`/assets/${id}`);
            expect(headers.location).to.equal(`/assets/${id}`);
            const read = await test.server.inject(`/assets/${id}`);
            expect(read.statusCode).to.equal(200);
            expect(read.rawPayload.equals(bytes)).to.be.true();
            expect(read.headers['content-type']).to.startWith(type);
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

    it('stores what was sent compressed as it was', async () => {
        const bytes = drawing('<g id="a"/>');
        expect((await put(gzipSync(bytes), 'image/svg+xml', { hash: hashOf(bytes), headers: { 'content-encoding': 'gzip' } })).status).to.equal(201);
        expect((await test.server.inject(`/assets/${hashOf(bytes)}`)).rawPayload.equals(bytes)).to.be.true();
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
            [drawing(), 'image/png'], [Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"/>'), 'image/svg+xml'], [Buffer.from('<svg/>'), 'image/svg+xml'], [cut(drawing()), 'image/svg+xml'],
            [Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'), 'image/svg+xml'], [Buffer.from('\xff\xfe<svg/>', 'latin1'), 'image/svg+xml'],
            [drawing('<g>'.repeat(300) + '</g>'.repeat(300)), 'image/svg+xml'], [Buffer.concat([drawing(), Buffer.from([0xc3])]), 'image/svg+xml'], [Buffer.alloc(0), 'image/svg+xml']
        ];
        for (const [index, [bytes, type]] of files.entries()) {
            const { status, body } = await put(bytes, type);
            expect([status, body.code], `${index} ${type}`).to.equal([400, 'type_mismatch']);
            expect((await test.call('GET', `/assets/${hashOf(bytes)}`)).status).to.equal(404);
        }

        expect(await leftovers()).to.equal([]);
    });
});
