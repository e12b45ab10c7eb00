import { createHash, randomFillSync } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

import sharp from 'sharp';

import { Client } from '../load/client';
import { cpuOf } from '../measure/accounting';
import { median } from '../measure/figures';
import type { Fact } from '../measure/figures';
import { number } from '../report/table';
import { special } from './fill';
import { uploadSteps } from './peers';
import type { Served } from './world';

const HEAD_OF_WAV = 44;

/** A file of sound of so many random bytes, as the check of it takes least. */
export function sound(bytes: number): Buffer {
    const file = randomFillSync(Buffer.alloc(bytes), HEAD_OF_WAV);
    file.write('RIFF', 0, 'latin1');
    file.writeUInt32LE(bytes - 8, 4);
    file.write('WAVEfmt ', 8, 'latin1');
    file.writeUInt32LE(16, 16);
    file.writeUInt16LE(1, 20);
    file.writeUInt16LE(1, 22);
    file.writeUInt32LE(8000, 24);
    file.writeUInt32LE(8000, 28);
    file.writeUInt16LE(1, 32);
    file.writeUInt16LE(8, 34);
    file.write('data', 36, 'latin1');
    file.writeUInt32LE(bytes - HEAD_OF_WAV, 40);
    return file;
}

/** A photo-like picture of so many pixels on a side, which no other call makes. */
export const photo = (side: number): Promise<Buffer> => {
    return sharp({ create: { width: side, height: side, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 30 } } }).jpeg({ quality: 90 }).toBuffer();
};

/** In hex. */
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Sends an asset. @returns its hash, and how long it took in milliseconds */
export async function upload({ author }: Pick<Served, 'author'>, client: Client, bytes: Buffer, type: string): Promise<{ hash: string; ms: number }> {
    const hash = sha256(bytes);
    const { ms } = await client.call({ method: 'PUT', path: `/users/${special.user}/assets/${hash}`, headers: { ...author, 'content-type': type }, body: bytes }, 201);
    return { hash, ms };
}

const MIB = 1024 * 1024;

/** Milliseconds of each call. */
interface Times {
    title: string;
    call(bytes: Buffer, type: string): Promise<number>;
    ms: number[];
    pid?: number;
    /** µs of the server's process, of all calls */
    cpu: number;
}

/** Uploads one after another, compared with writing and syncing a file of the same bytes; and with bare hapi that does more and more of what an upload has to do. */
export async function uploadFacts(world: Served, url: string, files: string, calls: number): Promise<Fact[]> {
    const peer = await world.processes.peer('uploads', 'uploads', { url, pool: 1, bytes: files });
    const [client, toPeer] = [new Client(world.service.base, 1), new Client(peer.base, 1)];
    const facts: Fact[] = [];
    for (const [title, make, type] of [['a sound', () => Promise.resolve(sound(2 * MIB)), 'audio/wav'], ['a JPEG picture', () => photo(1420), 'image/jpeg']] as const) {
        const file = { title: 'writing and syncing a file', call: (bytes: Buffer) => written(join(files, `${sha256(bytes)}.written`), bytes), ms: [], cpu: 0 };
        const ours = { title: 'an upload', call: async (bytes: Buffer) => (await upload(world, client, bytes, type)).ms, ms: [], cpu: 0, pid: world.service.pid };
        const steps = uploadSteps.map((step) => ({ title: step, call: async (body: Buffer) => (await toPeer.call({ method: 'PUT', path: `/${step}`, body }, 200)).ms, ms: [], cpu: 0, pid: peer.pid }));
        const kinds: Times[] = [file, ...steps, ours];
        let size = 0;
        for (let n = 0; n < calls; ++n) {
            const bytes = await make();
            size = bytes.length;
            for (const kind of kinds) {
                const before = kind.pid === undefined ? 0 : cpuOf(kind.pid);
                kind.ms.push(await kind.call(bytes, type));
                kind.cpu += kind.pid === undefined ? 0 : cpuOf(kind.pid) - before;
            }
        }

        const ratioTo = (other: Times): number => median(ours.ms.map((ms, call) => ms / (other.ms[call] ?? NaN)));
        const shown = ({ ms, cpu }: Times): string => `${number(median(ms), 1)} ms, CPU ${number(cpu / calls / 1000, 1)} ms`;
        const ratio = ratioTo(file);
        facts.push({
            title: `upload of ${title} of ${number(size / MIB, 1)} MiB, compared with writing and syncing a file`,
            value: `${shown(ours)}; ${number(ratio, 2)}× ${number(median(file.ms), 1)} ms`, target: '≤ 2×', met: ratio <= 2
        });
        const whole = steps.at(-1) ?? file;
        const ratioToWhole = ratioTo(whole);
        facts.push({
            title: 'the same, compared with bare hapi that writes and syncs the body, hashes it and commits a transaction',
            value: `${number(ratioToWhole, 2)}× ${shown(whole)}; ${steps.slice(0, -1).map((step) => `${step.title} ${number(median(step.ms), 1)} ms`).join(', ')}`, target: '≤ 2×', met: ratioToWhole <= 2
        });
    }

    await world.processes.stop(peer.child);
    client.close();
    toPeer.close();
    return facts;
}

/** Writes a file and brings it to the disk. @returns how long it took in milliseconds */
async function written(path: string, bytes: Buffer): Promise<number> {
    const began = performance.now();
    const handle = await open(path, 'wx');
    await handle.writeFile(bytes);
    await handle.sync();
    await handle.close();
    return performance.now() - began;
}
