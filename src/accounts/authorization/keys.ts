import { generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';

/** Days after which there is a new key to sign with, and days that it is published before it signs anything. */
const KEY_DAYS = 90;
const PUBLISHED_DAYS = 1;

/** Keys that are published: the one that signs, and those before and after it. */
const MAX_KEYS = 3;

const all = statement({ row: { generation: 'integer', jwk: 'text', ready: 'boolean', old: 'boolean' } }, `
    select generation, jwk, created_at < now() - interval '${PUBLISHED_DAYS} days' as ready, created_at < now() - interval '${KEY_DAYS} days' as old
    from signing_keys order by generation desc limit ${MAX_KEYS}`);

// Of several instances that make the same generation at once, one does.
const insert = statement({ parameters: ['integer', 'text'] }, `
    with forgotten as (delete from signing_keys where generation <= $1::int - ${MAX_KEYS})
    insert into signing_keys (generation, jwk) values ($1, $2) on conflict do nothing`);

const newRsaKey = promisify(generateKeyPair);

async function newKey(): Promise<string> {
    const { privateKey } = await newRsaKey('rsa', { modulusLength: 2048 });
    return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', kid: randomUUID(), use: 'sig' });
}

/**
 * The keys for ID tokens as JSON texts, the one that signs first. All instances use the same ones. A new one is made when the newest is old, and is published
 * for a day before it is used, so that whoever keeps a copy of the published keys has it by then.
 */
export async function signingKeys(db: Database): Promise<string[]> {
    let keys = await run(db, all, []);
    const newest = keys[0];
    if (newest === undefined || newest.old) {
        await run(db, insert, [(newest?.generation ?? 0) + 1, await newKey()]);
        keys = await run(db, all, []);
    }

    const signing = keys.find(({ ready }) => ready) ?? keys.at(-1);
    return [...keys].sort((one, other) => Number(other === signing) - Number(one === signing)).map(({ jwk }) => jwk);
}
