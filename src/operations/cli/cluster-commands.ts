import { distribute } from '../../database/citus/distribution';
import { planDistribution } from '../../database/citus/plan';
import { flag, noneLeft, UsageError } from './arguments';
import { NotConfirmed, yes, yesHelp } from './command';
import type { Commands } from './command';
import { onDatabase } from './context';
import { refuseWhileInUse } from './in-use';

const MEBIBYTE = 2 ** 20;

/** Commands for a database on a cluster. */
export const clusterCommands: Commands = {
    distribute: {
        usage: 'distribute [--dry-run | --yes]',
        summary: 'move the database to the nodes of a cluster of Citus (experimental)',
        help: `--dry-run   only say what would be done, and whether it can be
${yesHelp}

DATABASE_URL has to lead to the coordinator of a cluster that has workers. docs/citus.md says how to set one up, and what is not
possible there. There is no way back but a backup: make one first. Stop the service first: the command refuses while an instance is
connected. It is one transaction: if it ends early, nothing has happened, and it can be started again.`,
        options: { 'dry-run': { type: 'boolean' }, ...yes },
        prepare: (given) => {
            const confirmed = flag(given, 'yes');
            const dry = flag(given, 'dry-run');
            noneLeft(given);
            if (confirmed && dry) {
                throw new UsageError('--dry-run and --yes cannot be used together.');
            }

            return onDatabase(async ({ db, print }) => {
                const { projects, bytes, shards, workers } = await planDistribution(db);
                if (confirmed) {
                    await refuseWhileInUse(db);
                    await distribute(db);
                }

                print(`${projects} projects (${Math.ceil(bytes / MEBIBYTE)} MiB in all) ${confirmed ? 'are now' : 'would be'} in ${shards} shards on ${workers.join(', ')}.`);
                if (!confirmed && !dry) {
                    throw new NotConfirmed('Nothing was changed. Make a backup, then add --yes to do it.');
                }
            });
        }
    }
};
