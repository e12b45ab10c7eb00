import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import type { FilePool } from '../../../src/files/assets/file-work';
import { Ended, NotBegun } from '../../../src/api/concurrency/process-pool';
import type { Task } from '../../../src/files/thumbnails/perform';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { inProcesses, inThisProcess } from '../../support/file-pools';
import { box, hashOf, mp4, picture } from '../../support/files';
import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();
const { after, before, describe, it } = lab;

/** A PNG that is written in a few milliseconds, however large it is. */
const blank = (width: number, height: number): ReturnType<typeof sharp> => {
    return sharp({ create: { width, height, channels: 3, background: '#369' } });
};

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

    const put = (bytes: Buffer, type: string): Promise<Answer> => {
        return author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': type } });
    };

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
            // The client is in this process too, and makes and hashes the files.
            expect(delays.percentile(99) / 1e6, name).to.be.below(250);
            expect(answer.status, `${name} ${answer.text}`).to.equal(status);
            expect(performance.now() - began, name).to.be.below(5000);
        }
    });

    it('are rejected if they would take much memory, with words that say what to do', async () => {
        const here = await startTestServer({ config: { maxAssetBytes: 20 * 1024 * 1024 } });
        const by = await openAuthor(here);
        const pictures: [Buffer, string, string][] = [
            [await blank(4000, 3200).avif({ effort: 0, quality: 1 }).toBuffer(), 'image/avif', '12.6 million'],
            [await blank(3100, 3000).avif({ effort: 0, quality: 1, bitdepth: 12 }).toBuffer(), 'image/avif', '9.2 million'],
            [await blank(6400, 6300).toColourspace('rgb16').png({ progressive: true, compressionLevel: 1 }).toBuffer(), 'image/png', '40 million'],
            [await blank(5900, 5900).webp({ effort: 0 }).toBuffer(), 'image/webp', '34.2 million']
        ];
        for (const [bytes, type, most] of pictures) {
            const { status, body } = await by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, {
                headers: { 'content-type': type }
            });
            expect([status, body.code], type).to.equal([400, 'type_mismatch']);
            expect(body.message).to.include(most).and.to.include('Make it smaller');
        }

        // Of a medium size, they are read when no other one is.
        const medium = await blank(2000, 1500).avif({ effort: 0, quality: 1 }).toBuffer();
        expect((await by.call('PUT', `/users/me/assets/${hashOf(medium)}`, medium, { headers: { 'content-type': 'image/avif' } })).status).to.equal(201);
        for (const progressive of [true, false]) {
            const jpeg = await blank(200, 150).jpeg({ progressive }).toBuffer();
            expect((await by.call('PUT', `/users/me/assets/${hashOf(jpeg)}`, jpeg, { headers: { 'content-type': 'image/jpeg' } })).status).to.equal(201);
            const png = await blank(200, 150).png({ progressive }).toBuffer();
            expect((await by.call('PUT', `/users/me/assets/${hashOf(png)}`, png, { headers: { 'content-type': 'image/png' } })).status).to.equal(201);
        }

        await here.stop();
    });

    it('that end the process that reads them, or cannot be read, are rejected', async () => {
        const bytes = await picture();
        for (const [run, status] of [[() => Promise.reject(new Ended('it took more than 10 s')), 400], [() => Promise.reject(new NotBegun('it took more than 60 s')), 503], [() => Promise.reject(new Error('no more processes')), 500], [() => inThisProcess.run({ kind: 'inspect', file: 'nothing-there', type: 'image/png' }, ''), 500]] as const) {
            const failing = await startTestServer({ files: { ...files, run } });
            const by = await openAuthor(failing);
            expect((await by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } })).status).to.equal(status);
            await failing.stop();
        }
    });

    it('are scaled as long as somebody waits for them', async () => {
        const tasks: AbortSignal[] = [];
        const slow = await startTestServer({ files: { ...inThisProcess, run: (task, caller, signal) => (task.kind === 'scale' && signal !== undefined ? new Promise((_resolve, reject) => {
            tasks.push(signal);
            signal.addEventListener('abort', () => reject(new Ended('its caller has left')));
        }) : inThisProcess.run(task, caller)) } });
        await slow.server.start();
        const by = await openAuthor(slow);
        const bytes = await picture();
        await by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
        const ask = (): Socket => {
            const socket = connect(Number(slow.server.info.port), '127.0.0.1').on('error', () => undefined);
            socket.write(`GET /assets/${hashOf(bytes)}?width=64 HTTP/1.1\r\nHost: a\r\n\r\n`);
            return socket;
        };

        const [one, other] = [ask(), ask()];
        await until(() => tasks.length === 1);
        await sleep(100);
        one.destroy();
        await sleep(100);
        expect(tasks.map(({ aborted }) => aborted)).to.equal([false]);
        other.destroy();
        await until(() => tasks[0]?.aborted);
        const again = ask();
        await until(() => tasks.length === 2);
        again.destroy();
        await until(() => tasks[1]?.aborted);
        await until(() => readdirSync(slow.assets.incoming).length === 0);
        await slow.stop();
    });

    it('that were accepted before are not scaled', async () => {
        const bytes = await picture('avif');
        const hash = hashOf(bytes);
        await put(bytes, 'image/avif');
        const large = join(test.assets.incoming, 'large.avif');
        await blank(4000, 3200).avif({ effort: 0, quality: 1 }).toFile(large);
        await test.assets.put(hash, large, 'image/avif');
        const { status, body } = await test.call('GET', `/assets/${hash}?width=320`);
        const failing = await startTestServer({
            database: test.database, assets: test.assets, files: { ...files, run: () => Promise.reject(new Error('no more processes')) }
        });
        expect((await failing.call('GET', `/assets/${hash}?width=640`)).status).to.equal(500);
        await failing.server.stop();
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
