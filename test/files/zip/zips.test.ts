import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { BadZip, openZip } from '../../../src/files/zip/read-zip';
import { zipOf } from '../../../src/files/zip/write-zip';
import type { NewEntry } from '../../../src/files/zip/write-zip';
import { zipBytes } from '../../support/zips';

export const lab = Lab.script();
const { describe, it } = lab;

describe('zipOf()', () => {
    it('fails if one of its files, or what lists them, fails', async () => {
        const failing = new Error('no such bytes');
        async function* broken(): AsyncGenerator<string> {
            yield await Promise.resolve('beginning');
            throw failing;
        }

        async function* inFile(): AsyncGenerator<NewEntry> {
            yield await Promise.resolve({ name: 'a', content: broken() });
        }

        async function* inList(): AsyncGenerator<NewEntry> {
            yield await Promise.resolve({ name: 'a', content: Readable.from(['a']) });
            throw failing;
        }

        for (const entries of [inFile(), inList()]) {
            const zip = zipOf(entries).resume();
            expect(await new Promise((resolve) => zip.once('error', resolve).once('end', resolve))).to.shallow.equal(failing);
        }
    });

    it('ends what it reads when nobody takes it any more', async () => {
        const ended: string[] = [];
        async function* endless(name: string): AsyncGenerator<Buffer> {
            try {
                for (;;) {
                    yield await Promise.resolve(Buffer.alloc(64 * 1024, 1));
                }
            }
            finally {
                ended.push(name);
            }
        }

        async function* entries(): AsyncGenerator<NewEntry> {
            try {
                yield await Promise.resolve({ name: 'a', content: endless('a'), compress: false });
            }
            finally {
                ended.push('list');
            }
        }

        const zip = zipOf(entries());
        await new Promise((resolve) => zip.once('data', resolve));
        zip.destroy();
        await sleep(50);
        expect(ended).to.equal(['a', 'list']);
    });

    it('reads no file that comes after nobody takes it any more', async () => {
        let read = 0;
        async function* content(): AsyncGenerator<string> {
            ++read;
            yield await Promise.resolve('x');
        }

        async function* entries(): AsyncGenerator<NewEntry> {
            zip.destroy();
            yield await Promise.resolve({ name: 'a', content: content() });
            ++read;
        }

        const zip = zipOf(entries());
        const closed = new Promise((resolve) => zip.once('close', resolve));
        zip.resume();
        await closed;
        await sleep(20);
        expect(read).to.equal(0);
    });

    it('begins no file when nobody takes it any more', async () => {
        let begun = false;
        async function* never(): AsyncGenerator<string> {
            begun = true;
            yield await Promise.resolve('x');
        }

        async function* entries(): AsyncGenerator<NewEntry> {
            await sleep(20);
            yield { name: 'a', content: never() };
        }

        zipOf(entries()).destroy();
        await sleep(60);
        expect(begun).to.be.false();
    });
});

describe('openZip()', () => {
    it('tells a file that cannot be read from a bad zip', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-zips-'));
        const bytes = zipBytes([{ name: 'a', content: 'text', stored: true }, { name: 'b', content: 'text' }]);
        await writeFile(join(folder, 'zip'), bytes);
        const handle = await open(join(folder, 'zip'));
        const files = await openZip(handle, bytes.length, 10);
        const first = files.get('a')!.read()[Symbol.asyncIterator]();
        const reading = files.get('b')!.read()[Symbol.asyncIterator]();
        const read = handle.read.bind(handle);
        // What is around the files is read into a buffer that is there already.
        Object.assign(handle, { read: (...given: Parameters<typeof read>) => (given.length > 1 ? read(...given) : Promise.reject(new Error('The disk is broken'))) });
        for (const one of [first, reading]) {
            const error = await expect(one.next()).to.reject(Error, 'The disk is broken');
            expect(error).to.not.be.instanceof(BadZip);
        }

        await handle.close();
        await rm(folder, { recursive: true });
    });
});
