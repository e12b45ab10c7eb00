import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { Algorithm, hash, verify } from '@node-rs/argon2';

import { workQueue } from '../concurrency/work-queue';

/** OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. */
const cost = { algorithm: Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** One on each processor, at most four, as libuv has four threads. */
const THREADS = Math.min(availableParallelism(), 4);

/** Hashing or checking a password takes a processor for about 20 ms. */
export const hashing = workQueue(THREADS, Math.ceil(THREADS / 2));

/** Runs work when it is its turn: `hashing`, or as a request does. */
export type InQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A password in one form: keyboards send `ä` as one character or as two, and nobody sees which (RFC 8265 section 4.2). */
const normalPassword = (password: string): string => password.normalize('NFC');

/** @throws as `inQueue` does */
export const hashPassword = (password: string, inQueue: InQueue = (work) => hashing.run(work)): Promise<string> => inQueue(() => hash(normalPassword(password), cost));

/** The hash of a random password. It is checked if the user does not exist, so that a wrong name takes as long as a wrong password. */
let nobody: Promise<string> | undefined;

/** Whether the password matches the hash. Without a hash it returns false after the same time. @throws as `inQueue` does */
export async function checkPassword(passwordHash: string | null | undefined, password: string, inQueue: InQueue): Promise<boolean> {
    nobody ??= hashPassword(randomBytes(32).toString('base64'));
    const known = passwordHash ?? await nobody;
    let right = false;
    const normal = normalPassword(password);
    // Earlier releases hashed what was typed, in whatever form. And keyboards of tablets add a blank after a word.
    for (const form of new Set([normal, password, normal.trim()])) {
        right ||= await inQueue(() => verify(known, form));
    }

    return right && typeof passwordHash === 'string';
}

/** A new random password of 96 bits, for somebody to sign in with the first time. */
export const newPassword = (): string => randomBytes(12).toString('base64url');

/** A code that people type: 128 random bits, in lower-case hexadecimal digits. */
export const newCode = (): string => randomBytes(16).toString('hex');

/** The SHA-256 of a code, which is what the database stores. Upper and lower case do not matter. */
export const hashCode = (code: string): Buffer => hashSecret(code.toLowerCase());

/** The format of a token's secret: 256 random bits in base64url. */
const shape = /^[A-Za-z0-9_-]{43}$/;

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** The SHA-256 of a secret, which is what the database stores. A slow hash is not needed, because 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const isSecret = (text: string): boolean => shape.test(text);

/** The stored form of the token in an `Authorization` header; null if it cannot be one of ours. */
export function hashOfHeader(authorization: string): Buffer | null {
    const [, secret = ''] = /^(?:token|bearer) +(\S+) *$/i.exec(authorization) ?? [];
    return isSecret(secret) ? hashSecret(secret) : null;
}
