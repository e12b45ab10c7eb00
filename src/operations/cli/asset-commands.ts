import { openStorage, placeOfAssets } from '../../files/assets/open-storage';
import { claimStorage, isOwn, openOwnStorage } from '../../files/assets/own-storage';
import type { AssetStorage } from '../../files/assets/storage';
import { MAX_OBJECT_BYTES } from '../../limits';
import { flag, noneLeft, UsageError, wholeNumber } from './arguments';
import type { Arguments } from './arguments';
import { NotConfirmed, yes } from './command';
import type { Command, Commands } from './command';
import { onDatabase } from './context';
import { Lifting } from './lift-assets';

type Work = ReturnType<Command['prepare']>;

/** Work on the place for assets, which is closed afterwards. */
async function closed(opening: Promise<AssetStorage>, work: (storage: AssetStorage) => Promise<void>): Promise<void> {
    const storage = await opening;
    try {
        await work(storage);
    }
    finally {
        storage.close();
    }
}

function lift(given: Arguments): Work {
    const dry = flag(given, 'dry-run');
    const atLeast = wholeNumber(given, 'at-least', { least: 0, most: MAX_OBJECT_BYTES }) ?? 0;
    noneLeft(given);
    return onDatabase(({ config, db, print, remark }) => closed(openOwnStorage(db, config), async (storage) => {
        const { projects, uris, bytes, left } = await new Lifting(db, storage, { quota: config.assetQuota, scanUrl: config.scanUrl, most: config.maxAssetBytes, atLeast, dry, remark }).run();
        print(`projects\t${projects}\ndata URIs\t${uris}\nbytes\t${bytes}\nleft\t${left}`);
    }));
}

function adoptPlace(given: Arguments): Work {
    const confirmed = flag(given, 'yes');
    noneLeft(given);
    return onDatabase(({ config, db, print }) => closed(openStorage(config), async (storage) => {
        const place = placeOfAssets(config);
        if (await isOwn(db, storage)) {
            print(`${place} is the place for pictures and sounds of this database already.`);
            return;
        }

        if (!confirmed) {
            throw new NotConfirmed(`${place} would become the place for pictures and sounds of this database. What is only in its place of before would be gone for people,
and what is here and unknown to this database would be removed. Add --yes to do it.`);
        }

        await claimStorage(db, storage);
        print(`${place} is the place for pictures and sounds of this database now. Restart all instances with it.`);
    }));
}

/** Commands for pictures and sounds. */
export const assetCommands: Commands = {
    assets: {
        usage: 'assets lift [--at-least 0] [--dry-run] | assets adopt [--yes]',
        summary: 'turn pictures and sounds inside of pages into assets, or change where assets are',
        help: `--at-least 0   lift: leave data URIs of fewer characters as they are; 0 if left out
--dry-run      lift: only count what would be lifted
--yes          adopt: do it; without this the command only says what it would do, and exits with 4

assets lift: each data URI of a picture, sound or video in attributes and styles becomes an asset, as if its author had sent
it, and a reference stands in its place. It is a change of the project, by nobody, which can be undone; its history keeps what
was there before until it is thinned out. What the service has already is not stored again, and counts for nobody's quota again.
Projects of an account stay as they are where its assets would take more than ASSET_QUOTA_MIB, and the command says which.
What is deleted is not looked at.
Can run beside the service, and be interrupted and run again. Prints how many projects, data URIs and bytes of them were
lifted, and how many data URIs are left; the reasons are on standard error.

assets adopt: the folder assets of DATA_DIR, or the bucket of ASSETS_URL, becomes the only one that the database accepts. A
database has one place for pictures and sounds, and no instance starts with another one, since people would not see what is
in the first. A folder that was moved or copied as a whole needs no adopting. To undo it, adopt the old one.`,
        options: { 'at-least': { type: 'string' }, 'dry-run': { type: 'boolean' }, ...yes },
        prepare: (given) => {
            const what = given.positionals.shift();
            if (what !== 'lift' && what !== 'adopt') {
                throw new UsageError('What to do is missing: "assets lift" or "assets adopt".');
            }

            return what === 'lift' ? lift(given) : adoptPlace(given);
        }
    }
};
