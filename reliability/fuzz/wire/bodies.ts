import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

import { refused, write } from './input';
import type { Kind } from './input';

const MEBIBYTE = 1024 * 1024;

const right = Buffer.from('{"x":77,"y":77}');
const packed = gzipSync(right);

/** Decompression bombs of 64 MiB of one byte each, also nested in each other. */
function makeBombs(): Bomb[] {
    return ['\0', ' ', '['].map((one) => Buffer.alloc(64 * MEBIBYTE, one)).flatMap((bytes): Bomb[] => {
        const zipped = gzipSync(bytes);
        return [{ bytes: zipped, encoding: 'gzip' }, { bytes: deflateSync(bytes), encoding: 'deflate' }, { bytes: gzipSync(zipped), encoding: 'gzip' }];
    });
}

interface Bomb {
    bytes: Buffer;
    encoding: string;
}

/** Created once, when the first one is sent. */
let bombs: Bomb[] | undefined;

const nested = (levels: number, open: string, close: string): string => `${open.repeat(levels)}1${close.repeat(levels)}`;

/** Invalid bodies that would cost a careless server a lot of work. */
const heavy: readonly (() => string)[] = [
    () => nested(100_000, '[', ']'), () => nested(100_000, '{"a":', '}'), () => '['.repeat(MEBIBYTE), () => '{"a":'.repeat(200_000), () => `{"attributes":${nested(5000, '{"a":', '}')}}`,
    () => `{"styles":${nested(33, '{"a":', '}')}}`, () => `{"x":[${'1,'.repeat(60_000)}1]}`, () => `{"x":{${Array.from({ length: 60_000 }, (_none, nth) => `"${nth}":1`).join(',')}}}`,
    () => `{"attributes":{"a":"${'x'.repeat(3 * MEBIBYTE)}"}}`, () => `{"attributes":{"a":"${'\\u0041'.repeat(MEBIBYTE)}"},"more":1}`, () => `{"x":${'9'.repeat(MEBIBYTE)}}`, () => `{"x":1e${'9'.repeat(1000)}}`,
    () => `{"x":"${'\\'.repeat(MEBIBYTE)}"}`, () => ' '.repeat(2 * MEBIBYTE), () => `{"styles":{"a":[${'{},'.repeat(300_000)}1]},"more":1}`, () => `{"attributes":{"__proto__":${'{"a":'.repeat(20)}1${'}'.repeat(20)}}}`,
    () => `{${'"x":1,'.repeat(20_000)}"x":null}`, () => ` ${'x'.repeat(10 * MEBIBYTE)}`
];

/** Short texts that are not JSON, or not UTF-8. */
const texts: readonly (string | Buffer)[] = [
    '', ' ', 'null', '[]', '"x"', '1', 'true', '{', '}', '{"x":}', '{"x":1,}', '{x:1}', '{\'x\':1}', '{"x":01}', '{"x":.5}', '{"x":NaN}', '{"x":Infinity}', '{"x":0x1}', '{"x":1}{"y":1}', '{"x":1}\0', '\ufeff{"x":1}', '//\n{}',
    '{"x":"\\u0000","y":1}', '{"x":1,"y":"\\ud800"}', '{"x":1,"y":1,"__proto__":{"featured":true}}', '{"x":1,"y":1,"constructor":{"prototype":{"moderator":true}}}', '{"\\u0000":1,"x":1,"y":1}',
    '{"x":1,"y":1,"styles":{"\\ud800":1}}', '{"x":1,"y":1,"styles":{"a":"\\udc00\\ud800"}}', '{"x":1,"y":1,"styles":{"__proto__":{}}}', '{"x":2147483648,"y":0}', '{"x":1e400,"y":0}', '{"x":-2147483649,"y":0}', '{"x":1.5,"y":0}', '{"x":"1","y":0}',
    '{"x":1,"y":1,"id":"1"}', '{"x":1,"y":1,"revision":5}', '{"x":1,"y":1,"user_id":"1"}', '{"x":1,"y":1,"styles":[]}', '{"x":1,"y":1,"styles":null}', '{"x":1,"y":1,"styles":"{}"}', '{"x":1,"y":1,"elements":[]}', 'x=1&y=1', '<x>1</x>',
    Buffer.from([0x7B, 0x22, 0xC3, 0x28, 0x22, 0x3A, 0x31, 0x7D]), Buffer.from('{"x":1,"y":1}', 'utf16le'), Buffer.from('{"x":1,"y":1,"styles":{"a":"\xff"}}', 'latin1'), Buffer.from([0xFF, 0xFE, 0x00]),
    Buffer.concat([Buffer.from('{"x":1,"y":1,"styles":{"a":"'), Buffer.from([0xED, 0xA0, 0x80]), Buffer.from('"}}')]), Buffer.concat([Buffer.from('{"x":1,"y":1,"styles":{"a":"'), Buffer.from([0xC0, 0x80]), Buffer.from('"}}')])
];

const types = [
    'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a', 'multipart/form-data', 'application/xml', 'json', ';', 'application/json; charset=latin1', 'application/json; charset=utf-16', 'a/b'.repeat(2000), '\xff', 'application/jsonx'
];

const paths = ['pages', 'remixes'] as const;

/** Bodies with a wrong size, encoding, type or text. */
export const bodyKinds: Readonly<Record<string, readonly [weight: number, kind: Kind]>> = {
    'bomb': [0.1, (random, subject) => {
        bombs ??= makeBombs();
        const { bytes, encoding } = random.pick(bombs);
        return refused(write('POST', `${subject.project}/${random.pick(paths)}`, subject, bytes, { 'Content-Encoding': encoding }));
    }],

    'encoding': [5, (random, subject) => {
        const cut = packed.subarray(0, 1 + random.below(packed.length - 1));
        const [bytes, encoding] = random.pick<readonly [Buffer, string]>([
            [cut, 'gzip'], [cut, 'deflate'], [random.bytes(random.below(100) + 1), 'gzip'], [random.bytes(random.below(100) + 1), 'deflate'], [right, 'gzip'], [packed, 'deflate'], [deflateRawSync(right), 'gzip'], [right, 'br'], [right, 'zstd'],
            [packed, 'gzip, gzip'], [gzipSync(packed), 'gzip'], [right, 'x'.repeat(5000)], [right, '__proto__'], [right, 'constructor'], [packed, 'compress'], [Buffer.concat([packed.subarray(0, 10), random.bytes(20)]), 'gzip'],
            [Buffer.from([...packed.subarray(0, -8), 0, 0, 0, 0, 0, 0, 0, 0]), 'gzip']
        ]);
        return refused(write('POST', `${subject.project}/pages`, subject, bytes, { 'Content-Encoding': encoding }));
    }],

    'heavy body': [0.25, (random, subject) => refused(write('POST', `${subject.project}/${random.pick(paths)}`, subject, random.pick(heavy)()))],

    'text': [8, (random, subject) => refused(write('POST', `${subject.project}/pages`, subject, random.pick(texts)))],

    'type': [3, (random, subject) => refused(write('POST', `${subject.project}/pages`, subject, right, { 'Content-Type': random.pick(types) }))]
};
