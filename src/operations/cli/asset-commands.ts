import { openStorage } from '../../files/assets/open-storage';
import { MOST_OBJECT_BYTES } from '../../limits';
import { flag, noneLeft, UsageError, wholeNumber } from './arguments';
import type { Commands } from './command';
import { onDatabase } from './context';
import { Lifting } from './lift-assets';

/** Commands for pictures and sounds. */
export const assetCommands: Commands = {
    assets: {
        usage: 'assets lift [--at-least 0] [--dry-run]',
        summary: 'turn pictures and sounds inside of pages into assets',
        help: `--at-least 0   leave data URIs of fewer characters as they are; 0 if left out
--dry-run      only count what would be lifted

Each data URI of a picture, sound or video in attributes and styles becomes an asset, as if its author had sent it, and a
reference stands in its place. It is a change of the project, by nobody, which can be undone; its history keeps what was
there before until it is thinned out. What the service has already is not stored again, and counts for nobody's quota again.
Projects of an account stay as they are where its assets would take more than ASSET_QUOTA_MIB, and the command says which.
What is deleted is not looked at.
Can run beside the service, and be interrupted and run again. Prints how many projects, data URIs and bytes of them were
lifted, and how many data URIs are left; the reasons are on standard error.`,
        options: { 'at-least': { type: 'string' }, 'dry-run': { type: 'boolean' } },
        prepare: (given) => {
            const what = given.positionals.shift();
            if (what !== 'lift') {
                throw new UsageError('What to do is missing: "assets lift".');
            }

            const dry = flag(given, 'dry-run');
            const atLeast = wholeNumber(given, 'at-least', { least: 0, most: MOST_OBJECT_BYTES }) ?? 0;
            noneLeft(given);
            return onDatabase(async ({ config, db, print, remark }) => {
                const storage = await openStorage(config);
                try {
                    const { projects, uris, bytes, left } = await new Lifting(db, storage, { quota: config.assetQuota, most: config.maxAssetBytes, atLeast, dry, remark }).run();
                    print(`projects\t${projects}\ndata URIs\t${uris}\nbytes\t${bytes}\nleft\t${left}`);
                }
                finally {
                    storage.close();
                }
            });
        }
    }
};
