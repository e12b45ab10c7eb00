import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';
import type { Knex } from 'knex';

import { maybeUser } from './caller';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { transaction } from '../../database/statements/transaction';
import { KEPT_HOURS, MAX_KEPT, MAX_KEPT_BODY_BYTES, MAX_KEPT_BYTES } from '../../limits';
import { fault, invalid, notFound } from '../errors/errors';
import { KEY_FIELD } from './read-body';
import { reply } from './responses';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** the `Idempotency-Key`, a hash of the request as it was sent, and the bytes of its body, if there is such a key */
        sent?: { key: string; fingerprint: string; bytes: number };
        /** ids of the projects beside the one in the path that the response tells about */
        tellsOf?: Iterable<string>;
    }
    interface ResponseApplicationState {
        /** a smaller body that is kept if this one is too large */
        shortBody?: () => string;
        /** whether the body is kept though it is long for what was sent, since it cannot be read again */
        isKeptWhole?: boolean;
    }
}

/** A text in quotes, as the IETF's draft has it (RFC 8941), or without. It is a secret that only the client knows, so it has to be long. */
export const keyShape = /^"?([!#-~]{16,255})"?$/;

/** The field of bodies that create something, and of the query of an import, that says what the header `Idempotency-Key` says, which pages of other origins could not always send. No handler gets it. */
export const keyField = {
    [KEY_FIELD]: Joi.string().pattern(keyShape, 'text of 16 to 255 visible ASCII characters, as a UUID is').strip()
        .description('The same as the header `Idempotency-Key`. If both are there, the header is used.').example('8e03978e-40d5-43e8-bc93-6894a57f9324')
};

/** @returns the key without quotes. @throws 400 if it is malformed */
export function checkKey(text: string): string {
    const [, key] = keyShape.exec(text) ?? [];
    if (key === undefined) {
        throw invalid([{ path: 'Idempotency-Key', message: '"Idempotency-Key" must be 16 to 255 visible ASCII characters, as a UUID is' }]);
    }

    return key;
}

const lock = statement({ parameters: ['bigint'], row: { free: 'boolean' } }, 'select pg_try_advisory_xact_lock($1) as free');

/** How long an answer is kept, as an interval of PostgreSQL. */
const KEPT = `interval '${KEPT_HOURS} hours'`;

const find = statement({ parameters: ['bytea'], row: { answer: 'bytea' } }, `select answer from idempotency_keys where id = $1 and created_at > now() - ${KEPT}`);

// Storing a response deletes some that have expired, so that they do not pile up.
const keep = statement({ parameters: ['bytea', 'bigint', 'bytea'] }, `
    with over as (
        select id from idempotency_keys where created_at <= now() - ${KEPT} and id <> $1 order by created_at limit 20 for update skip locked
    ), forgotten as (
        delete from idempotency_keys k using over where k.id = over.id
    )
    insert into idempotency_keys (id, user_id, answer) values ($1, $2, $3)
    on conflict (id) do update set answer = excluded.answer, created_at = now()`);

const trim = statement({ parameters: ['bigint'] }, `
    delete from idempotency_keys where id in (
        select id from idempotency_keys where id in (
            select id from (
                select id, row_number() over newest as place, sum(octet_length(answer)) over newest as bytes
                from idempotency_keys where user_id = $1 window newest as (order by created_at desc, id)
            ) kept where place > ${MAX_KEPT} or bytes > ${MAX_KEPT_BYTES}
        ) for update skip locked
    )`);

/** Bytes of a body that may be kept: what is stored stays in proportion to what was sent. */
const mostKept = (sent: number): number => Math.min(MAX_KEPT_BODY_BYTES, 4096 + 10 * sent);

/** Reads a response body again, given the id of the thing it shows; undefined if that is gone. */
export type ReadAgain = (db: Database, id: string) => Promise<string | undefined>;

/**
 * Does a write once, however often the request is sent with one `Idempotency-Key` within 24 hours (IETF
 * draft-ietf-httpapi-idempotency-key-header): the first response is kept in the write's own transaction, and sent again.
 * An error is not kept, as nothing was written. Without the header, `work` runs on the pool.
 *
 * A body of more than 1 MiB, or of more than 4 KiB and ten times what was sent, is not kept: the next time its `shortBody` is sent, or
 * what `readAgain` returns. Of one user the newest 5,000 responses and 64 MiB are kept.
 * @throws 400 if the key is malformed, 404 if what was made is gone and its body was not kept, 409 while the first request is being
 * processed, 422 if another request had the key
 */
export async function idempotent<Refs extends ReqRef>(
    request: Pick<Request, 'app' | 'auth' | 'maySee' | 'maySeeAll' | 'params'>, h: ResponseToolkit<Refs>, db: Knex, work: (db: Database) => Promise<ResponseObject>, readAgain?: ReadAgain
): Promise<ResponseObject> {
    const { sent } = request.app;
    if (sent === undefined) {
        return await work(db);
    }

    const key = checkKey(sent.key);
    const userId = maybeUser(request)?.id ?? null;
    // Whose key it is stays the same where this very request opens the account.
    const owner = request.app.identity === undefined ? [userId] : [request.app.identity.issuer, request.app.identity.subject];
    const id = createHash('sha256').update(JSON.stringify([...owner, key])).digest();
    return await transaction(db, request.app.traceId, async (trx) => {
        // The second statement sees whatever was committed before the lock was free.
        const [{ free }, kept] = await Promise.all([runAlways(trx, lock, [id.readBigInt64BE()]), runOne(trx, find, [id])]);
        if (!free) {
            throw fault('request_in_flight');
        }

        if (kept !== undefined) {
            const project: unknown = request.params.project;
            // The caller may have been removed from the members since.
            if (typeof project === 'string' && !await request.maySee(project, trx)) {
                throw notFound('project');
            }

            const again = decrypt(kept.answer, key, id);
            if (again.tellsOf !== undefined && !await request.maySeeAll(again.tellsOf, trx)) {
                throw notFound('project');
            }

            return await sendAgain(h, request.app, again, (made) => readAgain?.(trx, made));
        }

        const response = await work(trx);
        const answer = encrypt(keptOf(response, request.app), key, id);
        await Promise.all([run(trx, keep, [id, userId, answer]), run(trx, trim, [userId])]);
        return response;
    });
}

/** The parts of a response that are stored beside its body. */
interface Head {
    request: string | undefined;
    status: number;
    location: string | null;
    /** whether the body was too large to store, and has to be read again */
    readAgain?: boolean;
    /** as in the request's state */
    tellsOf: readonly string[] | undefined;
}

interface Kept extends Head {
    body: Buffer | string;
}

async function sendAgain<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, { sent }: Request['app'], kept: Kept, readAgain: (id: string) => Promise<string | undefined> | undefined
): Promise<ResponseObject> {
    if (kept.request !== sent?.fingerprint) {
        throw fault('key_reused');
    }

    const { status, location } = kept;
    const body = kept.readAgain === true ? await readAgain(String(location?.split('/').at(-1))) : kept.body;
    if (body === undefined) {
        throw fault('not_found', 'What this request made has been deleted since.');
    }

    const response = reply(h, body).code(status);
    return location === null ? response : response.location(location);
}

/** The stored form of a response. */
function keptOf({ source, statusCode, headers: { location }, app: { shortBody, isKeptWhole } }: ResponseObject, { sent, tellsOf }: Request['app']): Kept {
    const body = Buffer.isBuffer(source) ? source : String(source);
    // hapi leaves the status open until it sends a 200.
    const head = { request: sent?.fingerprint, status: statusCode ?? 200, location: location === undefined ? null : String(location), tellsOf: tellsOf === undefined ? undefined : [...tellsOf] };
    if (Buffer.byteLength(body) <= (isKeptWhole ? MAX_KEPT_BODY_BYTES : mostKept(Number(sent?.bytes)))) {
        return { ...head, body };
    }

    return shortBody === undefined ? { ...head, readAgain: true, body: '' } : { ...head, body: shortBody() };
}

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

const secretOf = (key: string, id: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, id, 'answer', 32));

/** A response, encrypted under a key of its own: nonce, tag, ciphertext. */
function encrypt({ body, ...head }: Kept, key: string, id: Buffer): Buffer {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(ALGORITHM, secretOf(key, id), nonce);
    const text = [cipher.update(`${JSON.stringify(head)}\n`), cipher.update(body), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...text]);
}

function decrypt(answer: Buffer, key: string, id: Buffer): Kept {
    const decipher = createDecipheriv(ALGORITHM, secretOf(key, id), answer.subarray(0, NONCE)).setAuthTag(answer.subarray(NONCE, NONCE + TAG));
    const text = Buffer.concat([decipher.update(answer.subarray(NONCE + TAG)), decipher.final()]);
    const end = text.indexOf('\n');
    return { ...JSON.parse(text.toString('utf8', 0, end)), body: text.subarray(end + 1) };
}
