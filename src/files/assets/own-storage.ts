import type { Knex } from 'knex';

import type { Config } from '../../config';
import { WrongSettings } from '../../config/wrong-settings';
import { run, runAlways, statement } from '../../database/statements/statement';
import { operatorWrite } from '../../rules/write';
import { openStorage, placeOfAssets } from './open-storage';
import type { AssetStorage } from './storage';

/** The id of the database, and the mark of its place for assets, which is that of the database that it belongs to. */
const knownColumns = {
    id: 'text',
    place: 'text?'
} as const;

const known = statement({ row: knownColumns }, 'select id::text as id, place from asset_owner');
const lock = statement({ row: knownColumns }, 'select id::text as id, place from asset_owner for update');
const setPlace = statement({ parameters: ['text'] }, 'update asset_owner set place = $1::text');
const renewUnplaced = statement({}, 'update asset_owner set id = gen_random_uuid() where place is null');
const renew = statement({ row: { id: 'text' } }, 'update asset_owner set id = gen_random_uuid() returning id::text as id');

/**
 * Whether these are the folder or bucket that has the assets of the database. A database that has none yet gets this one. The lock lets one
 * instance decide at a time. If it is killed between its mark and the commit, an instance with another place that starts before it draws a
 * new id, so that the mark is no longer good.
 */
async function isPlaceOf(db: Knex, storage: AssetStorage): Promise<boolean> {
    const { place } = await runAlways(db, known, []);
    const mark = await storage.owner();
    if (place !== null) {
        return mark === place;
    }

    if (mark === undefined) {
        await run(db, renewUnplaced, []);
    }

    return await operatorWrite(db, async (trx) => {
        const locked = await runAlways(trx, lock, []);
        const there = await storage.owner();
        if (locked.place === null && there === undefined) {
            await storage.setOwner(locked.id);
        }

        const now = there ?? locked.id;
        await run(trx, setPlace, [locked.place ?? now]);
        return (locked.place ?? now) === now;
    });
}

/** Whether nothing but this database uses its folder or bucket, so that what it does not need can be removed there. */
export const isOwn = async (db: Knex, storage: AssetStorage): Promise<boolean> => {
    return await isPlaceOf(db, storage) && await storage.owner() === (await runAlways(db, known, [])).id;
};

/** Makes this the place for assets of the database, and of no other. Any other place that it had is refused from then on. */
export async function claimStorage(db: Knex, storage: AssetStorage): Promise<void> {
    await operatorWrite(db, async (trx) => {
        const { id } = await runAlways(trx, renew, []);
        await run(trx, setPlace, [id]);
        await storage.setOwner(id);
    });
}

/** Opens the place for the assets of a database. @throws Error for an operator, if it cannot be used or is not the one of this database */
export async function openOwnStorage(db: Knex, config: Pick<Config, 'assetsUrl' | 'dataDir'>): Promise<AssetStorage> {
    const storage = await openStorage(config);
    if (!await isPlaceOf(db, storage)) {
        storage.close();
        throw new WrongSettings(`The pictures and sounds of this database are not in ${placeOfAssets(config)}, but in another folder or bucket, so people would not see them.
Give all instances the same one (DATA_DIR or ASSETS_URL). If it was moved, copy all of it, with the file "database".
If it is lost, or this is to replace it: npm run admin -- assets adopt`);
    }

    return storage;
}
