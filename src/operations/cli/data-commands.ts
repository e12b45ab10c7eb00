import { file, flag, noneLeft, seconds, UsageError, wholeNumber } from './arguments';
import { backup, restore } from './backup';
import { NotConfirmed, yes, yesHelp } from './command';
import type { Commands } from './command';
import { onDatabase } from './context';
import { openOwnStorage } from '../../files/assets/own-storage';
import { UNUSED_ASSET_DAYS } from '../../limits';
import { countPurgeable, purge } from '../maintenance/purge';
import { countUnusedAssets, removeUnusedAssets } from '../maintenance/unused-assets';
import { countThinnable, projectsToThin, thinHistory } from '../maintenance/thin';

/** Commands for everything in the database at once. */
export const dataCommands: Commands = {
    purge: {
        usage: 'purge [--older-than 30d] [--dry-run | --yes]',
        summary: 'permanently remove what was deleted long enough ago',
        help: `--older-than 30d   how long ago: a number with s, m, h, d or w; 30d if left out
--dry-run          only count what would be removed
${yesHelp}

Removes deleted users, projects, pages and elements with everything in them. After that they cannot be restored, and the
usernames are free again. Points of histories that are older than HISTORY_DAYS are thinned out first; what a point that is
kept shows stays. Assets that nothing has needed for ${UNUSED_ASSET_DAYS} days go, with their bytes. Also removes tokens that have expired, and sign-up codes that have expired or are used up.
Prints one line for each kind, with the number. Can run beside the service; for cron: purge --yes`,
        options: { 'older-than': { type: 'string' }, 'dry-run': { type: 'boolean' }, ...yes },
        prepare: (given) => {
            const age = seconds(given, 'older-than', '30d');
            const confirmed = flag(given, 'yes');
            const dry = flag(given, 'dry-run');
            noneLeft(given);
            if (confirmed && dry) {
                throw new UsageError('--dry-run and --yes cannot be used together.');
            }

            return onDatabase(async ({ config, db, print }) => {
                let points = 0;
                for (const project of await projectsToThin(db, '-infinity', config)) {
                    points += await (confirmed ? thinHistory : countThinnable)(db, project, config);
                }

                const counts = [...confirmed ? await purge(db, age) : await countPurgeable(db, age, config.historyDays), ['points of histories', points]];
                counts.push(['assets', await countUnusedAssets(db)]);
                if (confirmed) {
                    const assets = await openOwnStorage(db, config);
                    for await (const _step of removeUnusedAssets(db, assets)) {
                        // One after the other.
                    }

                    assets.close();
                }

                print(counts.map(([what, count]) => `${what}\t${count}`).join('\n'));
                if (!confirmed && !dry) {
                    throw new NotConfirmed('Nothing was removed. Add --yes to remove this for good.');
                }
            });
        }
    },
    backup: {
        usage: 'backup <folder> [--keep 7]',
        summary: 'write the whole database, and all pictures and sounds, to a folder',
        help: `--keep 7   make a backup with the time as its name in the folder, and keep the newest 7 of them

Can run beside the service. The backup has everything that was acknowledged before this began. A backup that already has the
name is kept until the new one is complete. Pictures and sounds that the backup before has are linked, and take no room again.
The embedded database is saved as a base backup, which the same major version of PostgreSQL can restore. The database of
DATABASE_URL is saved by the pg_dump in PATH, which must not be older than the server. If that leads to a pooler such as PgBouncer,
set DATABASE_DIRECT_URL to the address of PostgreSQL itself.
The folder contains everything, hashes of passwords and tokens included. Only its owner can read it.`,
        options: { keep: { type: 'string' } },
        prepare: (given) => {
            const path = file(given);
            const keep = wholeNumber(given, 'keep', { least: 1, most: 10_000 });
            noneLeft(given);
            return onDatabase((context) => backup(context, path, keep), { anySchema: true });
        }
    },
    restore: {
        usage: 'restore <folder>',
        summary: 'fill an empty database from a backup, and bring back its pictures and sounds',
        help: `All of it or nothing. Nothing is ever replaced: there must be no database in DATA_DIR yet, or no table in the database of
DATABASE_URL (or DATABASE_DIRECT_URL), and no instance may be connected. Pictures and sounds go to the folder assets in DATA_DIR, or to ASSETS_URL.
The backup may be of an older release, also one that is a single file, which has no pictures and sounds. The next start of the
service brings its schema up to date.`,
        prepare: (given) => {
            const path = file(given);
            noneLeft(given);
            return (context) => restore(context, path);
        }
    }
};
