import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { Algorithm, hash, verify } from '@node-rs/argon2';

import { workQueue } from '../concurrency/work-queue';

/** OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. */
const cost = { algorithm: Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Passwords being hashed or checked, each on a processor for some 20 ms: as many at a time as there are, up to libuv's four threads. */
export const hashing = workQueue(Math.min(availableParallelism(), 4));

export const hashPassword = (password: string): Promise<string> => hashing.run(() => hash(password, cost));

/** Of nobody's password: checked where there is no user, so that a wrong name takes as long as a wrong password. */
let nobody: Promise<string> | undefined;

/** Whether the password is the hashed one; false, after as long, where there is no hash. */
export async function checkPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
    nobody ??= hashPassword(randomBytes(32).toString('base64'));
    const known = passwordHash ?? await nobody;
    const right = await hashing.run(() => verify(known, password));
    return right && typeof passwordHash === 'string';
}

/** A password for somebody to start with: 96 random bits. */
export const newPassword = (): string => randomBytes(12).toString('base64url');

/** A code that people type: 128 random bits, in lower-case hexadecimal digits. */
export const newCode = (): string => randomBytes(16).toString('hex');

/** What is kept of a code: its SHA-256. Upper and lower case do not matter. */
export const hashCode = (code: string): Buffer => hashSecret(code.toLowerCase());

/** What a token's secret looks like: 256 random bits in base64url. */
const shape = /^[A-Za-z0-9_-]{43}$/;

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** What is kept of a secret: its SHA-256. With 256 random bits there is nothing to guess, and so nothing to slow down. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const isSecret = (text: string): boolean => shape.test(text);

/** What is kept of the token in an `Authorization` header; null if it cannot be one of ours. */
export function hashOfHeader(authorization: string): Buffer | null {
    const [, secret = ''] = /^(?:token|bearer) +(\S+) *$/i.exec(authorization) ?? [];
    return isSecret(secret) ? hashSecret(secret) : null;
}
