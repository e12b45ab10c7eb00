import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fault } from '../../api/errors/errors';
import { refuseBlockedPictures } from '../../community/filters';
import { statePicture } from '../../community/statements';
import type { Config } from '../../config';
import { MAX_SENT_ASSETS } from '../../limits';
import { syncFile } from './receive-file';
import { awaitScans } from './scans';
import { storedNames } from './storage';
import type { AssetStorage } from './storage';
import { isImage } from './types';
import type { AssetType } from './types';

/** The facts of an asset. Sizes in pixels are null where a file does not say, and for sounds. */
export interface AssetFacts {
    hash: string;
    type: AssetType;
    /** bytes */
    size: number;
    width: number | null;
    height: number | null;
}

/** An asset whose bytes have been checked, in a file of the storage's folder `incoming`. */
export interface ReceivedAsset extends AssetFacts {
    file: string;
    /** how it looks, if that was asked for */
    looks?: string | null;
}

/**
 * Advisory locks of a user, and of all assets that begin with the same byte: an import has thousands. They last to the end of the
 * transaction, so they pass PgBouncer.
 */
const lockUser = statement({ parameters: ['bigint'] }, `select pg_advisory_xact_lock(1301, hashint8($1::bigint))`);
const lockAssets = statement({ parameters: ['text[]'] }, `
    select pg_advisory_xact_lock(1302, byte) from (select distinct ('x' || left(hash, 2))::bit(8)::integer as byte from unnest($1::text[]) as hash order by byte) bytes`);

/** Those of these assets that the user has sent before, and the number of assets and bytes with the others. */
const sent = statement({
    parameters: ['bigint', 'text[]', 'integer[]'], row: { before: 'text[]', count: 'integer', bytes: 'double precision' }
}, `
    with new_ones as materialized (select * from unnest($2::text[], $3::integer[]) as n (hash, size))
    select coalesce((select array_agg(s.hash) from sent_assets s join new_ones n on n.hash = s.hash where s.user_id = $1), '{}') as before,
        count(*)::int as count, coalesce(sum(size), 0)::float8 as bytes
    from (select hash, size from sent_assets where user_id = $1 union select hash, size from new_ones) all_of_them`);

const findKnown = statement({ parameters: ['text[]'], row: { hash: 'text', refused: 'text?' } }, 'select a.hash, w.refused from assets a left join asset_scans w on w.id = a.hash where a.hash = any($1::text[])');
const insertAssets = statement({ parameters: ['text[]', 'text[]', 'integer[]', 'integer[]', 'integer[]', 'boolean'] }, `
    insert into assets as a (hash, type, size, width, height, made)
    select n.*, $6 from unnest($1::text[], $2::text[], $3::integer[], $4::integer[], $5::integer[]) as n (hash, type, size, width, height) order by hash
    on conflict (hash) do update set unused_since = now(), made = a.made and excluded.made`);

const insertSent = statement({ parameters: ['bigint', 'text[]', 'integer[]'] }, `
    insert into sent_assets (user_id, hash, size) select $1, n.hash, n.size from unnest($2::text[], $3::integer[]) as n (hash, size) order by n.hash
    on conflict (user_id, hash) do update set sent_at = now()`);

const columnOf = <Name extends keyof AssetFacts>(assets: readonly AssetFacts[], name: Name): AssetFacts[Name][] => assets.map((asset) => asset[name]);

/**
 * Puts assets where they belong and notes that a user has sent them, as part of a transaction; references to them may follow in it. If the
 * transaction fails after this, bytes that nothing knows of are removed by the maintenance.
 *
 * The user is locked, so that the quota is exact, and then each asset, in order, so that nobody removes the bytes meanwhile.
 * With a scanner, pictures that are new wait for it. Whoever sends one that it has refused is told, as who sent it before.
 * @returns the hashes that the user had sent before
 * @throws 409 quota_exceeded, 403 picture_blocked, which change nothing
 */
export async function registerAssets(
    trx: Database, storage: AssetStorage, userId: string, assets: readonly ReceivedAsset[], { assetQuota: quota, scanUrl }: Pick<Config, 'assetQuota' | 'scanUrl'>
): Promise<Set<string>> {
    const [hashes, sizes] = [columnOf(assets, 'hash'), columnOf(assets, 'size')];
    // Sent together, and done one after the other: each sees what the one before has waited for.
    const [, { before, count, bytes }, , known] = await Promise.all([
        run(trx, lockUser, [userId]), runAlways(trx, sent, [userId, hashes, sizes]), ...insertRows(trx, assets, false), run(trx, insertSent, [userId, hashes, sizes]),
        // After the locks, which whoever blocks one takes, too.
        refuseBlockedPictures(trx, assets)
    ]);
    if (before.length < hashes.length && (bytes > quota || count > MAX_SENT_ASSETS)) {
        throw fault('quota_exceeded', quota);
    }

    if (scanUrl !== null) {
        const there = new Set(known.map(({ hash }) => hash));
        await awaitScans(trx, userId, assets.filter(({ hash, type }) => isImage(type) && !there.has(hash)).map(({ hash }) => hash));
    }

    for (const { hash, refused } of known) {
        if (refused !== null && !before.includes(hash)) {
            await statePicture(trx, { picture: hash, senders: [userId], decision: 'hold', reason: refused, moderatorId: null });
        }
    }

    await putBytes(storage, assets, known);
    return new Set(before);
}

/** Puts assets where they belong. @param made whether they are the service's own work, which nobody has sent */
export async function storeAssets(trx: Database, storage: AssetStorage, assets: readonly ReceivedAsset[], made: boolean): Promise<void> {
    const [, known] = await Promise.all(insertRows(trx, assets, made));
    await putBytes(storage, assets, known);
}

/**
 * The second promise has the hashes that had rows before. They are not one promise, so that the caller gets the first error of all that it
 * sends.
 */
function insertRows(
    trx: Database, assets: readonly ReceivedAsset[], made: boolean
): [Promise<unknown>, Promise<{ hash: string; refused: string | null }[]>, Promise<unknown>] {
    const hashes = columnOf(assets, 'hash');
    return [
        run(trx, lockAssets, [hashes]),
        run(trx, findKnown, [hashes]),
        run(trx, insertAssets, [
            hashes, columnOf(assets, 'type'), columnOf(assets, 'size'), columnOf(assets, 'width'), columnOf(assets, 'height'), made
        ])
    ];
}

/** Locks an asset until the transaction ends, as whoever stores it does. */
export const lockForDecision = async (trx: Database, hash: string): Promise<void> => void await run(trx, lockAssets, [[hash]]);

/**
 * Assets that this process has stored. If their transaction is done again, they have no row yet, and their files are not in `incoming` any
 * more.
 */
const stored = new WeakSet<ReceivedAsset>();

/**
 * Without a row, a power cut may have left other bytes of the right size. With one they were safe before it, so only their size is looked
 * at.
 */
async function putBytes(storage: AssetStorage, assets: readonly ReceivedAsset[], rows: readonly { hash: string }[]): Promise<void> {
    const known = new Set(rows.map(({ hash }) => hash));
    for (const asset of assets) {
        const { hash, file, type, size } = asset;
        const isSafe = known.has(hash) || stored.has(asset);
        if (isSafe && await storage.size(hash) === size) {
            continue;
        }

        if (isSafe) {
            await syncFile(file);
        }

        await storage.put(hash, file, type);
        stored.add(asset);
    }
}

const known = statement({ parameters: ['text'] }, 'select from assets where hash = $1');

/**
 * Removes the bytes of those assets that are in no row (any more): what a deleted asset leaves, and an upload that was not completed. To be
 * called in a transaction, whose locks keep uploads of the same assets waiting.
 * @returns how many assets had bytes to remove
 */
export async function removeUnknown(trx: Database, storage: AssetStorage, hashes: readonly string[]): Promise<number> {
    await run(trx, lockAssets, [hashes]);
    let removed = 0;
    for (const hash of hashes) {
        // One by one: if the connection is lost, and the locks with it, nothing more is removed.
        if (await runOne(trx, known, [hash]) === undefined) {
            await Promise.all(storedNames(hash).map((name) => storage.remove(name)));
            removed++;
        }
    }

    return removed;
}
