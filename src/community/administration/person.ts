import { tokensOf } from '../../accounts/tokens/fragments';
import { fromSentAssets } from '../../files/assets/fragments';
import { fromProjectsOf } from '../../projects/fragments';
import { fromUser, fromUsers, isSuspended, suspendedUntil } from '../../accounts/users/fragments';
import { boundedPage, boundedPageColumns } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import { byLookup } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { gone, live } from '../../database/statements/deletion';
import { bool, isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { usernameKey } from '../../api/representations/username';
import type { Permission } from '../../accounts/users/permissions';
import { MAX_COUNTED } from '../../limits';

const fields = {
    id: plainQuoted('u.id'),
    username: plainQuoted('u.username'),
    language: quoted('u.language'),
    permissions: jsonObject({ staff: bool('u.staff'), moderator: bool('u.moderator'), teacher: bool('u.teacher') }),
    managed: bool('(u.publish is not null)'),
    state: plainQuoted(`case when ${gone('u')} then 'deleted' when ${isSuspended('u')} then 'suspended' else 'active' end`),
    suspension: orNull(`case when ${isSuspended('u')} then ${jsonObject({ reason: quoted('u.suspension_reason'), until: orNull(plainQuoted(suspendedUntil('u'))) })} end`),
    created_at: plainQuoted(isoTime('u.created_at')),
    deleted_at: timeOrNull('u.deleted_at')
};

/** SQL for the JSON text of the account in the row `u`, also a deleted one, for the staff. */
const personJson = jsonObject(fields);

const counted = (rows: string): string => `(select count(*) from ${rows})::text`;
const ofUser = (table: string, condition = 'true'): string => counted(`${table} t where t.user_id = u.id and ${condition}`);
const ownProjects = (column: string): string => `(select ${column} ${fromProjectsOf('u.id')} and ${live('p')} limit ${MAX_COUNTED})`;

// Nothing of what an account has is named: the staff does not read what is private.
const detailsJson = jsonObject({
    ...fields,
    signs_in: plainQuoted(`case when u.issuer is not null then 'elsewhere' when u.password_hash is not null then 'password' else 'other' end`),
    passkeys: ofUser('passkeys'),
    identities: ofUser('identities'),
    sign_ins: ofUser('tokens', `t.expires_at > now() and t.origin in ('sign_in', 'passkey')`),
    tokens: ofUser('tokens', `t.expires_at > now() and t.origin in ('personal', 'app')`),
    apps: ofUser('apps'),
    webhooks: ofUser('webhooks'),
    projects: counted(`${ownProjects('1')} counted`),
    project_bytes: `(select coalesce(sum(counted.project_bytes), 0) from ${ownProjects('p.project_bytes')} counted)::text`,
    assets: ofUser('sent_assets'),
    asset_bytes: `(select coalesce(sum(s.size), 0) ${fromSentAssets('u.id')})::text`,
    last_used_at: timeOrNull(`(select max(t.last_used_at) ${tokensOf('u.id')})`)
});

/** SQL for the key of a username, in the order of its characters in any locale. */
const KEY = 'u.username_key collate "C"';

const listing = (condition = 'true') => statement({ parameters: ['text', 'bigint', 'integer'], row: boundedPageColumns }, boundedPage(`
    select 0 as rank, u.id, ${personJson} as json from (
        select u.* ${fromUsers(condition)} and ${KEY} >= $1 and ${KEY} < $1 || chr(1114111)
            and ($2::bigint is null or ${KEY} > (select a.username_key ${fromUser('$2', 'a')}))
        order by ${KEY} limit $3::int + 1
    ) u order by ${KEY}`, '$3::int'));

const lists = { all: listing(), moderator: listing('u.moderator'), staff: listing('u.staff'), teacher: listing('u.teacher') };

/** The people that a list has. */
export interface Sought {
    /** how their usernames begin */
    prefix?: string | undefined;
    permission?: Permission | undefined;
}

/** People by their usernames, deleted accounts too. @param after the id of the last one before; null for the first page */
export function listPeople(db: Database, { prefix = '', permission }: Sought, after: string | null, count: number): Promise<BoundedPage> {
    return runAlways(db, lists[permission ?? 'all'], [usernameKey(prefix), after, count]);
}

const details = statement({ parameters: ['bigint'], row: { json: 'text' }, place: byLookup }, `select ${detailsJson} as json ${fromUser('$1')}`);

/** The JSON text of an account with what it has, in numbers; undefined if there is none. */
export const findPerson = async (db: Database, id: string): Promise<string | undefined> => (await runOne(db, details, [id]))?.json;

const one = statement({ parameters: ['bigint'], row: { json: 'text' } }, `select ${personJson} as json ${fromUser('$1')}`);

/** The JSON text of an account that is there, or was deleted. */
export const showPerson = async (db: Database, id: string): Promise<string> => (await runAlways(db, one, [id])).json;
