import { constants, crc32, deflateRawSync } from 'node:zlib';

import sharp from 'sharp';

import { box, hashOf } from '../../test/support/files';
import { fileOf, zipBytes } from '../../test/support/zips';

/*
 * Bodies that are small or valid, and expensive to look at, by content type. Each is made by a function, as some take seconds; the number makes it
 * different from those before, so that nothing can be known of it.
 */

const MIB = 1024 * 1024;

export type Hostile = Readonly<Record<string, (n: number) => Buffer | Promise<Buffer>>>;

/** SVG of nearly 10 MB, in which one tag has a million attributes, or as many names to resolve. */
const svg = (inside: string): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="20">${inside}</svg>`);
const repeated = (count: number, text: (n: number) => string): string => Array.from({ length: count }, (_, n) => text(n)).join('');

/** A picture of a few KB with so many pixels on each side. */
const plain = (side: number): sharp.Sharp => sharp({ create: { width: side, height: side, channels: 3, background: '#46a05a' }, limitInputPixels: false });

/** The same picture, made once, and different each time by a box that nobody reads. */
const avif = (side: number, bitdepth: 8 | 12 = 8): Hostile[string] => {
    let made: Promise<Buffer> | undefined;
    return async (n) => {
        made ??= plain(side).avif({ effort: 0, quality: 30, bitdepth }).toBuffer();
        return Buffer.concat([await made, box('free', Buffer.from(String(n)))]);
    };
};

/** The same by a chunk before the last one. */
const png = (side: number, options: sharp.PngOptions & { bits: 8 | 16 }): Hostile[string] => {
    let made: Promise<Buffer> | undefined;
    return async (n) => {
        made ??= (options.bits === 16 ? plain(side).toColourspace('rgb16') : plain(side)).png({ compressionLevel: 1, ...options }).toBuffer();
        const [bytes, text] = [await made, Buffer.from(`tEXtn\0${n}`, 'latin1')];
        const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
        length.writeUInt32BE(text.length - 4);
        checksum.writeUInt32BE(crc32(text));
        return Buffer.concat([bytes.subarray(0, -12), length, text, checksum, bytes.subarray(-12)]);
    };
};

const avifs = avif(3500);

/** A zip of a project with four pictures of 12 megapixels, which are accepted. */
export async function picturesZip(n: number): Promise<Buffer> {
    const pictures = await Promise.all([0, 1, 2, 3].map((at) => avifs(4 * n + at)));
    const hashes = pictures.map(hashOf);
    const elements = hashes.map((hash) => ({ type: 'image', attributes: { src: `asset:${hash}` } }));
    const file = fileOf({ title: `Pictures ${n}` }, [{ x: 0, y: 0, elements }]);
    return zipBytes([{ name: 'project.json', content: JSON.stringify(file) }, ...pictures.map((content, at) => ({ name: `assets/${hashes[at]}.avif`, content, stored: true }))]);
}

/** A zip of a project with so many MiB of blanks, which deflate to a thousandth. */
export function blanksZip(mib: number, title: string): Buffer {
    const [head, tail] = [Buffer.from(`{"format":"pagewright-project","version":1,"project":{"title":"${title}"},"pages":[`), Buffer.from(']}')];
    const blanks = Buffer.alloc(MIB, ' ');
    // Each part ends at a byte, so that the same part can be repeated.
    const part = (bytes: Buffer): Buffer => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
    const middle = part(blanks);
    const content = Buffer.concat([part(head), ...Array.from({ length: mib }, () => middle), deflateRawSync(tail)]);
    let crc = crc32(head);
    for (let n = 0; n < mib; ++n) {
        crc = crc32(blanks, crc);
    }

    return zipBytes([{ name: 'project.json', content, stored: true, method: 8, size: head.length + mib * MIB + tail.length, crc: crc32(tail, crc) }]);
}

export const hostile: Readonly<Record<string, Hostile>> = {
    'image/svg+xml': {
        'a million attributes': (n) => svg(`<g ${repeated(1_000_000, (at) => `a${(at + n).toString(36)}="" `)}/>`),
        'prefixed attributes': (n) => svg(`<g xmlns:p="urn:p${n}" ${repeated(700_000, (at) => `p:${at.toString(36)}="" `)}/>`),
        'prefixed elements': (n) => svg(`<p:g xmlns:p="urn:p${n}" ${repeated(700_000, (at) => `p:${at.toString(36)}="" `)}/>`),
        'namespaces': (n) => svg(`<g ${repeated(350_000, (at) => `xmlns:a${(at + n).toString(36)}="urn:${at}" `)}/>`),
        'a million elements': (n) => svg(`<!--${n}-->${'<g/>'.repeat(2_000_000)}`),
        'deep elements': (n) => svg(`<!--${n}-->${'<g>'.repeat(1_000_000)}${'</g>'.repeat(1_000_000)}`),
        'entities': (n) => svg(`<!--${n}--><text>${'&#38;'.repeat(1_900_000)}</text>`)
    },
    'video/mp4': {
        'a million boxes': (n) => Buffer.concat([box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2', 'latin1')), box('free', Buffer.from(String(n))), Buffer.from(box('free', Buffer.alloc(0)).toString('latin1').repeat(1_250_000), 'latin1'), box('moov', Buffer.alloc(20))])
    },
    'video/webm': {
        'a million elements': (n) => Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.from([0x88]), Buffer.from('4282847765626d', 'hex'), Buffer.from([0]), Buffer.from('1853806701ffffffffffffff', 'hex'), Buffer.from('ec81', 'hex'), Buffer.from([n % 256]), Buffer.from('ec80'.repeat(4_900_000), 'hex')])
    },
    'image/png': {
        '50 megapixels': png(7070, { bits: 8 }), '50 megapixels, interlaced, of 16 bits': png(7070, { bits: 16, progressive: true }), '24 megapixels, interlaced, of 16 bits': png(4900, { bits: 16, progressive: true })
    },
    'image/avif': { '50 megapixels': avif(7070), '12 megapixels': avifs, '9 megapixels of 12 bits': avif(3000, 12) },
    'application/zip': { 'blanks': (n) => blanksZip(511, `Blanks ${n}`), 'pictures': picturesZip }
};

/** Texts that become longer on their way: by folding for the search (U+FDFA has eighteen letters), in HTML, in JSON and in UTF-8. */
export const hostileTexts: Readonly<Record<string, string>> = { 'letters that fold into eighteen': '\uFDFA', 'ampersands': '&', 'tags': '#\u4E00 ' };
