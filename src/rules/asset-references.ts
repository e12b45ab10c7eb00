import { isStored } from '../files/assets/fragments';
import type { Database } from '../database/statements/connection';
import { run, statement } from '../database/statements/statement';
import { JsonText } from '../api/json/json-text';

/*
 * References to assets in `attributes` and `styles`. The triggers of files/assets/schema.sql look for them in whatever is written, and refuse those that lead
 * nowhere; this is for what has to know before.
 */

/** A JSON string that is `asset:` and a SHA-256, as a whole: a quote after a backslash is a part of a string. The function assets_in of the database says the same. */
const reference = /(?<!\\)"asset:([0-9A-Fa-f]{64})"/g;

/** Whether a JSON text may have references: fast, and false for nearly all. */
export const mayRefer = (text: string): boolean => text.includes('"asset:');

/** The SHA-256 of each asset that a JSON text refers to, in order, in lower case. */
const referencesIn = (text: string): string[] => (mayRefer(text) ? [...text.matchAll(reference)].map(([, hash = '']) => hash.toLowerCase()) : []);

/** Hashes in the free-form fields of a thing. */
export const referencesOf = (fields: object): string[] => Object.values(fields).flatMap((value) => (value instanceof JsonText ? referencesIn(value.text) : []));

const absent = statement({ parameters: ['text[]'], row: { hash: 'text' } }, `select hash from unnest($1::text[]) as hash where not ${isStored('hash.hash')}`);

/** Those of the hashes that are of no asset. */
export async function findAbsent(db: Database, hashes: readonly string[]): Promise<Set<string>> {
    return new Set(hashes.length === 0 ? [] : (await run(db, absent, [hashes])).map(({ hash }) => hash));
}
