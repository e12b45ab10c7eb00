import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';

import { bucketStorage } from '../../../src/files/assets/bucket-storage';
import { openStorage, placeOfAssets } from '../../../src/files/assets/open-storage';
import { NoSuchBytes } from '../../../src/files/assets/storage';
import type { AssetStorage } from '../../../src/files/assets/storage';
import { claimStorage } from '../../../src/files/assets/own-storage';
import { removeUnusedAssets } from '../../../src/operations/maintenance/unused-assets';
import { openAuthor } from '../../support/authoring';
import { hashOf, noise, picture, referenceTo } from '../../support/files';
import { BUCKET, S3_KEYS, startS3 } from '../../support/s3';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();
const { describe, it, before, after } = lab;

/** The same that both kinds of storage have to do. */
for (const kind of ['folder', 'bucket'] as const) {
    describe(`Bytes in a ${kind}`, () => {
        let folder: string;
        let s3: Awaited<ReturnType<typeof startS3>> | undefined;
        let url: string | null = null;
        let storage: AssetStorage;

        before(async () => {
            folder = await mkdtemp(join(tmpdir(), 'pagewright-storage-'));
            if (kind === 'bucket') {
                s3 = await startS3(join(folder, 's3'));
                url = `s3://${BUCKET}/some/school/?endpoint=http://127.0.0.1:${s3.port}&region=eu-central-1`;
                Object.assign(process.env, S3_KEYS);
            }

            storage = await openStorage({ assetsUrl: url, dataDir: folder });
        });

        after(async () => {
            storage.close();
            await s3?.close();
            await rm(folder, { recursive: true });
        });

        const put = async (name: string, bytes: Buffer): Promise<void> => {
            const file = join(storage.incoming, name);
            await writeFile(file, bytes);
            await storage.put(name, file, 'image/png');
        };

        it('are stored, read, listed and removed', async () => {
            const names = ['b', 'a', 'c'].map((digit) => digit.repeat(64));
            for (const [n, name] of [...names, `${names[0]}-320`].entries()) {
                await put(name, Buffer.from(`bytes ${n}`));
            }

            expect(await storage.size(String(names[1]))).to.equal(7);
            expect(String(await buffer(await storage.open(String(names[1]))))).to.equal('bytes 1');
            expect(String(await buffer(await storage.open(String(names[1]), { start: 2, end: 4 })))).to.equal('tes');
            const list = async (olderThan: number): Promise<string[]> => {
                const all: string[] = [];
                for await (const some of storage.list(olderThan)) {
                    all.push(...some);
                }

                return all;
            };

            expect(await storage.owner()).to.be.undefined();
            await storage.setOwner('one');
            await storage.setOwner('another');
            expect(await storage.owner()).to.equal('another');
            expect((await list(-5000)).sort()).to.equal([names[1], names[0], `${names[0]}-320`, names[2]]);
            expect(await list(60_000)).to.equal([]);
            await storage.remove(String(names[2]));
            await storage.remove(String(names[2]));
            expect(await storage.size(String(names[2]))).to.be.undefined();
            await expect(storage.open(String(names[2]))).to.reject(NoSuchBytes);
            for (const name of await list(-5000)) {
                await storage.remove(name);
            }
        });

        it('are what a service stores and serves', async () => {
            const test: TestServer = await startTestServer({ assets: storage });
            const author = await openAuthor(test);
            const bytes = await noise(300_000);
            const send = (): Promise<Answer> => author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
            expect((await send()).status).to.equal(201);
            expect((await send()).status).to.equal(200);
            await author.element((await author.project()).page, { attributes: { src: referenceTo(bytes) } });
            const path = `/assets/${hashOf(bytes)}`;
            const [whole, part] = [await test.server.inject(path), await test.server.inject({ url: path, headers: { range: 'bytes=5-9' } })];
            expect([whole.statusCode, whole.rawPayload.equals(bytes)]).to.equal([200, true]);
            expect([part.statusCode, part.rawPayload.equals(bytes.subarray(5, 10)), part.headers['content-range']]).to.equal([206, true, `bytes 5-9/${bytes.length}`]);
            // Nothing of what the place of the bytes says of itself.
            expect(Object.keys(whole.headers).filter((name) => /^x-amz|^last-modified|^server/u.test(name))).to.equal([]);
            expect((await test.server.inject(`${path}?width=64`)).headers['content-type']).to.equal('image/webp');
            const unused = await picture();
            await author.call('PUT', `/users/me/assets/${hashOf(unused)}`, unused, { headers: { 'content-type': 'image/png' } });
            const clean = async (): Promise<void> => {
                await test.database.db.raw(`update assets set unused_since = now() - interval '8 days'`);
                for await (const _step of removeUnusedAssets(test.database.db, storage)) {
                    // All of it.
                }
            };

            // It belongs to another database.
            await clean();
            expect(await storage.size(hashOf(unused))).to.equal(unused.length);
            await claimStorage(test.database.db, storage);
            await clean();
            expect(await storage.size(hashOf(unused))).to.be.undefined();
            expect(await storage.size(hashOf(bytes))).to.equal(bytes.length);
            await test.stop();
        });

        it('are looked for no longer where the place fails', async () => {
            if (s3 === undefined) {
                // There may be an asset whose hash begins so.
                await rm(join(folder, 'assets', 'ee'), { recursive: true, force: true });
                await writeFile(join(folder, 'assets', 'ee'), '');
            }
            else {
                await s3.close();
                s3 = undefined;
            }

            const name = 'e'.repeat(64);
            await expect(storage.size(name)).to.reject();
            await expect(storage.open(name)).to.reject();
        });

        it('are where the operator is told', () => {
            expect(placeOfAssets({ assetsUrl: url, dataDir: 'data' })).to.equal(kind === 'folder' ? join('data', 'assets') : 's3://pictures/some/school/');
        });
    });
}

describe('A bucket', () => {
    it('is that of the region and the address that the SDK finds, where the URL names none', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-storage-'));
        const s3 = await startS3(join(folder, 's3'));
        Object.assign(process.env, S3_KEYS, { AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${s3.port}` });
        try {
            const storage = await openStorage({ assetsUrl: 's3://pictures', dataDir: folder });
            expect(await storage.size('a'.repeat(64))).to.be.undefined();
            storage.close();
        }
        finally {
            delete process.env.AWS_ENDPOINT_URL_S3;
            await s3.close();
            await rm(folder, { recursive: true });
        }
    });

    it('is of no use to whoever does not know its secret', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-storage-'));
        const s3 = await startS3(join(folder, 's3'));
        Object.assign(process.env, S3_KEYS, { AWS_SECRET_ACCESS_KEY: 'another' });
        const storage = await openStorage({ assetsUrl: `s3://${BUCKET}?endpoint=http://127.0.0.1:${s3.port}`, dataDir: folder });
        const file = join(storage.incoming, 'file');
        await writeFile(file, 'bytes');
        const answers = [storage.put('a'.repeat(64), file, 'image/png'), storage.size('a'.repeat(64)), storage.open('a'.repeat(64)), storage.remove('a'.repeat(64))];
        expect((await Promise.allSettled(answers)).map((answer) => answer.status === 'rejected' && Reflect.get(answer.reason.$metadata, 'httpStatusCode'))).to.equal([403, 403, 403, 403]);
        storage.close();
        await s3.close();
        await rm(folder, { recursive: true });
    });
});

/** A line of the log, as far as it is looked at here. */
interface LogLine {
    level: number;
    err: { type: string; message: string };
}

/** pino's numbers of these levels. */
const WARNING = 40;
const ERROR = 50;

/** A log that puts its warnings and errors into a list. */
const warningsTo = (told: LogLine[]): Logger => pino({ level: 'warn' }, { write: (line) => void told.push(JSON.parse(line)) });

describe('Where no bytes can be stored', () => {
    for (const [why, error, status, code, retry] of [
        ['the disk is full', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }), 503, 'storage_full', '30'],
        ['the user of the process may have no more', Object.assign(new Error('EDQUOT'), { code: 'EDQUOT' }), 503, 'storage_full', '30'],
        ['the disk is damaged', Object.assign(new Error('EIO'), { code: 'EIO' }), 500, 'internal_error', undefined]
    ] as const) {
        it(`as ${why}, an upload is ${status} ${code} and leaves nothing`, async () => {
            const folder = await mkdtemp(join(tmpdir(), 'pagewright-storage-'));
            const assets = { ...await openStorage({ assetsUrl: null, dataDir: folder }), put: () => Promise.reject(error) };
            const told: LogLine[] = [];
            const test = await startTestServer({ assets, logger: warningsTo(told) });
            const author = await openAuthor(test);
            const bytes = await picture();
            const answer = await author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
            expect([answer.status, answer.body.code, answer.headers['retry-after']?.toString()]).to.equal([status, code, retry]);
            expect(told.map(({ level, err }) => [level, err.message])).to.equal([[status === 503 ? WARNING : ERROR, error.message]]);
            expect((await author.call('POST', '/users/me/assets/missing', { ids: [hashOf(bytes)] })).body.missing).to.equal([hashOf(bytes)]);
            expect(await readdir(assets.incoming)).to.equal([]);
            await test.stop();
            await rm(folder, { recursive: true });
        });
    }

    it('as the bucket does not answer, is down or fails, uploads and pictures are 503 with Retry-After', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-storage-'));
        const answers: RequestListener[] = [];
        const bucket = createServer((request, response) => {
            request.resume();
            answers[0]?.(request, response);
        });
        await once(bucket.listen(0, '127.0.0.1'), 'listening');
        const { port } = Object(bucket.address());
        Object.assign(process.env, S3_KEYS);
        const assets = await bucketStorage(`s3://${BUCKET}?endpoint=http://127.0.0.1:${port}`, join(folder, 'incoming'), { connectionTimeout: 200, requestTimeout: 200, throwOnRequestTimeout: true });
        answers[0] = (_request, response) => response.end();
        await assets.prepare();
        const registry = new Registry();
        const told: LogLine[] = [];
        const test = await startTestServer({ assets, registry, logger: warningsTo(told) });
        const author = await openAuthor(test);
        const bytes = await picture();
        const url = `/users/me/assets/${hashOf(bytes)}`;
        const upload = (): Promise<Answer> => author.call('PUT', url, bytes, { headers: { 'content-type': 'image/png' } });
        for (const answer of [() => undefined, (_request, response) => response.writeHead(500).end(), (request) => request.socket.destroy()] satisfies RequestListener[]) {
            answers[0] = answer;
            const { status, body, headers } = await upload();
            expect([status, body.code, headers['retry-after']]).to.equal([503, 'service_unavailable', '5']);
            expect(body.message).to.equal('The place for pictures and sounds cannot be reached just now. Try again in a moment.');
        }

        expect(await registry.metrics()).to.contain('\nstorage_failures_total 3\n');
        expect(told.splice(0).map(({ level, err }) => [level, err.type])).to.equal(Array.from({ length: 3 }, () => [WARNING, 'StorageUnreachable']));
        answers[0] = (_request, response) => response.writeHead(403).end();
        expect((await upload()).status).to.equal(500);
        expect(told.map(({ level }) => level)).to.equal([ERROR]);
        expect(await readdir(assets.incoming)).to.equal([]);
        await test.stop();
        assets.close();
        bucket.closeAllConnections();
        bucket.close();
        await rm(folder, { recursive: true });
    });
});

describe('What a crash left on its way', () => {
    it('is removed when it is old enough, and never what cannot be looked at', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-storage-'));
        const storage = await openStorage({ assetsUrl: null, dataDir: folder });
        await writeFile(join(storage.incoming, 'left'), '');
        await symlink(join(folder, 'nowhere'), join(storage.incoming, 'link'));
        await storage.tidy(60_000);
        expect((await readdir(storage.incoming)).sort()).to.equal(['left', 'link']);
        await storage.tidy(-5000);
        expect(await readdir(storage.incoming)).to.equal(['link']);
        await rm(folder, { recursive: true });
    });
});

describe('A place for bytes that cannot be used', () => {
    it('is told at the start', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-storage-'));
        await writeFile(join(folder, 'file'), '');
        await expect(openStorage({ assetsUrl: null, dataDir: join(folder, 'file') })).to.reject(/^The place for assets, .*assets, cannot be used: ENOTDIR/);
        await expect(openStorage({ assetsUrl: null, dataDir: '/proc/x' })).to.reject(/^The place for assets, .*assets, cannot be used: ENOENT/);
        await expect(openStorage({ assetsUrl: 's3://pictures?endpoint=http://127.0.0.1:9', dataDir: folder })).to.reject(/^The place for assets, s3:\/\/pictures, cannot be used/);
        await rm(folder, { recursive: true });
    });
});
