import { inNewProject, inOneShard, inProject, writing } from '../../src/database/declaration';
import { hashCode, hashPassword, hashSecret, newCode, newSecret } from '../../src/api/auth/secrets';
import { schemaText } from '../../src/database/schema';
import { run, runAlways, statement } from '../../src/database/statements/statement';
import type { TestProvider } from './provider';
import type { Actor, TestServer } from './server';
import { PICTURES } from './passwords';
import { PASSWORD } from './server';

/** The callers, by what is in their Authorization header. */
export const callers = ['none', 'garbage', 'expired', 'revoked', 'scope', 'deleted', 'stranger', 'owner', 'moderator', 'newcomer'] as const;
export type Caller = typeof callers[number];

/** The target of a request: an owner's reported project with a page and an element, and one of the owner's tokens. */
export interface Target {
    user: string;
    username: string;
    project: string;
    page: string;
    element: string;
    token: string;
    /** the name of a viewer of the project */
    member: string;
    /** to the project, with its code */
    invitation: string;
    code: string;
    /** of the owner, on the project, and reported, as the owner is */
    comment: string;
    /** of the project; and an appeal that is open, about it */
    revision: string;
    statement: string;
    /** of the owner's trash */
    entry: string;
    /** of the owner, with the project in it */
    collection: string;
    /** of the owner */
    app: string;
    passkey: string;
    /** that the owner teaches beside somebody else, with the project in it, the code to join it, and the id of the member, who is its pupil */
    class_id: string;
    classCode: string;
    pupil: string;
    /** that the class manages, with the pictures of `PICTURES`; a device that is prepared for it, whose secret ends in its id, as does the code of another one */
    child: string;
    device: string;
    /** of that class, and a work of the member for it, which was handed in */
    assignment: string;
    work: string;
    /** of the owner, with one that it has got */
    webhook: string;
    delivery: string;
    /** that have ended */
    announcement: string;
    sign_up_code: string;
    /** that can be granted */
    permission: string;
}

export interface Account {
    id: string;
    username: string;
}

// Prepared once by each connection, since to plan such statements takes longer than to run them, and some tests run them thousands of times.

const insertUser = statement({ parameters: ['text', 'text', 'text', 'text', 'boolean', 'timestamp with time zone'], row: { id: 'bigint' } }, 'insert into users (username, password_hash, issuer, subject, moderator, deleted_at) values ($1, $2, $3, $4, $5, $6) returning id');

const insertToken = statement({ parameters: ['bigint', 'bytea', 'text[]', 'double precision'] }, 'insert into tokens (user_id, hash, scope, expires_at) values ($1, $2, $3, now() + make_interval(secs => $4))');

const deleteToken = statement({ parameters: ['bytea'] }, 'delete from tokens where hash = $1');

const insertTarget = statement({
    parameters: ['bigint', 'bigint', 'bytea'], row: { project: 'bigint', page: 'bigint', element: 'bigint', entry: 'bigint', invitation: 'bigint', comment: 'bigint', revision: 'text', statement: 'bigint' }, place: inNewProject()
}, `
    with p as (insert into projects (user_id, version, title, page_count, change_revision, project_bytes) values ($1, '1', 'Mine', 1, 1, 6) returning id),
    g as (insert into pages (project_id, project_revision, created_revision, x, y, element_count, page_bytes) select id, 1, 1, 0, 0, 1, 6 from p returning id, project_id),
    e as (insert into elements (page_id, project_id, project_revision, created_revision, type) select id, project_id, 1, 1, 'text' from g returning id),
    r as (insert into elements (page_id, project_id, project_revision, created_revision, type, deleted_at) select id, project_id, 1, 1, 'text', now() from g returning id),
    b as (insert into trash (user_id, project_id, type, thing_id, deleted_at, deleted_by, moderated) select $1, p.id, 'element', r.id, now(), $1, false from p, r returning id),
    q as (insert into report_queue (project_id, open, count) select id, true, 1 from p),
    s as (insert into statements (project_id, user_id, decision, type, thing_id, rule, reason, facts, appeal, appealed_at) select id, $1, 'hold', 'project', id, 'spam', 'Spam', 'own', 'No', now() from p returning id),
    k as (insert into comments (project_id, user_id, text) select id, $1, 'Mine' from p returning id),
    kq as (insert into thing_report_queue (project_id, type, thing_id, open, count) select p.id, 'comment', k.id, true, 1 from p, k),
    m as (insert into project_members (project_id, user_id, role) select id, $2, 'viewer' from p),
    i as (insert into project_invitations (project_id, role, hash, uses_left, expires_at) select id, 'viewer', $3, 1, now() + '1 day' from p returning id)
    select p.id as project, g.id as page, e.id as element, b.id as entry, i.id as invitation, k.id as comment, '1' as revision, s.id as statement from p, g, e, b, i, k, s`);

/** Names the first point of the history, so that a name can be taken back. The trigger that makes it runs at the end of the statement before. */
const insertLabel = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `update project_changes set label = 'Mine' where project_id = $1`);

const reportPerson = statement({ parameters: ['bigint'], place: writing(inOneShard) }, `insert into thing_report_queue (project_id, type, thing_id, open, count) values (0, 'user', $1, true, 1)`);

const letTeach = statement({ parameters: ['bigint'] }, 'update users set teacher = true where id = $1');

const letRun = statement({ parameters: ['bigint'] }, 'update users set staff = true where id = $1');

const insertOwn = statement({ parameters: ['bigint', 'bigint', 'bytea', 'bigint', 'bigint', 'text'], row: { child: 'bigint', device: 'bigint', token: 'bigint', collection: 'bigint', app: 'bigint', passkey: 'bigint', identity: 'bigint', class_id: 'bigint', classCode: 'text', assignment: 'bigint', work: 'bigint', webhook: 'bigint', delivery: 'bigint', announcement: 'bigint', sign_up_code: 'bigint', permission: 'text' } }, `
    with c as (insert into collections (user_id, title, description, visibility) values ($1, 'Mine', '', 'public') returning id),
    k as (insert into collection_projects (collection_id, project_id, place) select c.id, $2, 1 from c),
    t as (insert into tokens (user_id, hash, scope, expires_at) values ($1, $3, array['user'], now() + '1 day') returning id),
    a as (insert into apps (id, user_id, name, url, redirect_uris, secret_hash) overriding system value values (900000000 + $2, $1, 'Editor', 'https://editor.example', array['https://editor.example/done'], sha256('')) returning id),
    n as (insert into authorizations (id, user_id, app_id, scope, payload, last_used_at, expires_at) select md5(random()::text), $1, id, array['projects'], '{}', now(), now() + '1 day' from a),
    w as (insert into passkeys (user_id, credential, public_key, counter, transports, label) values ($1, 'passkey-' || $2, 'k', 0, '{}', 'Mine') returning id),
    s as (insert into identities (user_id, issuer, subject, name) values ($1, 'https://login.example', 'subject-' || $2, '') returning id),
    l as (insert into classes (title, publish, comments, code, picture_sign_in) values ('Mine', 'class', true, translate(lpad($2::text, 12, 'k'), '01', 'xz'), true) returning id, code),
    r as (insert into class_people (class_id, user_id, role) select id, user_id, role from l, (values ($1, 'teacher'), ($5, 'teacher'), ($4, 'pupil')) as people (user_id, role)),
    b as (insert into users (username, managed_by, publish) select 'child-' || $2, id, 'class' from l returning id),
    br as (insert into class_people (class_id, user_id, role, name) select l.id, b.id, 'pupil', 'Child' from l, b),
    bi as (insert into class_pictures (class_id, user_id, hash) select l.id, b.id, $6 from l, b),
    f as (insert into class_devices (class_id, hash) select id, sha256(convert_to('d' || lpad($2::text, 42, '0'), 'UTF8')) from l returning id),
    fc as (insert into class_devices (class_id, hash, code_expires_at) select id, sha256(convert_to('c' || lpad($2::text, 42, '0'), 'UTF8')), now() + interval '1 day' from l),
    h as (insert into assignments (class_id, title, text) select id, 'Mine', '' from l returning id),
    d as (insert into works (assignment_id, user_id, project_id, state, points, handed_in_at) select id, $4, 900000000 + $2, 'handed_in', '{1}', now() from h returning id),
    o as (update users set teacher = true where id in ($1, $4, $5)),
    e as (insert into webhooks (user_id, url, events, secret) values ($1, 'https://hooks.example/in', array['project.changed'], sha256('')) returning id),
    m as (insert into mail_addresses (user_id, address, key, mailbox, confirmed_at) values ($1, 'owner-' || $2 || '@mail.example', 'owner-' || $2 || '@mail.example', sha256(''), now())),
    v as (insert into webhook_deliveries (webhook_id, event, at, data, state) select id, 'webhook.test', now(), '{}', 'delivered' from e returning id),
    y as (insert into announcements (text, level, until) values ('Mine', 'info', now() - interval '1 day') returning id),
    x as (insert into sign_up_codes (hash, uses_left, expires_at) values (sha256(convert_to('code-' || $2, 'UTF8')), 1, now() - interval '1 day') returning id)
    select b.id as child, f.id as device, t.id as token, c.id as collection, a.id as app, w.id as passkey, s.id as identity, l.id as class_id, l.code as "classCode", h.id as assignment, d.id as work, e.id as webhook, v.id as delivery, y.id as announcement, x.id as sign_up_code, 'moderator' as permission from b, f, c, t, a, w, s, l, h, d, e, v, y, x`);

/** Puts a project into a class, for its teachers alone. */
export const insertIntoClass = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, `insert into class_projects (project_id, class_id, audience) values ($1, $2, 'teachers')`);

/**
 * Creates accounts and things by SQL, because the API hashes a password for each account. With a provider, the accounts
 * and tokens are of its users.
 */
export class Cast {
    readonly #db: TestServer['database']['db'];
    readonly #provider: TestProvider | undefined;
    readonly #passwordHash: Promise<string> = hashPassword(PASSWORD);
    readonly #picturesHash: Promise<string> = hashPassword(PICTURES.join(' '));
    /** by the ids of the users */
    readonly #subjects = new Map<string, string>();
    #serial = 0;

    constructor({ database }: Pick<TestServer, 'database'>, provider?: TestProvider) {
        this.#db = database.db;
        this.#provider = provider;
    }

    async account(kind: 'plain' | 'moderator' | 'deleted' = 'plain', username = `cast-${++this.#serial}`): Promise<Account> {
        // The deleted user was a moderator, so that only the deletion can be the reason.
        const credentials = this.#provider === undefined ? [await this.#passwordHash, null, null] : [null, this.#provider.issuer, username];
        const { id } = await runAlways(this.#db, insertUser, [username, ...credentials, kind !== 'plain', kind === 'deleted' ? new Date() : null]);
        this.#subjects.set(id, username);
        return { id, username };
    }

    /** An account with a token. */
    async actor(kind: 'plain' | 'moderator' = 'plain'): Promise<Actor> {
        const account = await this.account(kind);
        return { ...account, token: await this.token(account.id) };
    }

    /** Somebody who may teach, with a token. */
    async teacher(): Promise<Actor> {
        const actor = await this.actor();
        await run(this.#db, letTeach, [actor.id]);
        return actor;
    }

    /** Somebody of the staff, with a token. */
    async staff(): Promise<Actor> {
        const actor = await this.actor();
        await run(this.#db, letRun, [actor.id]);
        return actor;
    }

    /** The secret of a new token. */
    async token(userId: string, scope: readonly string[] = ['user', 'projects'], seconds = 3600): Promise<string> {
        if (this.#provider !== undefined) {
            return this.#provider.token({ subject: this.#subjectOf(userId), scope: scope.join(' '), expiresIn: seconds });
        }

        const secret = newSecret();
        await run(this.#db, insertToken, [userId, hashSecret(secret), [...scope], seconds]);
        return secret;
    }

    /** A revoked token. */
    async #revoked(userId: string): Promise<string> {
        if (this.#provider !== undefined) {
            return this.#provider.withdrawn({ subject: this.#subjectOf(userId) });
        }

        const secret = await this.token(userId);
        await run(this.#db, deleteToken, [hashSecret(secret)]);
        return secret;
    }

    #subjectOf(userId: string): string {
        const subject = this.#subjects.get(userId);
        if (subject === undefined) {
            throw new Error(`The user ${userId} is not of this cast`);
        }

        return subject;
    }

    async target(): Promise<Target> {
        // The class has another teacher, so that the owner may go.
        const [{ id: user, username }, member, colleague] = [await this.account(), await this.account(), await this.account()];
        const code = newCode();
        const below = await runAlways(this.#db, insertTarget, [user, member.id, hashCode(code)]);
        await run(this.#db, insertLabel, [below.project]);
        await run(this.#db, reportPerson, [user]);
        const things = { ...below, ...await runAlways(this.#db, insertOwn, [user, below.project, hashSecret(newSecret()), member.id, colleague.id, await this.#picturesHash]) };
        await run(this.#db, insertIntoClass, [things.project, things.class_id]);
        return { user, username, member: member.username, pupil: member.id, code, ...things };
    }

    /** The user and secret of a caller's token. The invalid ones are the owner's, except for the flaw in their name. */
    async caller(caller: Caller, target: Target, scope: 'user' | 'projects'): Promise<{ id: string; authorization: string | undefined }> {
        const other = { stranger: 'plain', moderator: 'moderator', deleted: 'deleted' } as const;
        if (caller === 'none' || caller === 'garbage') {
            return { id: target.user, authorization: caller === 'none' ? undefined : 'token garbage' };
        }

        if (caller === 'newcomer') {
            const token = await this.#provider?.token({ subject: `newcomer-${++this.#serial}` });
            return { id: target.user, authorization: `token ${token}` };
        }

        if (caller === 'revoked') {
            return { id: target.user, authorization: `token ${await this.#revoked(target.user)}` };
        }

        if (caller === 'expired' || caller === 'scope' || caller === 'owner') {
            const has = caller === 'scope' ? [scope === 'user' ? 'projects' : 'user'] : ['user', 'projects'];
            return { id: target.user, authorization: `token ${await this.token(target.user, has, caller === 'expired' ? -60 : 3600)}` };
        }

        const { id } = await this.account(other[caller]);
        return { id, authorization: `token ${await this.token(id)}` };
    }
}

/** Tables that are written besides what a request asks for: by jobs, by reads of moderators, and by requests that are then rejected. */
const besides = [
    'asset_doubts', 'asset_owner', 'authorization_states', 'daily_counts', 'device_key', 'filter_checks', 'filter_progress',
    'filter_settings', 'idempotency_keys', 'kept_statistics', 'made_thumbnails', 'maintenance', 'moderation_log', 'notices',
    'project_search', 'rate_limits', 'search_authors', 'search_progress', 'signing_keys', 'thumbnail_progress', 'view_salts'
];
const tables = [...schemaText().matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name = '']) => name).filter((name) => !besides.includes(name));

/** Counted from the contents when first needed, also by a request that is then rejected. */
const derived = `array['counted_revision', 'page_bytes', 'project_bytes']`;
const sized = ['projects', 'pages'];

/** When a token was last used is written a little later. */
const used = ['tokens'];

const digest = statement({ row: { digest: 'text' } }, `select concat_ws(' ', ${tables.map((table) => {
    const row = sized.includes(table) ? `(to_jsonb(r) - ${derived})` : used.includes(table) ? `(to_jsonb(r) - 'last_used_at')` : 'r';
    return `(select '${table}=' || count(*) || '-' || coalesce(sum(hashtextextended(${row}::text, 0)), 0) from ${table} r)`;
}).join(', ')}) as digest`);

/** A digest of everything that is stored, which changes with any write. */
export async function stored({ database }: Pick<TestServer, 'database'>): Promise<string> {
    return (await runAlways(database.db, digest, [])).digest;
}
