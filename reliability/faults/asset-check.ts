import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import type { Knex } from 'knex';

import { NoSuchBytes, hashOf, storedName } from '../../src/files/assets/storage';
import type { AssetStorage } from '../../src/files/assets/storage';
import type { Dice } from '../../test/support/dice';
import type { Load } from './load';
import type { Ledger } from './painter';

/** How much a check has compared. */
export interface CheckedAssets {
    assets: number;
    references: number;
    /** those that the service has drawn */
    thumbnails: number;
    acknowledged: number;
}

/** The most findings that are reported. */
const MOST = 10;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function rowsOf<Row>(db: Knex, sql: string): Promise<Row[]> {
    const { rows } = await db.raw<{ rows: Row[] }>(sql);
    return rows;
}

/** Every reference there is, whatever the service itself notes of them: in what is shown, what is in the trash, and the histories. */
const references = `
    with texts as (
        select g.project_id, e.attributes::text as content from elements e join pages g on g.id = e.page_id
        union all select g.project_id, e.styles::text from elements e join pages g on g.id = e.page_id
        union all select project_id, styles::text from pages
        union all select project_id, value::text from versions
        union all select id, thumbnail::text from projects
        union all select id, '/assets/' || made_thumbnail from projects
    )
    select distinct project_id::text as project, m[2] as hash from texts, regexp_matches(content, '("asset:|/assets/)([0-9a-f]{64})', 'g') m`;

/**
 * Compares what painters were told with what is stored, and the references, rows and bytes with each other, after a maintenance and while nobody writes.
 * Differences are added to the findings in the load's journal.
 */
export async function checkAssets(load: Load, { acknowledged, kept, placed, copied }: Ledger, db: Knex, storage: AssetStorage, dice: Dice): Promise<CheckedAssets> {
    const found: string[] = [];
    const assets = new Map((await rowsOf<{ hash: string; size: number }>(db, 'select hash, size from assets')).map(({ hash, size }) => [hash, size]));
    const uses = new Set((await rowsOf<{ use: string }>(db, `select project_id || ' ' || hash as use from used_assets`)).map(({ use }) => use));
    const sent = new Set((await rowsOf<{ sent: string }>(db, `select user_id || ' ' || hash as sent from sent_assets`)).map((row) => row.sent));
    const [{ thumbnails } = { thumbnails: 0 }] = await rowsOf<{ thumbnails: number }>(db, 'select count(made_thumbnail)::int as thumbnails from projects');
    const referred = await rowsOf<{ project: string; hash: string }>(db, references);

    for (const [hash, size] of assets) {
        const bytes = await storage.open(storedName(hash)).then(buffer).catch((error: unknown) => {
            if (error instanceof NoSuchBytes) {
                return undefined;
            }

            throw error;
        });
        if (bytes === undefined || sha256(bytes) !== hash || bytes.length !== size) {
            found.push(`the asset ${hash} has ${bytes === undefined ? 'no bytes' : `${bytes.length} other bytes, not ${size}`}`);
        }
    }

    for (const { project, hash } of referred) {
        if (!assets.has(hash) || !uses.has(`${project} ${hash}`)) {
            found.push(`project ${project} refers to ${hash}, which ${assets.has(hash) ? 'is not noted' : 'is not there'}`);
        }
    }

    const needed = new Set(referred.map(({ hash }) => hash));
    for (const hash of assets.keys()) {
        if (!needed.has(hash) && !kept.has(hash)) {
            found.push(`nothing has needed ${hash} for 8 days, and it was not removed`);
        }
    }

    for await (const names of storage.list(-60_000)) {
        found.push(...names.filter((name) => !assets.has(hashOf(name))).map((name) => `${name} belongs to no asset, and was not removed`));
    }

    for (const name of await readdir(storage.incoming)) {
        found.push(`${name} was left of an upload, and was not removed`);
    }

    for (const [hash, user] of acknowledged) {
        if (!assets.has(hash) || !sent.has(`${user} ${hash}`)) {
            found.push(`the acknowledged upload ${hash} is not there`);
        }
    }

    for (const [path, hash] of placed) {
        const { status, body } = await load.read(path, dice);
        if (status !== 200 || body.element.attributes.src !== `asset:${hash}`) {
            found.push(`${path} is acknowledged to refer to ${hash}, and reads as ${status} ${JSON.stringify(body).slice(0, 300)}`);
        }
    }

    for (const [path, hashes] of copied) {
        const shown = new Set(referred.filter(({ project }) => project === path.split('/').at(-1)).map(({ hash }) => hash));
        const lost = hashes.filter((hash) => !shown.has(hash));
        if (lost.length > 0) {
            found.push(`${path} is an acknowledged copy, and lacks ${lost.join(', ')}`);
        }
    }

    // What clients get, of each that anybody was told of.
    for (const hash of new Set([...acknowledged.keys(), ...placed.values(), ...[...copied.values()].flat()])) {
        const { status, bytes } = await load.read(`/assets/${hash}`, dice);
        if (status !== 200 || sha256(bytes) !== hash) {
            found.push(`GET /assets/${hash} is ${status} with ${bytes.length} bytes`);
        }
    }

    found.slice(0, MOST).forEach((words) => load.journal.find(words));
    return { assets: assets.size, references: referred.length, thumbnails, acknowledged: acknowledged.size + placed.size + copied.size };
}
