import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

import type { Knex } from 'knex';
import sharp from 'sharp';

import { isCluster } from './on-cluster';
import type { TestServer } from './server';

/** SHA-256 in hex, as it is in paths. */
export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** What an element refers to an asset by. */
export const referenceTo = (bytes: Buffer): string => `asset:${hashOf(bytes)}`;

/** Stores a file, as an upload does. */
export async function storeAsset({ assets, database }: Pick<TestServer, 'assets' | 'database'>, bytes: Buffer, type: string): Promise<void> {
    const hash = hashOf(bytes);
    const file = join(assets.incoming, hash);
    await writeFile(file, bytes);
    await assets.put(hash, file, type);
    await database.db('assets').insert({ hash, type, size: bytes.length });
}

let serial = 0;

/** A small picture that no other call makes. */
export function picture(format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' = 'png', { width = 40, height = 30 } = {}): Promise<Buffer> {
    const n = ++serial;
    const background = { r: n % 256, g: (n >> 8) % 256, b: 100 };
    return sharp({ create: { width, height, channels: 3, background } }).composite([{ input: { create: { width: 3, height: 3, channels: 3, background: '#fff' } }, left: n % 30, top: 2 }])[format]().toBuffer();
}

/** A picture of about so many bytes, as its pixels are random. */
export const noise = (bytes: number): Promise<Buffer> => {
    const side = Math.ceil(Math.sqrt(bytes / 3));
    return sharp({ create: { width: side, height: side, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } } }).png({ compressionLevel: 0 }).toBuffer();
};

/** Makes the time longer since assets were used last. A cluster also notes it in the shard where a use ended. */
export async function ageAssets(db: Knex, days: number): Promise<void> {
    await db.raw('update assets set unused_since = unused_since - make_interval(days => ?)', [days]);
    await (isCluster && db.raw('update ended_asset_uses set ended_at = ended_at - make_interval(days => ?)', [days]));
}

export const drawing = (inside = ''): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="20">${inside}</svg>`);

const chunk = (name: string, bytes: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(bytes.length, 4);
    return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)]);
};

export function wav(samples = 100, chunks?: Buffer[]): Buffer {
    const format = Buffer.alloc(16);
    format.writeUInt16LE(1, 0);
    format.writeUInt16LE(1, 2);
    format.writeUInt32LE(8000, 4);
    format.writeUInt32LE(8000, 8);
    format.writeUInt16LE(1, 12);
    format.writeUInt16LE(8, 14);
    return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks ?? [chunk('fmt ', format), chunk('data', Buffer.alloc(samples, 128))]]));
}

/** MPEG-1 layer III, 128 kbit/s at 44.1 kHz: each frame has 417 bytes. */
export const mp3 = (frames = 5): Buffer => Buffer.concat(Array.from({ length: frames }, () => Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)])));

export const box = (name: string, bytes: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + bytes.length);
    head.write(name, 4, 'latin1');
    return Buffer.concat([head, bytes]);
};

export const mp4 = (): Buffer => Buffer.concat([box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2', 'latin1')), box('mdat', Buffer.alloc(50)), box('moov', Buffer.alloc(20))]);

/** A sound in MP4. */
export const m4a = (): Buffer => Buffer.concat([box('ftyp', Buffer.from('M4A \0\0\x02\0M4A isomiso2', 'latin1')), box('moov', Buffer.alloc(20)), box('mdat', Buffer.alloc(51))]);

/** A file of QuickTime with tracks of a kind and a coding; without one, the tracks do not say. */
export function quickTime(coding: string, tracks = 1, kind = 'vide'): Buffer {
    const name = box('hdlr', Buffer.concat([Buffer.alloc(8), Buffer.from(kind), Buffer.alloc(12)]));
    const codings = box('stsd', Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), box(coding || 'none', Buffer.alloc(20))]));
    const track = box('trak', box('mdia', Buffer.concat([name, ...coding === '' ? [] : [box('minf', box('stbl', codings))]])));
    return Buffer.concat([box('ftyp', Buffer.from('qt  \0\0\x02\0qt  ', 'latin1')), box('wide', Buffer.alloc(0)), box('mdat', Buffer.alloc(52)), box('moov', Buffer.concat(Array.from({ length: tracks }, () => track)))]);
}

/** A PNG that moves. */
export async function apng(): Promise<Buffer> {
    const png = await picture('png');
    const control = Buffer.alloc(20);
    control.writeUInt32BE(8);
    control.write('acTL', 4, 'latin1');
    control.writeUInt32BE(1, 8);
    control.writeUInt32BE(crc32(control.subarray(4, 16)), 16);
    return Buffer.concat([png.subarray(0, 33), control, png.subarray(33)]);
}

const oggPage = (flags: number, bytes: Buffer): Buffer => {
    const head = Buffer.alloc(28);
    head.write('OggS', 'latin1');
    head.writeUInt8(flags, 5);
    head.writeUInt32LE(7, 14);
    head.writeUInt8(1, 26);
    head.writeUInt8(bytes.length, 27);
    return Buffer.concat([head, bytes]);
};

export const ogg = (): Buffer => Buffer.concat([oggPage(2, Buffer.from('OpusHead\x01\x02\0\0\x80\xbb\0\0\0\0\0', 'latin1')), oggPage(0, Buffer.alloc(30)), oggPage(4, Buffer.alloc(20))]);

export const ebml = (id: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([0x40 | (bytes.length >> 8), bytes.length & 0xff]), bytes]);

/** The header of a WebM file. */
export const webmHead = (): Buffer => ebml('1a45dfa3', Buffer.concat([Buffer.from('4282', 'hex'), Buffer.from([0x84]), Buffer.from('webm')]));

/** Sound alone in WebM. */
export const weba = (): Buffer => Buffer.concat([webmHead(), ebml('18538067', Buffer.alloc(61))]);

export const webm = (): Buffer => Buffer.concat([webmHead(), ebml('18538067', Buffer.alloc(60))]);
