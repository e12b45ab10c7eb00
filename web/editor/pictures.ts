import { pixelArtWidth } from '../../client/src/render/index.js';
import type { Piece } from './document.js';
import type { Uploads } from './uploads.js';

/** A new picture is at most so many units wide and high. */
const WIDEST = 240;
const HIGHEST = 300;

/** Formats without loss, which drawings are kept in. */
const lossless = new Set(['image/png', 'image/gif', 'image/webp']);

/** Pixel art has at most so many colours, and pixels on a side, if it is wider than `pixelArtWidth`. */
const FEW_COLOURS = 64;
const LARGEST_PIXEL_ART = 320;

interface Look {
    width: number;
    height: number;
    pixelArt?: boolean;
}

function hasFewColours(image: HTMLImageElement): boolean {
    const { naturalWidth: width, naturalHeight: height } = image;
    const context = Math.max(width, height) <= LARGEST_PIXEL_ART ? Object.assign(document.createElement('canvas'), { width, height }).getContext('2d') : null;
    context?.drawImage(image, 0, 0);
    return context !== null && new Set(new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)).size <= FEW_COLOURS;
}

/** How a picture looks, as far as the browser can tell. docs/format.md says what pixel art is. */
async function lookOf(file: Blob): Promise<Look> {
    const address = URL.createObjectURL(file);
    try {
        const image = new Image();
        image.src = address;
        await image.decode();
        const { naturalWidth: width, naturalHeight: height } = image;
        return { width: width || WIDEST, height: height || WIDEST, pixelArt: lossless.has(file.type) && (width <= pixelArtWidth || hasFewColours(image)) };
    }
    catch {
        return { width: WIDEST, height: WIDEST };
    }
    finally {
        URL.revokeObjectURL(address);
    }
}

/** Types by the endings of names, where the system knows none. */
const byEnding: Readonly<Record<string, string>> = { heic: 'image/heic', heif: 'image/heif', avif: 'image/avif', m4a: 'audio/mp4', weba: 'audio/webm', mov: 'video/quicktime' };

/** Types by how files begin. What may be a sound or a film is left to the name. */
const byBeginning: readonly (readonly [beginning: RegExp, type: string])[] = [
    [/^\x89PNG/, 'image/png'], [/^\xff\xd8\xff/, 'image/jpeg'], [/^GIF8/, 'image/gif'], [/^RIFF.{4}WEBP/s, 'image/webp'], [/^.{4}ftypavi[fs]/s, 'image/avif'],
    [/^.{4}ftyp(?:hei|hev|heim|heis)/s, 'image/heic'], [/^RIFF.{4}WAVE/s, 'audio/wav'], [/^(?:ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'], [/^.{4}ftypM4A/s, 'audio/mp4']
];

/** A file with the type of its content, whatever its name says; with that of its name, if the content does not tell and the system knows none. */
export async function withType(file: File): Promise<File> {
    const beginning = Array.from(new Uint8Array(await file.slice(0, 16).arrayBuffer()), (byte) => String.fromCharCode(byte)).join('');
    const named = file.type || byEnding[file.name.toLowerCase().split('.').at(-1) ?? ''] || '';
    const type = byBeginning.find(([pattern]) => pattern.test(beginning))?.[1] ?? named;
    return type === file.type ? file : new File([file], file.name, { type });
}

/** Makes an element that shows a file, which is sent meanwhile. */
export async function readPicture(uploads: Uploads, file: File, known?: 'sound'): Promise<Piece> {
    const kind = known ?? (file.type.startsWith('audio/') ? 'sound' : file.type.startsWith('video/') ? 'video' : 'image');
    const [src, { width, height, pixelArt = false }]: [string, Look] = await Promise.all([uploads.add(file, file.name), kind === 'image' ? lookOf(file) : Promise.resolve({ width: WIDEST, height: kind === 'sound' ? 54 : 135 })]);
    const scale = Math.min(1, WIDEST / width, HIGHEST / height);
    return { type: kind, attributes: { src, alt: file.name.replace(/\.\w+$/, '') }, styles: { width: Math.round(width * scale), height: Math.round(height * scale), ...pixelArt ? { imageRendering: 'pixelated' } : {} } };
}
