import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import sharp from 'sharp';

import { box, mp4 } from '../../test/support/files';
import { fileOf, zipBytes } from '../../test/support/zips';
import type { Attack } from './attack';
import type { Account, Answer, Attacker } from './attacker';

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes that differ by a number, so that each is a file of its own. */
const numbered = (bytes: Buffer, n: number): Buffer => Buffer.concat([bytes, Buffer.from(`<!-- ${n} -->`)]);

const put = (attacker: Attacker, { path, headers }: Account, bytes: Buffer, type: string): Promise<Answer> => {
    return attacker.call({ method: 'PUT', path: `${path}/assets/${hashOf(bytes)}`, headers: { ...headers, 'content-type': type }, body: bytes });
};

/** Sends files, and leaves before they are checked. */
async function leave(attacker: Attacker, { path, headers }: Account, bytes: Buffer, type: string): Promise<void> {
    const socket = attacker.unread(attacker.whole('PUT', `${path}/assets/${hashOf(bytes)}`, { headers: { ...headers, 'content-type': type, 'content-length': String(bytes.length) }, body: bytes }));
    await sleep(300);
    socket.destroy();
}

async function structures(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const names = Array.from({ length: 800_000 }, (_, n) => n.toString(36));
    const svg = (start: string, inside = ''): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${start}>${inside}</svg>`);
    const files: [Buffer, string][] = [
        [svg(names.map((name) => `a${name}=""`).join(' ')), 'image/svg+xml'],
        [svg('xmlns:p="a"', `<p:a ${names.map((name) => `p:${name}=""`).join(' ')}/>`), 'image/svg+xml'],
        [svg(names.slice(0, 300_000).map((name) => `xmlns:a${name}="${name}"`).join(' ')), 'image/svg+xml'],
        [svg('', '<g/>'.repeat(2_000_000)), 'image/svg+xml'],
        [Buffer.concat([mp4(), Buffer.alloc(1_250_000 * 8, box('free', Buffer.alloc(0)))]), 'video/mp4']
    ];
    await attacker.times(20, 5, async (n) => {
        const [bytes, type] = files[n % files.length] ?? [Buffer.alloc(0), ''];
        await put(attacker, account, type === 'video/mp4' ? Buffer.concat([bytes, box('free', Buffer.from(String(n)))]) : numbered(bytes, n), type);
    });
}

const blank = (width: number, height: number, n: number): ReturnType<typeof sharp> => sharp({ create: { width, height, channels: 3, background: { r: n, g: 100, b: 100 } } });

/** Pictures of a few bytes that take much memory: of the largest size that is accepted, and larger. */
async function pictures(attacker: Attacker): Promise<void> {
    const accounts = await Promise.all(Array.from({ length: 3 }, () => attacker.open()));
    const make = (n: number): Promise<[Buffer, string]> => {
        const avif = async (width: number, height: number, bitdepth: 8 | 12): Promise<[Buffer, string]> => [await blank(width, height, n).avif({ effort: 0, quality: 1, bitdepth }).toBuffer(), 'image/avif'];
        switch (n % 4) {
            case 0:
                return avif(8000, 6200, 8);
            case 1:
                return avif(3500, 3500, 8);
            case 2:
                return avif(3000, 3000, 12);
            default:
                return blank(6000, 4900, n).toColourspace('rgb16').png({ progressive: true, compressionLevel: 1 }).toBuffer().then((bytes) => [bytes, 'image/png']);
        }
    };

    const files: [Buffer, string][] = [];
    for (let n = 0; n < 12; n++) {
        files.push(await make(n));
    }

    await Promise.all(accounts.map((account, which) => attacker.times(4, 4, async (n) => {
        const [bytes, type] = files[which * 4 + n] ?? [Buffer.alloc(0), ''];
        await put(attacker, account, bytes, type);
    })));
    await Promise.all(files.flatMap(([bytes]) => [64, 160, 320, 640, 1280].map((width) => attacker.call({ path: `/assets/${hashOf(bytes)}?width=${width}` }))));
}

/** The same, from clients that leave, and in zips. */
async function leavers(attacker: Attacker): Promise<void> {
    const accounts = await Promise.all(Array.from({ length: 3 }, () => attacker.open()));
    const files: Buffer[] = [];
    for (let n = 0; n < 8; n++) {
        files.push(await blank(3500, 3500, 50 + n).avif({ effort: 0, quality: 1 }).toBuffer());
    }

    const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(fileOf({ title: 'x' })) }, ...files.slice(0, 4).map((content) => ({ name: `assets/${hashOf(content)}.avif`, content }))]);
    await Promise.all(accounts.map((account) => attacker.times(12, 4, async (n) => {
        if (n % 4 === 0) {
            const socket = attacker.unread(attacker.whole('POST', `${account.path}/imports`, { headers: { ...account.headers, 'content-type': 'application/zip', 'content-length': String(zip.length) }, body: zip }));
            await sleep(300);
            socket.destroy();
        }
        else {
            await leave(attacker, account, files[n % files.length] ?? Buffer.alloc(0), 'image/avif');
        }
    })));
}

/** An import of half a megabyte that is half a gigabyte of spaces. */
async function blanks(attacker: Attacker): Promise<void> {
    const accounts = await Promise.all(Array.from({ length: 3 }, () => attacker.open()));
    const start = '{"format":"pagewright-project","version":1,"project":{"title":"x"},"pages":[';
    const zip = zipBytes([{ name: 'project.json', content: `${start}${' '.repeat(500 * 1024 * 1024)}]}` }]);
    await Promise.all(accounts.map(({ path, headers }) => attacker.times(4, 2, () => attacker.call({ method: 'POST', path: `${path}/imports`, headers: { ...headers, 'content-type': 'application/zip' }, body: zip }))));
}

export const files: readonly Attack[] = [
    { name: 'structures', title: 'drawings with a million attributes, prefixes or namespaces, and videos of a million boxes', seconds: 60, answers: ['400 type_mismatch'], run: structures },
    { name: 'pictures', title: 'pictures of a kilobyte that take hundreds of megabytes, from three accounts, also in five widths', seconds: 90, answers: ['400 type_mismatch', '201'], run: pictures },
    { name: 'leavers', title: 'the same in uploads and imports whose clients leave', seconds: 60, run: leavers },
    { name: 'blanks', title: 'imports of half a gigabyte of spaces', seconds: 60, answers: ['400 validation_failed'], run: blanks }
];
