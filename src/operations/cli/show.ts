import { tokensOf } from '../../accounts/tokens/fragments';
import { fromProjectsOf, fromProjectsWithAuthor } from '../../projects/fragments';
import { fromUsers, isSuspended } from '../../accounts/users/fragments';
import { inAllShards } from '../../database/declaration';
import { usernameKey } from '../../api/representations/username';
import type { Database } from '../../database/statements/connection';
import { gone, live } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import type { Statement } from '../../database/statements/statement';

/** Most rows of each table that are shown. */
const MOST = 100;

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`;

const userColumns = {
    id: 'bigint',
    username: 'text',
    language: 'text',
    permissions: 'text',
    signs_in: 'text',
    created: 'text',
    changed: 'text',
    deleted: 'text?',
    suspended: 'text?'
} as const;

const user = statement({ parameters: ['text'], row: userColumns }, `
    select id, username, language,
        coalesce(nullif(concat_ws(', ', case when moderator then 'moderator' end, case when staff then 'staff' end, case when teacher then 'teacher' end), ''), '-') as permissions,
        case when issuer is not null then issuer || ', as ' || subject when password_hash is not null then 'with a password' else 'not at all' end as signs_in,
        ${time('created_at')} as created, ${time('updated_at')} as changed, ${time('deleted_at')} as deleted,
        case when ${isSuspended('u')} then coalesce('until ' || ${time(`nullif(suspended_until, 'infinity')`)}, 'with no end') || ': ' || suspension_reason end as suspended
    ${fromUsers('u.username_key = $1')}`);

type Row = Record<string, string | number | null>;

const projects = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint', title: 'text', pages: 'integer', featured: 'text', created: 'text', changed: 'text' }, place: inAllShards({ kind: 'latest', column: 'changed' }) }, `
    select p.id, p.title, p.page_count as pages, case when p.featured then 'yes' else '-' end as featured, ${time('p.created_at')} as created, ${time('p.updated_at')} as changed
    ${fromProjectsOf('$1')} and ${live('p')} order by p.updated_at desc, p.id desc limit $2`);

const tokens = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint', label: 'text?', scope: 'text', created: 'text', expires: 'text' } }, `
    select t.id, t.label, array_to_string(t.scope, ', ') as scope, ${time('t.created_at')} as created, ${time('t.expires_at')} as expires
    ${tokensOf('$1')} and t.expires_at > now() order by t.id desc limit $2`);

// Pages and elements are listed if what they were in is there, or would come back with the account.
const trash = statement({ parameters: ['bigint', 'bigint'], row: { type: 'text', id: 'bigint', project: 'text', deleted: 'text', 'with the account': 'text' }, place: inAllShards({ kind: 'latest', column: 'deleted' }) }, `
    with kept as (
        select p.id, p.title ${fromProjectsWithAuthor} where p.user_id = $1 and (${live('p')} or p.deletion_id = u.deletion_id)
    ), gone as (
        select 'project' as type, p.id, p.title, p.deleted_at, p.deletion_id is not null and p.deletion_id = u.deletion_id as with_account
        ${fromProjectsWithAuthor} where p.user_id = $1 and ${gone('p')}
        union all
        select 'page', g.id, k.title, g.deleted_at, false from pages g join kept k on k.id = g.project_id where ${gone('g')}
        union all
        select 'element', e.id, k.title, e.deleted_at, false
        from elements e join pages g on g.id = e.page_id join kept k on k.id = g.project_id where ${gone('e')} and ${live('g')}
    )
    select type, id, title as project, ${time('deleted_at')} as deleted, case when with_account then 'yes' else '-' end as "with the account"
    from gone order by deleted_at desc, id desc limit $2`);

/** Texts of users may contain control characters of terminals. */
export const printable = (value: string | number | null): string => (value === null ? '-' : String(value).replace(/\p{Cc}/gu, ' '));

function table(name: string, columns: readonly string[], rows: readonly Row[]): string[] {
    const shown = rows.slice(0, MOST);
    return [
        '', rows.length > MOST ? `${name}, the newest ${MOST}:` : `${name}: ${rows.length}`,
        ...shown.length > 0 ? [columns.join('\t')] : [],
        ...shown.map((row) => columns.map((column) => printable(row[column] ?? null)).join('\t'))
    ];
}

/**
 * Lines about an account, also a deleted one. They contain no secrets.
 * @returns undefined if there is no such account
 */
export async function showAccount(db: Database, username: string): Promise<string[] | undefined> {
    const account = await runOne(db, user, [usernameKey(username)]);
    if (account === undefined) {
        return undefined;
    }

    const of = (sql: Statement<Row>): Promise<Row[]> => run(db, sql, [account.id, MOST + 1]);
    return [
        ...Object.entries(account).map(([name, value]) => `${name.replace('_', ' ')}\t${printable(value)}`),
        ...table('projects', ['id', 'title', 'pages', 'featured', 'created', 'changed'], await of(projects)),
        ...table('tokens', ['id', 'label', 'scope', 'created', 'expires'], await of(tokens)),
        ...table('trash', ['type', 'id', 'project', 'deleted', 'with the account'], await of(trash))
    ];
}
