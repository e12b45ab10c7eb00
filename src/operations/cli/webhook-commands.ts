import { randomBytes } from 'node:crypto';

import type { Knex } from 'knex';

import { createServiceWebhook, lockAnyWebhook, listAnybodys, newestDeliveries, removeFromPlace, replaceSecret, setEnabled } from '../../accounts/webhooks/operators';
import { sendAgain, sendTest } from '../../accounts/webhooks/queries';
import { newWebhook } from '../../accounts/webhooks/schema';
import { SECRET_BYTES, secretText } from '../../accounts/webhooks/signature';
import { addressRule } from '../../api/outgoing/addresses';
import { mayBeAllowed } from '../../api/outgoing/post';
import { webhookEvents } from '../../api/representations/webhook-events';
import { operatorWrite } from '../../rules/write';
import { KEPT_DELIVERIES, MAX_PLACE_WEBHOOKS, MAX_WAITING, OLD_SECRET_HOURS } from '../../limits';
import { flag, idArgument, noneLeft, UsageError, wholeNumber } from './arguments';
import type { Arguments } from './arguments';
import { NotConfirmed, yes, yesHelp } from './command';
import type { Commands } from './command';
import type { DatabaseContext } from './context';
import { onDatabase } from './context';
import { printable } from './show';

type Work = (context: DatabaseContext) => Promise<void>;

/** Reads the arguments of an action, and returns its work. */
type Action = (given: Arguments) => Work;

/** @throws Error if there is none */
async function checked(trx: Knex, id: string): Promise<{ user_id: string | null; enabled: boolean; waiting: number }> {
    const held = await lockAnyWebhook(trx, id);
    if (held === undefined) {
        throw new Error(`There is no webhook ${id}.`);
    }

    return held;
}

/** Work on a webhook of the place. */
function ofPlace(given: Arguments, work: (context: DatabaseContext, id: string) => Promise<void>): Work {
    const id = idArgument(given, 'webhook');
    return async (context) => {
        if ((await checked(context.db, id)).user_id !== null) {
            throw new Error(`The webhook ${id} is of a user, who alone can do this.`);
        }

        await work(context, id);
    };
}

/** Has something sent to a webhook of anybody. @param send returns whether there is something to send */
async function sendTo({ db, print }: DatabaseContext, id: string, send: (trx: Knex.Transaction) => Promise<unknown>): Promise<void> {
    const sent = await operatorWrite(db, async (trx) => {
        const { enabled, waiting } = await checked(trx, id);
        if (!enabled || waiting >= MAX_WAITING) {
            throw new Error(enabled ? `Too much waits for the webhook ${id} already.` : `The webhook ${id} is switched off.`);
        }

        return send(trx);
    });
    if (sent === undefined) {
        throw new Error(`The webhook ${id} has no such delivery.`);
    }

    print(`It is sent by an instance that runs. "webhook deliveries ${id}" says what came of it.`);
}

const actions: Readonly<Record<string, Action>> = {
    list: ({ values: { user } }) => {
        return async ({ db, print }) => {
            print('id\turl\tevents\tstate\twaiting\tfailing since\tmade');
            for (const { id, url, events, enabled, reason, off_at: since, failing_since: failing, waiting, created_at: made } of await listAnybodys(db, user === undefined ? null : String(user))) {
                // The path of somebody's receiver may be a secret.
                print([id, user === undefined ? url : new URL(url).host, events.join(','), enabled ? 'on' : `off since ${since}${reason === null ? '' : `: ${reason}`}`, waiting, failing, made].map(printable).join('\t'));
            }
        };
    },

    add: ({ positionals, values: { events } }) => {
        const url = positionals.shift();
        const { error, value } = newWebhook.validate({ url, events: events === undefined ? [...webhookEvents] : String(events).split(',').map((event) => event.trim()) });
        if (error !== undefined) {
            throw new UsageError(url === undefined ? 'The address is missing.' : `The address or the events are wrong: ${error.message}. The events are ${webhookEvents.join(', ')}.`);
        }

        return async ({ config, db, print }) => {
            if (!mayBeAllowed(value.url, addressRule(config.webhooksTo))) {
                throw new Error('The address must be on the public internet and https. WEBHOOKS_TO can allow others.');
            }

            const secret = randomBytes(SECRET_BYTES);
            const id = await createServiceWebhook(db, value.url, value.events, secret);
            if (id === undefined) {
                throw new Error(`There are ${MAX_PLACE_WEBHOOKS} webhooks of the place already. Remove one first.`);
            }

            print(`${id}\t${secretText(secret)}`);
        };
    },

    secret: (given) => ofPlace(given, async ({ db, print }, id) => {
        const secret = randomBytes(SECRET_BYTES);
        await replaceSecret(db, id, secret);
        print(`${id}\t${secretText(secret)}`);
    }),

    on: (given) => ofPlace(given, async ({ db, print }, id) => {
        await setEnabled(db, id, true);
        print(`The webhook ${id} is on.`);
    }),

    off: (given) => ofPlace(given, async ({ db, print }, id) => {
        await setEnabled(db, id, false);
        print(`The webhook ${id} is off.`);
    }),

    remove: (given) => ofPlace(given, async ({ db, print }, id) => {
        if (!flag(given, 'yes')) {
            throw new NotConfirmed(`This would delete the webhook ${id} with all that waits for it. Repeat it with --yes.`);
        }

        await removeFromPlace(db, id);
        print(`The webhook ${id} is deleted.`);
    }),

    deliveries: (given) => {
        const id = idArgument(given, 'webhook');
        const count = wholeNumber(given, 'count', { least: 1, most: KEPT_DELIVERIES + MAX_WAITING }) ?? 25;
        return async ({ db, print }) => {
            await checked(db, id);
            print('id\tevent\tproject\tstate\tattempts\tat\tlast attempt\tstatus\terror');
            for (const { id: delivery, event, project_id: project, state, attempts, at, last_attempt_at: last, response_status: status, error } of await newestDeliveries(db, id, count)) {
                print([delivery, event, project, state, attempts, at, last, status, error].map(printable).join('\t'));
            }
        };
    },

    again: (given) => {
        const [id, delivery] = [idArgument(given, 'webhook'), idArgument(given, 'delivery')];
        return (context) => sendTo(context, id, (trx) => sendAgain(trx, id, delivery));
    },

    test: (given) => {
        const id = idArgument(given, 'webhook');
        return (context) => sendTo(context, id, (trx) => sendTest(trx, id));
    }
};

/** Commands for webhooks: those of the place, and those of users to look at. */
export const webhookCommands: Commands = {
    webhook: {
        usage: `webhook <${Object.keys(actions).join('|')}> …`,
        summary: 'tell a program what happens to all projects, and look at webhooks',
        help: `list                         those of the place; --user NAME: those of a user, without the paths of their addresses
add <url>                    make one of the place; prints its id and its secret, which is shown only this once. --events A,B: only
                             these of ${webhookEvents.slice(0, 4).join(', ')},
                             ${webhookEvents.slice(4).join(', ')}
secret <id>                  give one of the place another secret, and print it; the one before signs too for ${OLD_SECRET_HOURS} hours
on <id>, off <id>            switch one of the place on or off; what waits is given up
remove <id>                  delete one of the place
deliveries <id>              what the newest deliveries of any webhook were, and what came of them; --count N, 25 if left out
again <id> <delivery>        send one of them again, with the same id
test <id>                    send a test
${yesHelp}

A webhook of the place is told of all projects, and of no more than ids and kinds of events: no titles and no texts. There are at
most ${MAX_PLACE_WEBHOOKS}. add, on, off and remove go through all projects, a thousand at a time, while others write.`,
        options: { user: { type: 'string' }, events: { type: 'string' }, count: { type: 'string' }, ...yes },
        prepare: (given) => {
            const name = given.positionals.shift();
            const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
            if (action === undefined) {
                throw new UsageError(`What to do must be ${Object.keys(actions).join(', ')}${name === undefined ? '' : `, not "${name}"`}.`);
            }

            const work = action(given);
            noneLeft(given);
            return onDatabase(work);
        }
    }
};
