import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Knex } from 'knex';

import { maybeUser } from './caller';
import type { Database } from '../db/connection';
import { run, runAlways, runOne, statement } from '../db/statement';
import { transaction } from '../db/transaction';
import { fault, invalid } from '../errors/errors';
import { reply } from './responses';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** of the request as it was sent, where it has an `Idempotency-Key` */
        fingerprint?: string;
    }
}

/** A text in quotes, as the IETF's draft has it (RFC 8941), or without. It is a secret between the client and itself, so it has to be long. */
export const keyShape = /^"?([!#-~]{16,255})"?$/;

const lock = statement<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free');

/** How long an answer is kept, as an interval of PostgreSQL. */
const KEPT = `interval '24 hours'`;

const find = statement<{ answer: Buffer }>(`select answer from idempotency_keys where id = $1 and created_at > now() - ${KEPT}`);

// Whoever keeps one forgets some that are over, so that they do not pile up.
const keep = statement(`
    with over as (
        select id from idempotency_keys where created_at <= now() - ${KEPT} and id <> $1 order by created_at limit 20 for update skip locked
    ), forgotten as (
        delete from idempotency_keys k using over where k.id = over.id
    )
    insert into idempotency_keys (id, user_id, answer) values ($1, $2, $3)
    on conflict (id) do update set answer = excluded.answer, created_at = now()`);

/**
 * Does a write once, however often the request is sent with one `Idempotency-Key` within 24 hours (IETF
 * draft-ietf-httpapi-idempotency-key-header): the first answer is kept in the write's own transaction, and given again.
 * An error is not kept, as nothing was written. Without the header, `work` is done on the pool, as ever.
 * @throws 400 where the key is malformed, 409 while the first request is under way, 422 where another request had the key
 */
export async function once<Refs extends ReqRef>(
    request: Pick<Request, 'app' | 'auth' | 'headers'>, h: ResponseToolkit<Refs>, db: Knex, work: (db: Database) => Promise<ResponseObject>
): Promise<ResponseObject> {
    const header: unknown = request.headers['idempotency-key'];
    if (header === undefined) {
        return await work(db);
    }

    const [, key] = keyShape.exec(String(header)) ?? [];
    if (key === undefined) {
        throw invalid([{ path: 'Idempotency-Key', message: '"Idempotency-Key" must be 16 to 255 visible ASCII characters, as a UUID is' }]);
    }

    const userId = maybeUser(request)?.id ?? null;
    // Whose key it is stays the same where this very request opens the account.
    const owner = request.app.identity === undefined ? [userId] : [request.app.identity.issuer, request.app.identity.subject];
    const id = createHash('sha256').update(JSON.stringify([...owner, key])).digest();
    return await transaction(db, request.app.traceId, async (trx) => {
        // The second statement sees whatever was committed before the lock was free.
        const [{ free }, kept] = await Promise.all([runAlways(trx, lock, [id.readBigInt64BE()]), runOne(trx, find, [id])]);
        if (!free) {
            throw fault(409, 'request_in_flight', 'The first request with this Idempotency-Key is still under way. Try again in a moment.', { retryAfter: 1 });
        }

        if (kept !== undefined) {
            return answerAgain(h, request.app, read(kept.answer, key, id));
        }

        const response = await work(trx);
        await run(trx, keep, [id, userId, write(response, request.app, key, id)]);
        return response;
    });
}

/** What is kept of an answer beside its body. */
interface Kept {
    request: string;
    status: number;
    location: string | null;
    body: Buffer;
}

function answerAgain<Refs extends ReqRef>(h: ResponseToolkit<Refs>, { fingerprint }: Request['app'], { request: first, status, location, body }: Kept): ResponseObject {
    if (first !== fingerprint) {
        throw fault(422, 'key_reused', 'This Idempotency-Key was sent with another request before. Use a new one for each.');
    }

    const response = reply(h, body).code(status);
    return location === null ? response : response.location(location);
}

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

const secretOf = (key: string, id: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, id, 'answer', 32));

/** The answer, encrypted under a key of its own: nonce, tag, ciphertext. */
function write(response: ResponseObject, { fingerprint }: Request['app'], key: string, id: Buffer): Buffer {
    const { source, statusCode, headers: { location = null } } = response;
    // hapi leaves the status open until it sends a 200.
    const head = `${JSON.stringify({ request: fingerprint, status: statusCode ?? 200, location })}\n`;
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(ALGORITHM, secretOf(key, id), nonce);
    const text = [cipher.update(head), cipher.update(Buffer.isBuffer(source) ? source : String(source)), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...text]);
}

function read(answer: Buffer, key: string, id: Buffer): Kept {
    const decipher = createDecipheriv(ALGORITHM, secretOf(key, id), answer.subarray(0, NONCE)).setAuthTag(answer.subarray(NONCE, NONCE + TAG));
    const text = Buffer.concat([decipher.update(answer.subarray(NONCE + TAG)), decipher.final()]);
    const end = text.indexOf('\n');
    return { ...JSON.parse(text.toString('utf8', 0, end)), body: text.subarray(end + 1) };
}
