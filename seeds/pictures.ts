import { deflateSync } from 'node:zlib';

/** An SVG drawing as a data URI; only characters that a URI cannot have are escaped, so that the source stays legible. */
export const svg = function (width: number, height: number, drawing: string): string {
    const source = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${drawing}</svg>`;
    const tidy = source.replace(/\s+/g, ' ').replace(/> </g, '><').replace(/"/g, '\'');
    return `data:image/svg+xml;charset=utf-8,${tidy.replace(/[%#<>?{}|\\^`[\]]|[^\x20-\x7e]/gu, encodeURIComponent)}`;
};

/**
 * Pixel art as a PNG data URI: one character of `rows` is one pixel.
 * @param palette the colour (`#rrggbb`) of each character; a character that is not in it is transparent.
 */
export const png = function (rows: string[], palette: Record<string, string>): string {
    const width = Math.max(...rows.map((row) => row.length));
    const colours = Object.entries(palette);
    const indexOf = (mark: string) => colours.findIndex(([name]) => name === mark) + 1;

    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(rows.length, 4);
    header.set([8, 3], 8);          // Eight bits for each pixel, an index into the palette
    const pixels = rows.map((row) => [0, ...Array.from(row.padEnd(width), indexOf)]);
    const chunks = [
        chunk('IHDR', header),
        chunk('PLTE', Buffer.concat([Buffer.alloc(3), ...colours.map(([, colour]) => Buffer.from(colour.slice(1), 'hex'))])),
        chunk('tRNS', Buffer.from([0])),
        chunk('IDAT', deflateSync(Buffer.from(pixels.flat()))),
        chunk('IEND', Buffer.alloc(0))
    ];
    return `data:image/png;base64,${Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]).toString('base64')}`;
};

const chunk = function (name: string, content: Buffer): Buffer {
    const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
    const framed = Buffer.alloc(named.length + 8);
    framed.writeUInt32BE(content.length, 0);
    framed.set(named, 4);
    framed.writeUInt32BE(crc32(named), named.length + 4);
    return framed;
};

/** Node's own `zlib.crc32` came with 20.15; this one runs on every Node 20. */
const crc32 = function (bytes: Buffer): number {
    let crc = 0xffffffff;
    for (const byte of bytes) {
        crc ^= byte;
        for (let i = 0; i < 8; ++i) {
            crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }

    return (crc ^ 0xffffffff) >>> 0;
};
