import { createPrivateKey, generateKeyPair } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

import { fromRunner } from './runner';

/** So many that the current keys of a provider, former ones, and somebody else's differ. */
const RSA_KEYS = 4;

/** Makes private keys, as PEM. Each takes half a second of a processor, so the test runner makes them once for all files. */
export const makeRsaKeys = (): Promise<string[]> => Promise.all(Array.from({ length: RSA_KEYS }, async () => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}));

let keys: KeyObject[] = [];

/** To be called before `rsaKey`. */
export async function prepareRsaKeys(): Promise<void> {
    if (keys.length === 0) {
        keys = (await (fromRunner('rsaKeys') ?? makeRsaKeys())).map((pem) => createPrivateKey(pem));
    }
}

/** The key that was given out the longest ago. */
export function rsaKey(): KeyObject {
    const key = keys.shift();
    if (key === undefined) {
        throw new Error('There are no keys: prepareRsaKeys makes them');
    }

    keys.push(key);
    return key;
}
