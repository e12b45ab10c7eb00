import { generateKeyPairSync, sign } from 'node:crypto';

/** A value in DER (ITU-T X.690): its tag, its length and what is in it. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
    const content = Buffer.concat(parts);
    const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xFF];
    return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const [INTEGER, BITS, OID, UTF8, TIME, SEQUENCE, SET, VERSION] = [0x02, 0x03, 0x06, 0x0C, 0x17, 0x30, 0x31, 0xA0];
const bits = (bytes: Buffer): Buffer => der(BITS, Buffer.from([0]), bytes);
const pem = (name: string, bytes: Buffer): string => `-----BEGIN ${name}-----\n${bytes.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${name}-----\n`;

/** A key, and a certificate for it that it has signed itself (RFC 5280), as PEM. */
export function selfSigned(name: string): { key: string; cert: string } {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    // ecdsa-with-SHA256, and the attribute commonName
    const algorithm = der(SEQUENCE, der(OID, Buffer.from('2a8648ce3d040302', 'hex')));
    const called = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, Buffer.from('550403', 'hex')), der(UTF8, Buffer.from(name)))));
    const valid = der(SEQUENCE, der(TIME, Buffer.from('200101000000Z')), der(TIME, Buffer.from('491231235959Z')));
    const version = der(VERSION, der(INTEGER, Buffer.from([2])));
    const content = der(SEQUENCE, version, der(INTEGER, Buffer.from([1])), algorithm, called, valid, called, publicKey.export({ type: 'spki', format: 'der' }));
    const cert = der(SEQUENCE, content, algorithm, bits(sign('sha256', content, privateKey)));
    return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert: pem('CERTIFICATE', cert) };
}
