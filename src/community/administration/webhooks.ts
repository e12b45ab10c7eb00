import { fromWaiting, fromWebhooks } from '../../accounts/webhooks/fragments';
import { fromUser } from '../../accounts/users/fragments';
import { switchOff } from '../../accounts/webhooks/switch-off';
import type { Database } from '../../database/statements/connection';
import { bool, isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { existing } from '../../rules/existing';
import { newestList, noteAct } from './log';
import { act } from './staff';
import type { Acting } from './staff';

/** SQL for the host of a webhook's address. The rest of it is often a secret of its owner. */
const HOST = `split_part(split_part(split_part(h.url, '/', 3), '?', 1), '#', 1)`;

/** SQL for the JSON text of the webhook in the row `h`, for the staff. */
const hostedJson = jsonObject({
    id: plainQuoted('h.id'),
    owner: orNull(`(select ${jsonObject({ id: plainQuoted('u.id'), username: plainQuoted('u.username') })} ${fromUser('h.user_id')})`),
    host: quoted(HOST),
    events: 'to_json(h.events)::text',
    enabled: bool('h.enabled'),
    reason: orNull(plainQuoted('h.reason')),
    failing_since: timeOrNull('h.failing_since'),
    waiting: `(select count(*) ${fromWaiting('h.id')})::text`,
    created_at: plainQuoted(isoTime('h.created_at'))
});

/** All webhooks, newest first. */
export const listWebhooks = newestList(`select h.* ${fromWebhooks('true')}`, 'h', hostedJson);

const hold = statement({ parameters: ['bigint'], row: { host: 'text', enabled: 'boolean' } }, `select ${HOST} as host, h.enabled ${fromWebhooks('h.id = $1')} for update`);
const one = statement({ parameters: ['bigint'], row: { json: 'text' } }, `select ${hostedJson} as json ${fromWebhooks('h.id = $1')}`);

/** Switches a webhook off, as its owner can. What waits for it is given up. @returns its JSON text @throws 404 if there is none */
export const switchWebhookOff = (db: Database, acting: Acting, id: string): Promise<string> => act(db, acting, null, async (trx) => {
    const held = existing(await runOne(trx, hold, [id]), 'webhook');
    if (held.enabled) {
        await switchOff(trx, id, null);
        await noteAct(trx, acting, { act: 'switch_off', type: 'webhook', id, name: held.host });
    }

    return (await runAlways(trx, one, [id])).json;
});
