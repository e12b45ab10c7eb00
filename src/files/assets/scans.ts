import { isBlockedPicture } from '../../community/filters/fragments';
import type { RowOf } from '../../database/declaration';
import { leaseIn } from '../../database/jobs/lease';
import { fromSentAssets } from './fragments';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';

const wait = statement({ parameters: ['bigint', 'text[]'] }, `
    insert into asset_scans (id, behind)
    select h.id, h.n - 1 + (select count(*) ${fromSentAssets('$1')} and s.hash in (select w.id from asset_scans w where w.refused is null))
    from unnest($2::text[]) with ordinality h (id, n) on conflict do nothing`);

/** Has pictures of a user wait for a scan. Until it lets them pass, only their senders see them. */
export const awaitScans = async (trx: Database, userId: string, hashes: readonly string[]): Promise<void> => void await run(trx, wait, [userId, hashes]);

/** A scan takes less. */
const lease = leaseIn('leased_until', 120);

const waitingColumns = { id: 'text', type: 'text', attempts: 'integer', token: 'text' } as const;
export type WaitingPicture = RowOf<typeof waitingColumns>;

const claim = statement({ parameters: ['boolean', 'boolean'], row: waitingColumns }, `
    with ${lease.claim({ table: 'asset_scans', where: `q.refused is null and not ${isBlockedPicture('q.id')} and case when q.attempts > 0 then $2::boolean else $1::boolean end`, set: 'attempts = q.attempts + 1', first: 'q.behind' })}
    select q.id, a.type, q.attempts, ${lease.token('q')} as token from claimed q join assets a on a.hash = q.id`);

/** Leases a picture to scan. @param free whether it may be one that is new, and one that was tried before */
export const leasePicture = (db: Database, { quick, slow }: { quick: boolean; slow: boolean }): Promise<WaitingPicture | undefined> => runOne(db, claim, [quick, slow]);

const pass = statement({ parameters: ['text', 'timestamp with time zone'], row: { id: 'text' } }, `delete from asset_scans q where q.id = $1 and ${lease.isHeld('q', '$2')} returning q.id`);

/** Has others see a picture. @returns false if the lease was lost */
export const passPicture = async (trx: Database, { id, token }: WaitingPicture): Promise<boolean> => await runOne(trx, pass, [id, token]) !== undefined;

const keep = statement({ parameters: ['text', 'timestamp with time zone', 'text', 'double precision'], row: { id: 'text' } }, `
    update asset_scans q set refused = $3, due_at = now() + make_interval(secs => $4), leased_until = null where q.id = $1 and ${lease.isHeld('q', '$2')}
    returning q.id`);

/**
 * Keeps a picture from others.
 * @param reason why it is refused; null if it is scanned again, after so many seconds
 * @returns false if the lease was lost
 */
export const keepPicture = async (db: Database, { id, token }: WaitingPicture, reason: string | null, seconds = 0): Promise<boolean> => await runOne(db, keep, [id, token, reason, seconds]) !== undefined;

const lift = statement({ parameters: ['text'], row: { refused: 'text' } }, 'delete from asset_scans where id = $1 and refused is not null returning refused');

/** Has others see a picture that was refused. @returns why it was; undefined if it was not */
export const liftRefusal = async (trx: Database, hash: string): Promise<string | undefined> => (await runOne(trx, lift, [hash]))?.refused;
