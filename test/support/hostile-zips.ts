import type { Dice } from './dice';
import { fileOf, zipBytes } from './zips';
import type { ZipPart } from './zips';

const project = JSON.stringify(fileOf({ title: 'Plants' }, [{ x: 0, y: 0, elements: [{ type: 'text', attributes: { text: 'Tomatoes' } }] }]));
const part: ZipPart = { name: 'project.json', content: project };
const hash = 'a'.repeat(64);

/** Zips, each wrong in its own way. */
export const wrongZips: Readonly<Record<string, (dice: Dice) => Buffer>> = {
    'nothing': () => Buffer.alloc(0),
    'no zip': (dice) => Buffer.from(Array.from({ length: dice.below(5000) }, () => dice.below(256))),
    'cut short': (dice) => {
        const zip = zipBytes([part]);
        return zip.subarray(0, dice.below(zip.length));
    },
    'without its beginning': (dice) => zipBytes([part]).subarray(dice.between(1, 100)),
    'with a wrong checksum': (dice) => zipBytes([{ ...part, crc: dice.below(2 ** 32) }]),
    'with a wrong size': (dice) => zipBytes([{ ...part, size: dice.pick([0, 1, project.length - 1, project.length + 1, 2 ** 32 - 1, 2 ** 32 - 2]) }]),
    'that would inflate to a GiB': () => zipBytes([{ ...part, size: 2 ** 30 }]),
    'that inflates to more than it says': (dice) => zipBytes([{ name: 'project.json', content: ' '.repeat(dice.between(1000, 5_000_000)) + project, size: project.length }]),
    'of blanks alone': (dice) => zipBytes([{ name: 'project.json', content: ' '.repeat(dice.between(1, 20_000_000)) }]),
    'in a zip': () => zipBytes([{ name: 'project.json', content: zipBytes([part]) }]),
    'with another name': (dice) => zipBytes([part, {
        name: dice.pick(['../project.json', '/project.json', 'C:/x', 'project.json/', 'PROJECT.JSON', 'assets\\x.png', `assets/${hash}`, `assets/${hash}.exe`, `assets/${hash.toUpperCase()}.png`, 'a/../assets/', '', '\u0000', 'x'.repeat(60_000), '__proto__', 'constructor']) ?? '',
        content: 'x'
    }]),
    'packed again, with something else': (dice) => zipBytes([{ ...part, name: 'Plants/project.json' }, dice.pick<ZipPart>([
        { name: 'Plants/notes.txt', content: 'x' }, { name: 'notes.txt', content: 'x' }, { name: 'Seeds/project.json', content: project }, { name: 'Plants/Seeds/project.json', content: project }, { name: 'Plants\\project.json', content: project },
        { name: 'Plants/', content: 'x' }, { name: '__MACOSX/../../x', content: '' }, { name: '__MACOSX/._x', content: 'x', mode: 0o120777 }, { name: '..\\x', content: '' }, { name: 'C:\\x', content: '' }
    ]) ?? part]),
    'with bytes that are no text as a name': () => zipBytes([part, { name: Buffer.from([0xFF, 0xFE, 0x2F]), content: '' }]),
    'with a name twice': () => zipBytes([part, part]),
    'without a project': () => zipBytes([{ name: 'assets/', content: '', stored: true }]),
    'that is encrypted': (dice) => zipBytes([{ ...part, flags: dice.pick([0x801, 0x841, 0x840]) }]),
    'with a link': () => zipBytes([{ ...part, mode: 0o120777 }]),
    'compressed otherwise': (dice) => zipBytes([{ ...part, method: dice.pick([1, 9, 12, 14, 93, 99]) }]),
    'stored, and said to be deflated': () => zipBytes([{ ...part, stored: true, method: 8 }]),
    'with two names for one file': () => zipBytes([{ ...part, localName: 'something.json' }]),
    'whose bytes are elsewhere': (dice) => zipBytes([{ ...part, offset: dice.pick([1, 1000, 2 ** 31, 2 ** 32 - 1]) }]),
    'with more entries than it has': (dice) => zipBytes([part], { count: dice.between(2, 65_535) }),
    'with thousands of entries': () => zipBytes(Array.from({ length: 6000 }, (_one, n) => ({ name: `assets/${n.toString(16).padStart(64, '0')}.png`, content: '', stored: true }))),
    'with wrong extra fields': (dice) => zipBytes([{ ...part, extra: Buffer.from(Array.from({ length: dice.between(4, 40) }, () => dice.below(256))), size: 2 ** 32 - 1 }]),
    'that ends in zip64 nowhere': (dice) => zip64(dice),
    'with bytes behind it': () => Buffer.concat([zipBytes([part]), Buffer.from('more')]),
    'in another encoding': (dice) => zipBytes([{ name: 'project.json', content: Buffer.from(project, dice.pick(['utf16le', 'base64url'] as const)).subarray(0, dice.pick([undefined, 100])) }]),
    'with broken text': () => zipBytes([{ name: 'project.json', content: Buffer.from(project.replace('Tomatoes', '\u00FF'), 'latin1') }]),
    'with a flipped byte in it': (dice) => {
        const zip = zipBytes([part]);
        // Not where it says when it was made, which nobody looks at.
        const at = dice.pick([...Array.from({ length: zip.length - 40 }, (_one, n) => n + 40)].filter((place) => place < zip.length - 90)) ?? 50;
        zip[at] = Number(zip[at]) ^ (1 << dice.below(8));
        return zip;
    }
};

/** A zip whose zip64 records lead nowhere. */
function zip64(dice: Dice): Buffer {
    const zip = zipBytes([part]);
    const end = zip.subarray(-22);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064B50);
    locator.writeBigUInt64LE(dice.pick([0n, 1n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) ?? 0n, 8);
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064B50);
    record.writeBigUInt64LE(dice.pick([0n, 1n, 5010n, 2n ** 40n, 2n ** 64n - 1n]) ?? 0n, 32);
    record.writeBigUInt64LE(dice.pick([0n, 1n, 2n ** 40n, 2n ** 64n - 1n]) ?? 0n, 48);
    if (dice.chance(0.5)) {
        locator.writeBigUInt64LE(BigInt(zip.length - 22), 8);
    }

    return Buffer.concat([zip.subarray(0, -22), record, locator, end]);
}
