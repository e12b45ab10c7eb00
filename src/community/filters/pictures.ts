import { fault } from '../../api/errors/errors';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';

/** Most pictures that are blocked, as each upload is compared with all of them. */
export const MAX_BLOCKED_PICTURES = 2000;

/** Most bits of 64 in which a near copy differs. */
const NEAR = 10;

const byLooks = statement({ row: { any: 'boolean' } }, 'select exists (select from blocked_pictures where looks is not null) as any');

/** Whether there are blocked pictures that others are compared with by how they look. */
export const blocksByLooks = async (db: Database): Promise<boolean> => (await runAlways(db, byLooks, [])).any;

const blocked = statement({ parameters: ['text[]', 'text[]'], row: { hash: 'text' } }, `
    select b.hash from blocked_pictures b join unnest($1::text[], $2::text[]) as n (hash, looks) on b.hash = n.hash or bit_count(b.looks # n.looks::bit(64)) <= ${NEAR} limit 1`);

/** @throws 403 picture_blocked if one of these files is blocked, or looks like one that is */
export async function refuseBlockedPictures(trx: Database, files: readonly { hash: string; looks?: string | null }[]): Promise<void> {
    if (await runOne(trx, blocked, [files.map(({ hash }) => hash), files.map(({ looks }) => looks ?? null)]) !== undefined) {
        throw fault('picture_blocked');
    }
}

const count = statement({
    parameters: ['text'], row: { others: 'integer' }
}, 'select count(*)::int as others from blocked_pictures where hash <> $1');
const block = statement({ parameters: ['text', 'text', 'text', 'bigint'], row: { at: 'timestamp with time zone' } }, `
    insert into blocked_pictures as b (hash, looks, reason, moderator_id) values ($1, $2::text::bit(64), $3, $4)
    on conflict (hash) do update set reason = excluded.reason, looks = coalesce(excluded.looks, b.looks) returning at`);
const unblock = statement({
    parameters: ['text'], row: { reason: 'text' }
}, 'delete from blocked_pictures where hash = $1 returning reason');

/** Blocks a picture, or changes the reason. @param looks null if that is not known @throws 409 if there are as many as can be */
export async function blockPicture(trx: Database, hash: string, looks: string | null, reason: string, moderatorId: string): Promise<void> {
    if ((await runAlways(trx, count, [hash])).others >= MAX_BLOCKED_PICTURES) {
        throw fault('picture_limit');
    }

    await run(trx, block, [hash, looks, reason, moderatorId]);
}

/** Lets a picture be sent again. @returns why it was blocked; undefined if it was not */
export const unblockPicture = async (trx: Database, hash: string): Promise<string | undefined> => (await runOne(trx, unblock, [hash]))?.reason;
