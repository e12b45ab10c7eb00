import { fromApps, fromAuthorizations } from '../../accounts/apps/fragments';
import { joinUser } from '../../accounts/users/fragments';
import { deleteApp, listApps, trustApp } from '../../community/administration/apps';
import { OPERATOR } from '../../community/administration/staff';
import { listWebhooks, switchWebhookOff } from '../../community/administration/webhooks';
import { run, statement } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';
import { flag, idArgument, noneLeft, UsageError } from './arguments';
import type { Arguments } from './arguments';
import { NotConfirmed, yes, yesHelp } from './command';
import type { Commands } from './command';
import { onDatabase } from './context';
import { linesOf, rowsOf } from './listed';

const found = statement({ parameters: ['text'], row: { id: 'text', name: 'text', url: 'text', owner: 'text?', trusted: 'boolean', users: 'integer' } }, `
    select a.id::text as id, a.name, a.url, u.username as owner, a.trusted, (select count(distinct g.user_id)
        ${fromAuthorizations('a.id')})::int as users
    from (select a.* ${fromApps('true')}) a left ${joinUser('a.user_id')} where a.name = $1 or a.id::text = $1 order by a.id`);

function nameArgument({ positionals }: Arguments): string {
    const name = positionals.shift();
    if (name === undefined) {
        throw new UsageError('The name or the id of the app is missing.');
    }

    return name;
}

/** The one app with a name or an id. @throws Error if there is none, or if several have the name */
async function appOf(db: Database, name: string): Promise<{ id: string; name: string; url: string; owner: string | null; trusted: boolean; users: number }> {
    const [first, ...others] = await run(db, found, [name]);
    if (first === undefined) {
        throw new Error(`There is no app "${name}".`);
    }

    if (others.length > 0) {
        const all = [first, ...others].map(({ id, owner, url }) => `  ${id}\t${owner ?? '-'}\t${url}`).join('\n');
        throw new Error(`Several apps have the name "${name}". Name one by its id:\n${all}`);
    }

    return first;
}

/** Commands for the programs of others. */
export const appCommands: Commands = {
    apps: {
        usage: 'apps',
        summary: 'list all apps',
        help: 'One app on each line, with tabs between the columns. The first line names the columns.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(({ db, print }) => linesOf(['id', 'name', 'url', 'owner.username', 'trusted', 'users', 'created_at'], rowsOf((before, count) => listApps(db, before, count)), print));
        }
    },
    webhooks: {
        usage: 'webhooks',
        summary: 'list all webhooks',
        help: 'One webhook on each line, with tabs between the columns. The first line names the columns. Of an address only the host is shown.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(({ db, print }) => linesOf(['id', 'owner.username', 'host', 'events', 'enabled', 'reason', 'waiting', 'failing_since'], rowsOf((before, count) => listWebhooks(db, before, count)), print));
        }
    },
    'webhook-off': {
        usage: 'webhook-off <id>',
        summary: 'switch a webhook off',
        help: 'What waits for it is given up. Its owner can switch it on again. "webhooks" lists the ids. It is noted in the log.',
        prepare: (given) => {
            const id = idArgument(given, 'webhook');
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                await switchWebhookOff(db, OPERATOR, id);
                print(`The webhook ${id} is switched off.`);
            });
        }
    },
    app: {
        usage: 'app <name|id> [--trusted|--not-trusted|--delete --yes]',
        summary: 'show an app, trust it, or end it for everybody',
        help: `--trusted       people who have let it in before are not asked again when they sign in
--not-trusted   they are asked each time, as for all other apps
--delete        delete it: all of its tokens end at once, for everybody
${yesHelp}

Without an option it prints the app: id, name, address, owner ("-" if it registered itself), whether it is trusted, and how many users
let it in.`,
        options: { trusted: { type: 'boolean' }, 'not-trusted': { type: 'boolean' }, delete: { type: 'boolean' }, ...yes },
        prepare: (given) => {
            const name = nameArgument(given);
            noneLeft(given);
            const chosen = ['trusted', 'not-trusted', 'delete'].filter((option) => flag(given, option));
            if (chosen.length > 1) {
                throw new UsageError(`Only one of --${chosen.join(' and --')} can be given.`);
            }

            return onDatabase(async ({ db, print }) => {
                const app = await appOf(db, name);
                if (flag(given, 'delete')) {
                    if (!flag(given, 'yes')) {
                        throw new NotConfirmed(`This would delete the app ${app.name} (${app.id}), which ${app.users} users let in. Repeat it with --yes.`);
                    }

                    await deleteApp(db, OPERATOR, app.id);
                    print(`${app.name} (${app.id}) is deleted, and all of its tokens have ended.`);
                }
                else if (chosen.length === 1) {
                    const trusted = flag(given, 'trusted');
                    await trustApp(db, OPERATOR, app.id, trusted);
                    print(`${app.name} (${app.id}) is ${trusted ? 'trusted' : 'not trusted'}.`);
                }
                else {
                    print([app.id, app.name, app.url, app.owner ?? '-', app.trusted ? 'trusted' : 'not trusted', app.users].join('\t'));
                }
            });
        }
    }
};
