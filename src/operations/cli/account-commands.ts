import { password } from '../../api/auth/schema';
import { changePermission, removePerson, resetPassword, restorePerson } from '../../community/administration/people';
import { createCode, endCode } from '../../community/administration/sign-up-codes';
import { OPERATOR } from '../../community/administration/staff';
import { hashPassword, hashSecret, newPassword, newSecret } from '../../api/auth/secrets';
import { insertToken } from '../../accounts/tokens/queries';
import { MAX_CODE_USES } from '../../limits';
import { days, flag, noneLeft, permission, scopeOf, seconds, usernameArgument, wholeNumber } from './arguments';
import { deletedAccount, namedAccount } from './accounts';
import { NoSuchUser, NotConfirmed, noSuchUser, yes, yesHelp } from './command';
import type { Command, Commands } from './command';
import { onDatabase } from './context';
import { findUserId, permissions } from '../../accounts/users/permissions';
import { findLastTaught } from '../../rules/last-teacher';
import { allUsers } from './queries';
import { showAccount } from './show';

const setter = (verb: 'grant' | 'revoke', granted: boolean): Command => ({
    usage: `${verb} <username> moderator|staff|teacher${granted ? '' : ' [--yes]'}`,
    summary: granted ? 'give a user a permission' : 'take a permission from a user',
    help: 'Moderators can feature projects, delete and hold those of others, and suspend users. Teachers can make classes. Staff runs the place at /admin.\nUpper and lower case do not matter in the username. The change applies from the next request on, and is noted in the log.'
        + (granted ? '' : '\n\n--yes   also of the last teacher of a class. The class ends, and the accounts that it manages become ordinary ones.'),
    ...!granted && { options: yes },
    prepare: (given) => {
        const name = usernameArgument(given);
        const which = permission(given);
        const insists = !granted && flag(given, 'yes');
        noneLeft(given);
        return onDatabase(async ({ config, db, print }) => {
            const { id, username } = await namedAccount(db, name);
            const everybody = config.teachers === 'open';
            const left = which === 'teacher' && !granted && !everybody ? await findLastTaught(db, id, everybody) : [];
            if (left.length > 0 && !insists) {
                throw new NotConfirmed(`${username} is the last teacher of ${left.length} ${left.length === 1 ? 'class' : 'classes'} (${left.join(', ')}). Let another teacher be added first, or add --yes to end it.`);
            }

            const outcome = await changePermission(db, OPERATOR, id, which, granted, { everybody, insists });
            const kept = granted ? `was already ${which}` : `was not ${which}`;
            const changed = granted ? `is now ${which}` : `is no longer ${which}`;
            print(`${username} ${outcome.changed ? changed : kept}.`);
        });
    }
});

/** Commands for single accounts. */
export const accountCommands: Commands = {
    users: {
        usage: 'users',
        summary: 'list all accounts',
        help: 'One account on each line, with tabs between the columns. The first line names the columns. "deleted" has a date for an\naccount that was deleted and has not been purged.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                print('id\tusername\tlanguage\tpermissions\tprojects\tcreated\tdeleted');
                for await (const user of allUsers(db)) {
                    print([user.id, user.username, user.language, permissions.filter((name) => user[name]).join(',') || '-', user.projects, user.created, user.deleted ?? '-'].join('\t'));
                }
            });
        }
    },
    show: {
        usage: 'show <username>',
        summary: 'print details of an account',
        help: `The account itself, its projects, its tokens by their labels, and its trash: what was deleted and has not been purged. No
secret is printed. At most 100 rows of each, newest first, with tabs between the columns; times are in UTC. Also works for an
account that was deleted: "with the account" marks the projects that restore-account would bring back.`,
        prepare: (given) => {
            const name = usernameArgument(given);
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const lines = await showAccount(db, name);
                if (lines === undefined) {
                    throw new NoSuchUser(`There is no user "${name}".`);
                }

                lines.forEach(print);
            });
        }
    },
    password: {
        usage: 'password <username> [--stdin]',
        summary: 'set a new password for a user, and sign them out everywhere',
        help: `--stdin   read the password from the first line of standard input; without this a random one is made and printed

The password is not shown again. All tokens of the user are revoked.`,
        options: { stdin: { type: 'boolean' } },
        prepare: (given) => {
            const name = usernameArgument(given);
            const fromInput = flag(given, 'stdin');
            noneLeft(given);
            return onDatabase(async (context) => {
                const { config: { auth }, db, print, readLine, remark } = context;
                const { id, username: known, issuer, tokens } = await namedAccount(context.db, name);
                const elsewhere = auth.provider === 'local' ? issuer : auth.issuer;
                if (elsewhere !== null) {
                    throw new Error(`${known} has no password here, and signs in at ${elsewhere}.`);
                }

                const text = fromInput ? await readLine() : newPassword();
                if (password.validate(text).error !== undefined) {
                    throw new Error('A password must have 8 to 256 characters.');
                }

                await resetPassword(db, OPERATOR, id, await hashPassword(text));
                if (!fromInput) {
                    print(text);
                }

                remark(`${known} has a new password. Tokens revoked: ${tokens}.`);
            });
        }
    },
    'remove-account': {
        usage: 'remove-account <username> [--yes]',
        summary: 'delete an account with its projects, as its user can',
        help: `${yesHelp}\n\nThe account, its projects and its tokens stop working at once. Until purge removes them, restore-account brings back the
account and its projects. The username stays taken until then. A class without another teacher ends, and the accounts\nthat it manages become ordinary ones; restore-class brings it back.`,
        options: yes,
        prepare: (given) => {
            const name = usernameArgument(given);
            const confirmed = flag(given, 'yes');
            noneLeft(given);
            return onDatabase(async (context) => {
                const { id, username: known, projects, tokens } = await namedAccount(context.db, name);
                const everybody = context.config.teachers === 'open';
                const left = await findLastTaught(context.db, id, everybody);
                if (confirmed) {
                    await removePerson(context.db, OPERATOR, id, { everybody, insists: true });
                }

                context.print(`${known} ${confirmed ? 'was' : 'would be'} removed. Projects: ${projects}, tokens: ${tokens}.${left.length === 0 ? '' : ` Classes without another teacher, which end: ${left.join(', ')}.`}`);
                if (!confirmed) {
                    throw new NotConfirmed('Nothing was changed. Add --yes to do it.');
                }
            });
        }
    },
    'restore-account': {
        usage: 'restore-account <username>',
        summary: 'restore a deleted account, with the projects that were deleted with it',
        help: 'Works until purge has removed the account. What its user had deleted before stays deleted. The password is as it was; the\ntokens are gone, so the user signs in again.',
        prepare: (given) => {
            const name = usernameArgument(given);
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const { id, username } = await deletedAccount(db, name);
                const { projects } = await restorePerson(db, OPERATOR, id);
                print(`${username} was restored. Projects: ${projects}.`);
            });
        }
    },
    grant: setter('grant', true),
    revoke: setter('revoke', false),
    token: {
        usage: 'token <username> [--scope user,projects] [--days n]',
        summary: 'create a token for a user, and print it',
        help: '--scope user,projects   what the token is for; both if left out\n--days n                how long it is valid, 1 to 365; TOKEN_TTL if left out\n\nPrints nothing but the token.',
        options: { scope: { type: 'string' }, days: { type: 'string' } },
        prepare: (given) => {
            const name = usernameArgument(given);
            const scope = scopeOf(given);
            const life = days(given);
            noneLeft(given);
            return onDatabase(async ({ config, db, print }) => {
                const secret = newSecret();
                const userId = await findUserId(db, name);
                if (config.auth.provider !== 'local') {
                    throw new Error(`The service does not accept tokens of this command: ${config.auth.issuer} issues them (AUTH_PROVIDER=${config.auth.provider}).`);
                }

                const token = userId === undefined ? undefined : await insertToken(db, {
                    userId, passwordHash: null, hash: hashSecret(secret), scope, label: 'made by an operator', origin: 'sign_in', projects: null, expiresIn: life ?? config.tokenTtl
                });
                if (token === undefined) {
                    throw noSuchUser(name);
                }

                print(secret);
            });
        }
    },
    invite: {
        usage: 'invite [--uses n] [--expires 7d] | invite --revoke <code>',
        summary: 'create a sign-up code, and print it',
        help: `--uses n        how many accounts it opens, 1 to 100000; 1 if left out
--expires 7d    how long it is valid: a number with s, m, h, d or w; 7d if left out
--revoke code   revoke a code instead

With SIGN_UP=invite, POST /users needs such a code. It is a secret: whoever has it can open an account. Prints nothing but
the code, which is not shown again.`,
        options: { uses: { type: 'string' }, expires: { type: 'string' }, revoke: { type: 'string' } },
        prepare: (given) => {
            const uses = wholeNumber(given, 'uses', { least: 1, most: MAX_CODE_USES }) ?? 1;
            const expiresIn = seconds(given, 'expires', '7d');
            const { revoke } = given.values;
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                if (revoke === undefined) {
                    print((await createCode(db, OPERATOR, { uses, expiresIn, note: null })).code);
                    return;
                }

                await endCode(db, OPERATOR, { code: String(revoke) });
                print('The code no longer opens an account.');
            });
        }
    }
};
