import { fault } from '../../api/errors/errors';
import { checkCodings, isWholeMp4, text } from './mp4';
import type { AssetType } from './types';

/*
 * Whether files are whole, by the structure of their formats: each says how long its parts are, so one that was cut off ends within a part.
 * Each check takes time in proportion to the file, and looks at no part twice.
 */

/** PNG, section 5.3: chunks of a length, a name, and a checksum, the last of which is IEND. */
function isWholePng(bytes: Buffer): boolean {
    let at = 8;
    while (at + 12 <= bytes.length) {
        const name = text(bytes, at + 4, 4);
        at += 12 + bytes.readUInt32BE(at);
        if (name === 'IEND') {
            return at <= bytes.length;
        }
    }

    return false;
}

const END_OF_IMAGE = 0xd9;

/** Markers that are no segments: TEM, RST0 to RST7. */
const isAlone = (marker: number): boolean => marker === 1 || (marker >= 0xd0 && marker <= 0xd7);

/**
 * JPEG, ISO/IEC 10918-1 annex B: segments of a length, and after a start of a scan its data, in which FF 00 is a byte. Some cameras leave
 * other bytes between segments. Decoders skip them as they do data, up to the next FF that does not stand for itself, and so does this.
 */
function isWholeJpeg(bytes: Buffer): boolean {
    let at = 2;
    while ((at = bytes.indexOf(0xff, at)) >= 0) {
        // Bytes FF may fill the space before a marker.
        while (bytes[at] === 0xff) {
            at++;
        }

        const marker = bytes[at++] ?? 0;
        if (marker === END_OF_IMAGE) {
            return true;
        }

        if (marker !== 0 && !isAlone(marker)) {
            at = at + 2 > bytes.length ? bytes.length : at + bytes.readUInt16BE(at);
        }
    }

    return false;
}

/** RIFF: chunks of a name and a length, padded to even lengths, within one that says the length of all. */
function isWholeWav(bytes: Buffer): boolean {
    // Who writes a sound while it is recorded does not know its length yet: then it is all of the rest.
    const isOpen = bytes.readUInt32LE(4) === 0xffff_ffff;
    let [at, names] = [12, ''];
    while (at + 8 <= bytes.length) {
        const name = text(bytes, at, 4);
        const length = isOpen && name === 'data' ? bytes.length - at - 8 : bytes.readUInt32LE(at + 4);
        names += name;
        at += 8 + length + (length % 2);
    }

    // The last byte may lack its padding.
    return names.includes('fmt ') && names.includes('data') && at <= bytes.length + 1 && (isOpen || bytes.readUInt32LE(4) <= bytes.length - 8);
}

/** Ogg, RFC 3533 section 6: pages with a table of the lengths of their parts. Streams end with a page that says so. */
function isWholeOgg(bytes: Buffer): boolean {
    const open = new Set<number>();
    let at = 0;
    while (at + 27 <= bytes.length && text(bytes, at, 4) === 'OggS') {
        const flags = bytes.readUInt8(at + 5);
        const parts = bytes.subarray(at + 27, at + 27 + bytes.readUInt8(at + 26));
        const stream = bytes.readUInt32LE(at + 14);
        if ((flags & 4) === 0) {
            open.add(stream);
        }
        else {
            open.delete(stream);
        }

        at += 27 + parts.length + parts.reduce((sum, part) => sum + part, 0);
    }

    return at === bytes.length && open.size === 0;
}

const UNKNOWN = -1;

/** A number of EBML, RFC 8794 section 4: its first bit that is set says how many bytes it has. One that is not whole is infinite. */
function ebmlNumber(bytes: Buffer, at: number): { value: number; length: number } {
    const first = Number(bytes[at]);
    const length = Math.clz32(first) - 23;
    if (length > 8 || at + length > bytes.length) {
        return { value: Infinity, length };
    }

    let value = first & (0xff >> length);
    let isUnknown = value === (0xff >> length);
    for (const byte of bytes.subarray(at + 1, at + length)) {
        value = value * 256 + byte;
        isUnknown &&= byte === 0xff;
    }

    return { value: isUnknown ? UNKNOWN : value, length };
}

/** The end of an EBML element; one of unknown length, as recorders write it, has no end to look at. */
function endOfElement(bytes: Buffer, at: number, idLength: number): number {
    const { value, length } = ebmlNumber(bytes, at + idLength);
    return value === UNKNOWN ? bytes.length : at + idLength + length + value;
}

const SEGMENT = '18538067';

/** WebM: a header and a segment, each of a length. */
function isWholeWebm(bytes: Buffer): boolean {
    const segment = endOfElement(bytes, 0, 4);
    return segment + 4 < bytes.length && bytes.toString('hex', segment, segment + 4) === SEGMENT && endOfElement(bytes, segment, 4) === bytes.length;
}

const RATES = { 3: [44_100, 48_000, 32_000], 2: [22_050, 24_000, 16_000], 0: [11_025, 12_000, 8000] } as const;
const KBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Bytes of a frame of MPEG audio layer III by its header (ISO/IEC 11172-3 section 2.4.2.3); undefined if it is none. */
function frameLength(header: number): number | undefined {
    const version = (header >>> 19) & 3;
    const rates = version === 1 ? undefined : RATES[version === 0 ? 0 : version === 2 ? 2 : 3];
    const rate = rates?.[(header >>> 10) & 3];
    const kbits = (version === 3 ? KBITS_1 : KBITS_2)[(header >>> 12) & 15];
    if (header >>> 21 !== 0x7ff || ((header >>> 17) & 3) !== 1 || rate === undefined || !kbits) {
        return undefined;
    }

    return Math.floor((version === 3 ? 144 : 72) * kbits * 1000 / rate) + ((header >>> 9) & 1);
}

/** MPEG audio: frames one after the other, with descriptions (ID3v2) and zeros before and between them, and others after them. */
function isWholeMp3(bytes: Buffer): boolean {
    let [at, frames] = [0, 0];
    while (at + 4 <= bytes.length) {
        const isTag = text(bytes, at, 3) === 'ID3' && at + 10 <= bytes.length;
        const tag = isTag ? 10 + bytes.subarray(at + 6, at + 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0) : undefined;
        const length = tag ?? (bytes[at] === 0 ? 1 : frameLength(bytes.readUInt32BE(at)));
        if (length === undefined) {
            return frames > 0 && ['TAG', 'LYR', 'APE'].includes(text(bytes, at, 3));
        }

        at += length;
        frames += length > 1 && !isTag ? 1 : 0;
    }

    return frames > 0 && at <= bytes.length;
}

const checks: Partial<Record<AssetType, (bytes: Buffer) => boolean>> = {
    'image/png': isWholePng, 'image/jpeg': isWholeJpeg, 'audio/wav': isWholeWav, 'audio/mpeg': isWholeMp3, 'audio/ogg': isWholeOgg, 'audio/mp4': isWholeMp4, 'video/mp4': isWholeMp4,
    'audio/webm': isWholeWebm, 'video/webm': isWholeWebm
};

/**
 * Types of a container that the library recognizes: which of these it is, sound or film, says whoever sends it. A missing one is itself.
 */
const MP4: readonly AssetType[] = ['video/mp4', 'audio/mp4'];
const sniffed: Readonly<Record<string, readonly AssetType[]>> = {
    'audio/ogg; codecs=opus': ['audio/ogg'], 'application/ogg': ['audio/ogg'], 'video/webm': ['video/webm', 'audio/webm'], 'audio/webm': ['video/webm', 'audio/webm'], 'image/apng': ['image/png'],
    'video/mp4': MP4, 'video/x-m4v': MP4, 'audio/x-m4a': MP4, 'video/quicktime': MP4, 'video/3gpp': MP4
};

/**
 * Checks that bytes are a whole file of a type, as far as its structure tells.
 * @throws 400 type_mismatch
 */
export async function checkWhole(bytes: Buffer, type: AssetType): Promise<void> {
    const { fileTypeFromBuffer } = await import('file-type');
    // The beginning is enough for the types that there are.
    const found = (await fileTypeFromBuffer(bytes.subarray(0, 64 * 1024)))?.mime ?? 'unknown';
    if (!(sniffed[found] ?? [found]).includes(type)) {
        throw fault('type_mismatch', `The body is not ${type} by its content.`);
    }

    if (checks[type]?.(bytes) === false) {
        throw fault('type_mismatch', `The body is not a whole ${type} file: it is cut off or damaged.`);
    }

    if (MP4.includes(type)) {
        checkCodings(bytes, type === 'audio/mp4' ? 'soun' : 'vide');
    }
}
