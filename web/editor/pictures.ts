import type { Client } from '../../client/src/index.js';
import type { Piece } from './editor.js';

/** A new picture is at most so many units wide and high. */
const WIDEST = 240;
const HIGHEST = 300;

/** The size of a picture in pixels, as far as the browser can tell. */
async function sizeOf(file: Blob): Promise<{ width: number; height: number }> {
    const address = URL.createObjectURL(file);
    try {
        const image = new Image();
        image.src = address;
        await image.decode();
        return { width: image.naturalWidth || WIDEST, height: image.naturalHeight || WIDEST };
    }
    catch {
        return { width: WIDEST, height: WIDEST };
    }
    finally {
        URL.revokeObjectURL(address);
    }
}

/** Sends a file, and makes an element that shows it. */
export async function readPicture(client: Client, file: File): Promise<Piece> {
    const kind = file.type.startsWith('audio/') ? 'sound' : file.type.startsWith('video/') ? 'video' : 'image';
    const [src, { width, height }] = await Promise.all([client.assets.upload(file), kind === 'image' ? sizeOf(file) : Promise.resolve({ width: WIDEST, height: kind === 'sound' ? 54 : 135 })]);
    const scale = Math.min(1, WIDEST / width, HIGHEST / height);
    return { type: kind, attributes: { src, alt: file.name.replace(/\.\w+$/, '') }, styles: { width: Math.round(width * scale), height: Math.round(height * scale) } };
}
