import type { Knex } from 'knex';

import { byLookup, inAllShards, inProject, writing } from '../../database/declaration';
import { LEFT_BEHIND } from '../../files/assets/open-storage';
import { isOwn } from '../../files/assets/own-storage';
import { removeUnknown } from '../../files/assets/register';
import { hashOf, storedName } from '../../files/assets/storage';
import type { AssetStorage } from '../../files/assets/storage';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { transaction } from '../../database/statements/transaction';
import { UNUSED_ASSET_DAYS } from '../../limits';

/** Maximum number of assets that are checked or removed at a time. */
const BATCH = 100;

const doubted = statement({ parameters: ['bigint'], row: { id: 'text' }, place: inAllShards({ kind: 'first', count: 100 }) }, 'select project_id::text as id from asset_doubts where project_id > $1::bigint order by project_id limit 100');
const hold = statement({ parameters: ['bigint'], row: { found: 'boolean' }, place: writing(inProject(1)) }, 'select true as found from projects where id = $1 for no key update skip locked');
// This comes before the uses end. A note that another transaction writes meanwhile waits for it, and is still there afterwards.
const forget = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, 'delete from asset_doubts where project_id = $1');

const found = (text: string, from: string): string => `select assets_in(${text}) from ${from} and position('"asset:' in ${text}) > 0`;
const shown = (text: string, from: string): string => `select assets_shown(${text}) from ${from} and position('/assets/' in ${text}) > 0`;

/** Ends the uses of the project $1 that nothing in it, in its trash or in its history needs any more. Of a set of which it does not need all, it gets rows for what it needs. */
const endUses = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `
    with needed (hash) as materialized (
        ${found('e.attributes::text', 'pages g join elements e on e.page_id = g.id where g.project_id = $1')}
        union ${found('e.styles::text', 'pages g join elements e on e.page_id = g.id where g.project_id = $1')}
        union ${found('g.styles::text', 'pages g where g.project_id = $1')}
        union ${found('v.value::text', `versions v where v.project_id = $1 and v.type <> 'project'`)}
        union ${shown('v.value::text', `versions v where v.project_id = $1 and v.type = 'project'`)}
        union ${shown('p.thumbnail::text', 'projects p where p.id = $1')}
        union select made_thumbnail from projects where id = $1 and made_thumbnail is not null
    ), ended as (
        delete from asset_set_uses u where u.project_id = $1 and exists (select from asset_set_members m where m.set_id = u.set_id and m.hash not in (select hash from needed)) returning u.set_id
    ), kept as (
        insert into asset_uses (project_id, hash) select $1, m.hash from ended join asset_set_members m on m.set_id = ended.set_id where m.hash in (select hash from needed) on conflict do nothing
    )
    delete from asset_uses where project_id = $1 and hash not in (select hash from needed)`);

/** Ends uses in the projects from which something was deleted permanently. Projects that are being written to are left for the next time. */
async function* endDoubts(db: Knex): AsyncGenerator<void> {
    for (let ids = await run(db, doubted, ['0']); ids.length > 0; ids = await run(db, doubted, [ids.at(-1)?.id])) {
        for (const { id } of ids) {
            yield;
            await transaction(db, undefined, async (trx) => {
                if (await runOne(trx, hold, [id]) !== undefined) {
                    await run(trx, forget, [id]);
                    await run(trx, endUses, [id]);
                }
            });
        }
    }
}

/** SQL for whether the asset in the row has been unused for as long as unused assets are kept. */
const isUnused = `a.unused_since < now() - interval '${UNUSED_ASSET_DAYS} days' and not exists (select from asset_uses u where u.hash = a.hash) and not exists (select from asset_set_members m where m.hash = a.hash)`;

const countUnused = statement({ row: { count: 'integer' }, place: byLookup }, `select count(*)::int as count from assets a where ${isUnused}`);
const pick = statement({ row: { hash: 'text' }, place: byLookup }, `select hash from assets a where ${isUnused} order by hash limit ${BATCH} for update skip locked`);
// Checks again, because this statement also sees uses that were added while the one before waited for the lock.
const remove = statement({ parameters: ['text[]'], row: { hash: 'text' }, place: byLookup }, `delete from assets a where a.hash = any($1::text[]) and ${isUnused} returning hash`);

/** How many assets `removeUnusedAssets` would remove. */
export const countUnusedAssets = async (db: Knex): Promise<number> => (await runAlways(db, countUnused, [])).count;

/** Removes assets that have been unused for `UNUSED_ASSET_DAYS`: first their rows, then, after the commit, their bytes. @returns how many */
async function removeSome(db: Knex, storage: AssetStorage): Promise<number> {
    const gone = await transaction(db, undefined, async (trx) => {
        const picked = await run(trx, pick, []);
        return (await run(trx, remove, [picked.map(({ hash }) => hash)])).map(({ hash }) => hash);
    });
    await transaction(db, undefined, (trx) => removeUnknown(trx, storage, gone));
    return gone.length;
}

const known = statement({ parameters: ['text[]'], row: { hash: 'text' } }, 'select hash from assets where hash = any($1::text[])');
const between = statement({ parameters: ['text', 'text', 'text[]'], row: { hash: 'text' } }, `select hash from assets where hash > $1 and ($2::text is null or hash <= $2) and created_at < now() - interval '1 hour' and hash <> all($3::text[])`);
const forgetSent = statement({ parameters: ['text[]'] }, 'delete from sent_assets where hash = any($1::text[])');

/**
 * Compares the stored bytes with the rows. Bytes without a row are removed. An asset without bytes (for instance if the folder was not restored) counts as
 * sent by nobody, so that clients send it again.
 */
async function* compare(db: Knex, storage: AssetStorage): AsyncGenerator<void> {
    let last = '';
    const lost = async (to: string | null, there: readonly string[]): Promise<void> => {
        const hashes: string[] = [];
        for (const { hash } of await run(db, between, [last, to, there])) {
            if (await storage.size(storedName(hash)) === undefined) {
                hashes.push(hash);
            }
        }

        if (hashes.length > 0) {
            await run(db, forgetSent, [hashes]);
        }
    };

    for await (const names of storage.list(LEFT_BEHIND)) {
        yield;
        const hashes = [...new Set(names.map(hashOf))];
        const kept = new Set((await run(db, known, [hashes])).map(({ hash }) => hash));
        const unknown = hashes.filter((hash) => !kept.has(hash));
        for (let at = 0; at < unknown.length; at += BATCH) {
            await transaction(db, undefined, (trx) => removeUnknown(trx, storage, unknown.slice(at, at + BATCH)));
            yield;
        }

        const to = hashes.at(-1);
        if (to !== undefined) {
            await lost(to, names);
            last = to;
        }
    }

    await lost(null, []);
}

/**
 * Removes assets that nothing needs, and what is left of uploads that were not completed. Nothing is removed from a folder or bucket that is not
 * the one of this database.
 */
export async function* removeUnusedAssets(db: Knex, storage: AssetStorage): AsyncGenerator<void> {
    await storage.tidy(LEFT_BEHIND);
    yield* endDoubts(db);
    if (await isOwn(db, storage)) {
        while (await removeSome(db, storage) > 0) {
            yield;
        }

        yield* compare(db, storage);
    }
}
