import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** The CBOR (RFC 8949) of what an authenticator writes: whole numbers, texts, bytes and maps. */
function cbor(value: number | string | Buffer | ReadonlyMap<number | string, unknown>): Buffer {
    const head = (major: number, length: number): Buffer => (length < 24 ? Buffer.from([(major << 5) | length]) : length < 256 ? Buffer.from([(major << 5) | 24, length]) : Buffer.from([(major << 5) | 25, length >> 8, length & 255]));
    if (typeof value === 'number') {
        return value < 0 ? head(1, -1 - value) : head(0, value);
    }

    if (typeof value === 'string') {
        return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
    }

    if (Buffer.isBuffer(value)) {
        return Buffer.concat([head(2, value.length), value]);
    }

    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each instanceof Map || Buffer.isBuffer(each) || typeof each === 'string' ? each : Number(each))])]);
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** What an authenticator is asked and says, with whatever a test changes. */
export interface Asked {
    challenge: string;
    origin: string;
    host?: string;
    /** whether somebody showed that the device is theirs */
    verified?: boolean;
}

/** An authenticator with one passkey, as a phone has it: ES256, without attestation (Web Authentication, section 6). */
export class Authenticator {
    readonly id = randomBytes(32);
    /** grows with each use; 0 for one that does not count */
    counter = 0;
    readonly #privateKey: KeyObject;
    readonly #publicKey: Buffer;

    constructor() {
        const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
        this.#privateKey = privateKey;
        this.#publicKey = cbor(new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, Buffer.from(x, 'base64url')], [-3, Buffer.from(y, 'base64url')]]));
    }

    #data(flags: number, { origin, host = new URL(origin).hostname, verified = true }: Asked): Buffer {
        const counter = Buffer.alloc(4);
        counter.writeUInt32BE(this.counter);
        return Buffer.concat([sha256(host), Buffer.from([flags | 1 | (verified ? 4 : 0)]), counter]);
    }

    #answer(type: string, { challenge, origin }: Asked, response: object): object {
        const id = this.id.toString('base64url');
        const clientDataJSON = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
        return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, ...response } };
    }

    /** Makes the passkey. */
    create(asked: Asked): object {
        const size = Buffer.from([this.id.length >> 8, this.id.length & 255]);
        const authData = Buffer.concat([this.#data(0x40, asked), Buffer.alloc(16), size, this.id, this.#publicKey]);
        return this.#answer('webauthn.create', asked, { attestationObject: cbor(new Map<string, unknown>([['fmt', 'none'], ['attStmt', new Map()], ['authData', authData]])).toString('base64url'), transports: ['internal'] });
    }

    /** Signs in with it. */
    get(asked: Asked): object {
        const data = this.#data(0, asked);
        const clientData = JSON.stringify({ type: 'webauthn.get', challenge: asked.challenge, origin: asked.origin, crossOrigin: false });
        const signature = createSign('sha256').update(Buffer.concat([data, sha256(clientData)])).sign(this.#privateKey);
        return this.#answer('webauthn.get', asked, { authenticatorData: data.toString('base64url'), signature: signature.toString('base64url') });
    }
}
