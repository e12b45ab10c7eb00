import { fault } from '../../api/errors/errors';

/** Bytes as letters. */
export const text = (bytes: Buffer, start: number, length: number): string => bytes.toString('latin1', start, start + length);

/** A box of the ISO base media file format: where what is in it begins, and where it ends. */
interface Box {
    name: string;
    start: number;
    end: number;
}

/**
 * ISO base media file format, ISO/IEC 14496-12 section 4.2: boxes of a length and a name, one after the other, of which the last may end
 * beyond. Stops at one without a length.
 */
function* boxesIn(bytes: Buffer, start: number, end: number): Generator<Box> {
    for (let at = start; at + 8 <= end;) {
        const short = bytes.readUInt32BE(at);
        const length = short === 0 ? end - at : short === 1 && at + 16 <= end ? Number(bytes.readBigUInt64BE(at + 8)) : short;
        if (length < 8) {
            return;
        }

        yield { name: text(bytes, at + 4, 4), start: at + (short === 1 ? 16 : 8), end: at + length };
        at += length;
    }
}

/** Whether a file is whole, and has a box that describes the others. */
export function isWholeMp4(bytes: Buffer): boolean {
    let [hasIndex, end] = [false, 0];
    for (const box of boxesIn(bytes, 0, bytes.length)) {
        hasIndex ||= box.name === 'moov';
        ({ end } = box);
    }

    return end === bytes.length && hasIndex;
}

/** The boxes that are on a way of names. */
function* boxesAt(bytes: Buffer, [name, ...others]: readonly string[], start = 0, end = bytes.length): Generator<Box> {
    for (const box of boxesIn(bytes, start, end)) {
        const inside = { ...box, end: Math.min(box.end, end) };
        if (box.name === name) {
            yield* others.length === 0 ? [inside] : boxesAt(bytes, others, inside.start, inside.end);
        }
    }
}

/** How films and sounds are coded that browsers play, by the first three letters: H.264, H.265, AV1, VP8, VP9; AAC, Opus, FLAC, MP3. */
const played = { vide: ['avc', 'hvc', 'hev', 'dvh', 'av0', 'vp0'], soun: ['mp4', 'Opu', 'fLa', '.mp'] };

/**
 * Checks that what a file is for is coded as browsers can play it: cameras, telephones and programs for cutting also write it in others.
 * @throws 400 type_mismatch
 */
export function checkCodings(bytes: Buffer, of: keyof typeof played): void {
    for (const media of boxesAt(bytes, ['moov', 'trak', 'mdia'])) {
        const [kind] = boxesAt(bytes, ['hdlr'], media.start, media.end);
        const [codings] = boxesAt(bytes, ['minf', 'stbl', 'stsd'], media.start, media.end);
        // After a version and flags, and in the one the number of codings, whose first one has a length and a name.
        if (kind !== undefined && codings !== undefined && text(bytes, kind.start + 8, 4) === of && !played[of].includes(text(bytes, codings.start + 12, 3))) {
            throw fault('type_mismatch', 'It is coded in a way that browsers do not play: save it as MP4 with H.264 and AAC.');
        }
    }
}
