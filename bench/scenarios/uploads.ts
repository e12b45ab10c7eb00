import { createHash, randomFillSync } from 'node:crypto';

import type { Client } from '../load/client';
import { special } from './fill';
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

/** In hex. */
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Sends an asset. @returns its hash, and how long it took in milliseconds */
export async function upload({ author }: Pick<Served, 'author'>, client: Client, bytes: Buffer, type: string): Promise<{ hash: string; ms: number }> {
    const hash = sha256(bytes);
    const { ms } = await client.call({ method: 'PUT', path: `/users/${special.user}/assets/${hash}`, headers: { ...author, 'content-type': type }, body: bytes }, 201);
    return { hash, ms };
}
