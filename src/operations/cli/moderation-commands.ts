import { reasonText } from '../../community/moderation/schema';
import { suspendPerson, unsuspendPerson } from '../../community/administration/people';
import { OPERATOR } from '../../community/administration/staff';
import { namedAccount } from './accounts';
import { noneLeft, seconds, UsageError, usernameArgument } from './arguments';
import type { Arguments } from './arguments';
import type { Commands } from './command';
import { onDatabase } from './context';

function reasonOf({ values: { reason } }: Arguments): string {
    if (reason === undefined || reasonText.validate(reason).error !== undefined) {
        throw new UsageError('--reason is needed, with 1 to 1,000 characters: the user reads it.');
    }

    return String(reason);
}

/** Commands that do what moderators do, for a place that has none. */
export const moderationCommands: Commands = {
    suspend: {
        usage: 'suspend <username> --reason text [--for 7d]',
        summary: 'suspend a user: reject all writes',
        help: `--reason text   why; the user reads it
--for 7d        how long: a number with s, m, h, d or w; until unsuspend if left out

The user can still sign in, read, and delete the account. What they have made stays as it is. Again replaces the reason and
the end. A moderator cannot be suspended: revoke that first. It is noted in both logs, as done by an operator.`,
        options: { reason: { type: 'string' }, for: { type: 'string' } },
        prepare: (given) => {
            const name = usernameArgument(given);
            const reason = reasonOf(given);
            const until = given.values.for === undefined ? undefined : new Date(Date.now() + seconds(given, 'for', '7d') * 1000).toISOString();
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const { id, username: known } = await namedAccount(db, name);
                await suspendPerson(db, OPERATOR, id, reason, until);
                print(`${known} is suspended${until === undefined ? '' : ` until ${until}`}.`);
            });
        }
    },
    unsuspend: {
        usage: 'unsuspend <username>',
        summary: 'end the suspension of a user',
        help: 'It is noted in both logs, as done by an operator.',
        prepare: (given) => {
            const name = usernameArgument(given);
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const { id, username: known } = await namedAccount(db, name);
                const { changed } = await unsuspendPerson(db, OPERATOR, id);
                print(`${known} ${changed ? 'is no longer' : 'was not'} suspended.`);
            });
        }
    }
};
