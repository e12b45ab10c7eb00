import { announce, levels, listAnnouncements, withdraw } from '../../community/administration/announcements';
import { listActs } from '../../community/administration/log';
import { askForMaintenance, showMaintenance } from '../../community/administration/maintenance';
import { announcementText } from '../../community/administration/schema';
import { OPERATOR } from '../../community/administration/staff';
import { showStatistics } from '../../community/administration/statistics';
import { listLog } from '../../community/moderation/log';
import { MAX_ANNOUNCEMENT_TEXT } from '../../limits';
import { flag, idArgument, noneLeft, seconds, UsageError, wholeNumber } from './arguments';
import type { Arguments } from './arguments';
import type { Commands } from './command';
import { onDatabase } from './context';
import { linesOf, rowsOf } from './listed';

const [info, warning] = levels;

function announcementArgument({ positionals }: Arguments): string {
    const words = positionals.shift();
    if (words === undefined || announcementText.validate(words).error !== undefined) {
        throw new UsageError(`The text is needed, with 1 to ${MAX_ANNOUNCEMENT_TEXT} characters, as one argument.`);
    }

    return words;
}

const most = { least: 1, most: 100_000 };

/** Commands for the place as a whole. */
export const placeCommands: Commands = {
    announce: {
        usage: 'announce <text> [--for 1d] [--warning]',
        summary: 'show a text on all pages of the site',
        help: `--for 1d    how long: a number with s, m, h, d or w; a day if left out
--warning   as a warning

Prints the id, with which withdraw ends it. It is noted in the log.`,
        options: { for: { type: 'string' }, warning: { type: 'boolean' } },
        prepare: (given) => {
            const text = announcementArgument(given);
            const until = new Date(Date.now() + seconds(given, 'for', '1d') * 1000).toISOString();
            const level = flag(given, 'warning') ? warning : info;
            noneLeft(given);
            return onDatabase(async ({ db, print }) => print((await announce(db, OPERATOR, { text, level, until })).id));
        }
    },
    announcements: {
        usage: 'announcements',
        summary: 'list the texts that the pages show',
        help: 'One on each line, newest first, with tabs between the columns. The first line names the columns.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const items = await listAnnouncements(db, true);
                await linesOf(['id', 'level', 'until', 'by', 'text'], rowsOf(() => Promise.resolve({ items, id: null })), print);
            });
        }
    },
    withdraw: {
        usage: 'withdraw <id>',
        summary: 'end an announcement',
        help: '"announcements" lists the ids. It is noted in the log.',
        prepare: (given) => {
            const id = idArgument(given, 'announcement');
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                await withdraw(db, OPERATOR, id);
                print('The announcement has ended.');
            });
        }
    },
    statistics: {
        usage: 'statistics',
        summary: 'print the place in numbers, as JSON',
        help: 'People, projects, sizes, queues, and the last 30 days. At most a minute old.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ db, print }) => print(await showStatistics(db, (read) => read(db))));
        }
    },
    maintenance: {
        usage: 'maintenance [--now]',
        summary: 'print how far the maintenance is, as JSON, or have it done now',
        help: '--now   makes it due: a service that is running begins it within a minute. It is noted in the log.\n\nWithout a running service, purge does most of it.',
        options: { now: { type: 'boolean' } },
        prepare: (given) => {
            const now = flag(given, 'now');
            noneLeft(given);
            return onDatabase(async ({ db, print }) => print(await (now ? askForMaintenance(db, OPERATOR) : showMaintenance(db))));
        }
    },
    log: {
        usage: 'log [--moderation] [--count 100]',
        summary: 'print what staff and operators did, or moderators',
        help: '--moderation   the moderation log instead\n--count 100    how many entries at most\n\nOne entry on each line, newest first, with tabs between the columns. The first line names the columns. A dash: an operator did it.',
        options: { moderation: { type: 'boolean' }, count: { type: 'string' } },
        prepare: (given) => {
            const count = wholeNumber(given, 'count', most) ?? 100;
            const moderation = flag(given, 'moderation');
            noneLeft(given);
            return onDatabase(({ db, print }) => (moderation
                ? linesOf(['at', 'moderator.username', 'act', 'target.type', 'target.id', 'target.owner.username', 'reason'], rowsOf((before, size) => listLog(db, before, size), count), print)
                : linesOf(['at', 'by.username', 'act', 'target.type', 'target.id', 'target.name', 'detail'], rowsOf((before, size) => listActs(db, before, size), count), print)));
        }
    }
};
