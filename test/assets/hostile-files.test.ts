import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import type { FilePool } from '../../src/assets/file-work';
import type { Task } from '../../src/thumbnails/perform';
import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { inProcesses } from '../support/file-pools';
import { box, hashOf, mp4, picture } from '../support/files';
import { until } from '../support/host';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = script();
const { after, before, describe, it } = lab;

/** A PNG that is written in a few milliseconds, however large it is. */
const blank = (width: number, height: number): ReturnType<typeof sharp> => sharp({ create: { width, height, channels: 3, background: '#369' } });

describe('Files that are made to be expensive', () => {
    let test: TestServer;
    let author: Author;
    let files: FilePool<Task>;

    before(async () => {
        files = inProcesses();
        test = await startTestServer({ files, config: { maxAssetBytes: 20 * 1024 * 1024 } });
        author = await openAuthor(test);
        await test.server.start();
    });

    after(async () => {
        await test.stop();
        await files.close();
    });

    const put = (bytes: Buffer, type: string): Promise<Answer> => author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': type } });

    it('block nothing, and take little time', async () => {
        const svg = (start: string, inside = ''): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${start}>${inside}</svg>`);
        const names = Array.from({ length: 300_000 }, (_one, n) => `${n.toString(36)}`);
        const boxes = Buffer.alloc(1_250_000 * 8, box('free', Buffer.alloc(0)));
        const all: [string, Buffer, string, number][] = [
            ['attributes', svg(names.map((name) => `a${name}=""`).join(' ')), 'image/svg+xml', 400],
            ['prefixes', svg('xmlns:p="a"', `<p:a ${names.map((name) => `p:a${name}=""`).join(' ')}/>`), 'image/svg+xml', 400],
            ['namespaces', svg(names.map((name) => `xmlns:a${name}="${name}"`).join(' ')), 'image/svg+xml', 400],
            ['boxes', Buffer.concat([mp4(), boxes]), 'video/mp4', 201]
        ];
        for (const [name, bytes, type, status] of all) {
            const delays = monitorEventLoopDelay({ resolution: 5 });
            delays.enable();
            const began = performance.now();
            const answer = await put(bytes, type);
            delays.disable();
            expect(delays.max / 1e6, name).to.be.below(150);
            expect(answer.status, `${name} ${answer.text}`).to.equal(status);
            expect(performance.now() - began, name).to.be.below(5000);
        }
    });

    it('are rejected if they would take much memory, with words that say what to do', async () => {
        const pictures: [Buffer, string, string][] = [
            [await blank(8000, 6200).avif({ effort: 0, quality: 1 }).toBuffer(), 'image/avif', '12.6 million'],
            [await blank(4000, 3000).avif({ effort: 0, quality: 1, bitdepth: 12 }).toBuffer(), 'image/avif', '9.2 million'],
            [await blank(8000, 6000).toColourspace('rgb16').png({ progressive: true, compressionLevel: 1 }).toBuffer(), 'image/png', '40 million'],
            [await blank(8000, 6000).webp({ effort: 0 }).toBuffer(), 'image/webp', '34.2 million']
        ];
        for (const [bytes, type, most] of pictures) {
            const { status, body } = await put(bytes, type);
            expect([status, body.code], type).to.equal([400, 'type_mismatch']);
            expect(body.message).to.include(most).and.to.include('Make it smaller');
        }
    });

    it('that were accepted before are not scaled', async () => {
        const bytes = await picture('avif');
        const hash = hashOf(bytes);
        await put(bytes, 'image/avif');
        const large = join(test.assets.incoming, 'large.avif');
        await blank(8000, 6200).avif({ effort: 0, quality: 1 }).toFile(large);
        await test.assets.put(hash, large, 'image/avif');
        const { status, body } = await test.call('GET', `/assets/${hash}?width=320`);
        expect([status, body.details[0].path]).to.equal([400, 'width']);
        expect(body.message).to.include('12.6 million');
    });

    it('are not worked on any more when their client has left', async () => {
        const bytes = await blank(4000, 3000).avif({ effort: 0, quality: 1 }).toBuffer();
        const send = (): Promise<void> => new Promise((resolve) => {
            const socket = connect(Number(test.server.info.port), '127.0.0.1');
            socket.on('error', () => undefined).on('close', () => resolve());
            socket.write(`PUT /users/me/assets/${hashOf(bytes)} HTTP/1.1\r\nHost: a\r\nAuthorization: token ${author.token}\r\nContent-Type: image/avif\r\nContent-Length: ${bytes.length}\r\n\r\n`);
            socket.write(bytes);
            setTimeout(() => socket.destroy(), 150);
        });
        await Promise.all([send(), send(), send()]);
        await until(() => readdirSync(test.assets.incoming).length === 0, 1000);
        expect(files.wait(author.id)).to.equal(0);
        expect((await test.call('GET', `/assets/${hashOf(bytes)}`)).status).to.equal(404);
        expect((await put(await picture(), 'image/png')).status).to.equal(201);
    });
});
