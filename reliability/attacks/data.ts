import type { Knex } from 'knex';

import { textAt } from '../../seeds/calls';
import { MAX_APPS, MAX_ASSIGNMENTS, MAX_ASSIGNMENT_TEXT, MAX_ASSIGNMENT_TITLE, MAX_AUTHORIZATIONS, MAX_CLASS_PROJECTS, MAX_IDENTITIES, MAX_PASSKEYS, MAX_PUPILS, MAX_TOKENS, MAX_WEBHOOKS } from '../../src/limits';
import { zipped } from './attacker';
import type { Account, Attacker, Project } from './attacker';
import { copyRows, withoutTriggers } from './rows';

/*
 * Data at the limits of what one account may have. What takes the API more than a few seconds is copied in the database from rows that the API has made,
 * as the API would leave it. Each is made once in a database; later attackers sign in as its owner.
 */

/** An account and a project at a limit. */
export interface Large extends Project {
    account: Account;
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

export const bulk = (attacker: Attacker, { path, headers }: Account, actions: readonly object[]): ReturnType<Attacker['call']> => {
    return attacker.call({ method: 'POST', path: `${path}/bulk`, headers, body: zipped({ actions }), encoding: 'gzip', read: 32 * 1024 * 1024 });
};

const projectOf = (account: Account, id: string, pageId: string): Large => {
    const path = `${account.path}/projects/${id}`;
    return { account, id, pageId, path, page: `${path}/pages/${pageId}` };
};

/** The account of this name with its first project, which is filled if it is new. */
async function once(attacker: Attacker, db: Knex, name: string, fill: (made: Large) => Promise<unknown>): Promise<Large> {
    const known = await attacker.signIn(name);
    if (known === undefined) {
        const account = await attacker.open({}, name);
        const { id, pageId } = await attacker.project(account);
        const made = projectOf(account, id, pageId);
        await fill(made);
        await db.raw('analyze');
        return made;
    }

    const [first] = await projectsOf(db, known, 'p.user_id = ?', known.id);
    if (first === undefined) {
        throw new Error(`${name} has no project`);
    }

    return first;
}

/** Projects of an account with their first pages, in order of creation. */
async function projectsOf(db: Knex, account: Account, condition: string, value: string): Promise<Large[]> {
    const { rows } = await db.raw<{ rows: { id: string; page: string }[] }>(
        `select p.id::text as id, min(g.id)::text as page from projects p join pages g on g.project_id = p.id where ${condition} group by p.id order by p.id`, [value]);
    return rows.map(({ id, page }) => projectOf(account, id, page));
}

async function latest(db: Knex, account: Account, condition: string, value: string): Promise<Large> {
    const last = (await projectsOf(db, account, condition, value)).at(-1);
    if (last === undefined) {
        throw new Error('The project is missing');
    }

    return last;
}

async function nextId(trx: Knex.Transaction, table: string): Promise<string> {
    const { rows: [next] } = await trx.raw<{ rows: { id: string }[] }>('select nextval(pg_get_serial_sequence(?, \'id\'))::text as id', [table]);
    return String(next?.id);
}

async function newElement(attacker: Attacker, { page, account }: Large, text?: string): Promise<string> {
    const body = { type: 'text', ...text !== undefined && { attributes: { text } } };
    const { json } = await attacker.call({ method: 'POST', path: `${page}/elements`, headers: account.headers, body });
    return textAt(json, 'element.id');
}

/** A project with a thousand pages of a thousand empty elements each, as an import of 30 KB makes it: all at its first revision. */
export const million = (attacker: Attacker, db: Knex): Promise<Large> => once(attacker, db, 'with-a-million', async (made) => {
    const element = await newElement(attacker, made);
    const ofImport = { project_revision: '1', created_revision: '1' };
    await withoutTriggers(db, async (trx) => {
        await copyRows(trx, 'pages', { where: `r.id = ${made.pageId}`, times: 'generate_series(1, 999) as n', set: { ...ofImport, x: 'r.x + n % 100 + 1', y: 'r.y + n / 100' } });
        await trx.raw(`update pages set element_count = 1000, page_bytes = octet_length(styles::text) + 4000 where project_id = ${made.id}`);
        await copyRows(trx, 'elements', {
            where: `r.id = ${element} and g.project_id = ${made.id} and (g.id <> r.page_id or n > 1)`, times: 'pages g, generate_series(1, 1000) as n', set: { ...ofImport, page_id: 'g.id' }
        });
        await trx.raw(`update projects set page_count = 1000, project_bytes = (select sum(page_bytes) from pages where project_id = ${made.id}) where id = ${made.id}`);
    });
});

const addElements = (attacker: Attacker, { account, pageId }: Large, elements: readonly object[]): Promise<unknown> => {
    return bulk(attacker, account, elements.map((element) => ({ type: 'elements', method: 'create', data: { pageId, ...element } })));
};

/** Its page has 4 MB of texts, which are five times as much in HTML. */
export const heavyTexts = (attacker: Attacker, db: Knex): Promise<Large> => once(attacker, db, 'with-heavy-texts', (made) => {
    return addElements(attacker, made, numbers(205).map(() => ({ type: 'text', attributes: { text: '&'.repeat(20_000) } })));
});

/** Its page has a thousand buttons. */
export const heavyButtons = (attacker: Attacker, db: Knex): Promise<Large> => once(attacker, db, 'with-heavy-buttons', (made) => {
    return addElements(attacker, made, numbers(999).map((n) => ({ type: 'button', attributes: { text: `Button ${n}`, reveals: '<'.repeat(3000) } })));
});

/** A project of which 60 pages with a thousand elements of 8 KB each are in the trash. */
export const fullTrash = (attacker: Attacker, db: Knex): Promise<Large> => once(attacker, db, 'with-a-full-trash', async (made) => {
    const element = await newElement(attacker, made, 'x'.repeat(8000));
    await db.transaction(async (trx) => {
        await copyRows(trx, 'pages', { where: `r.id = ${made.pageId}`, times: 'generate_series(1, 60) as n', set: { x: 'r.x + n' } });
        await copyRows(trx, 'elements', { where: `r.id = ${element} and g.project_id = ${made.id} and g.id <> r.page_id`, times: 'pages g, generate_series(1, 1000) as n', set: { page_id: 'g.id' } });
        await trx.raw(`update pages set element_count = 1000, page_bytes = 8100000 where project_id = ${made.id} and id <> ${made.pageId}`);
        await trx.raw(`update projects set page_count = 61 where id = ${made.id}`);
    });
    const { rows } = await db.raw<{ rows: { id: string }[] }>('select id::text as id from pages where project_id = ? and id <> ?', [made.id, made.pageId]);
    await attacker.times(rows.length, 4, (n) => attacker.call({ method: 'DELETE', path: `${made.path}/pages/${rows[n]?.id}`, headers: made.account.headers, body: {} }));
});

/** A collection of 500 projects, the first 24 of which have heavy pages. */
export async function collected(attacker: Attacker, db: Knex): Promise<Large & { collection: string }> {
    const texts = await heavyTexts(attacker, db);
    const made = await once(attacker, db, 'with-a-collection', async ({ account, id }) => {
        const { json } = await attacker.call({ method: 'POST', path: `${account.path}/collections`, headers: account.headers, body: { title: 'Heavy' } });
        await db.transaction(async (trx) => {
            for (let n = 0; n < 24; ++n) {
                await copyProject(trx, texts, account.id);
            }

            await copyRows(trx, 'projects', { where: `r.id = ${id}`, times: 'generate_series(1, 475) as n' });
            await trx.raw(`
                insert into collection_projects (collection_id, project_id, place)
                select ?, id, row_number() over (order by project_bytes desc, id) from projects where user_id = ?`, [textAt(json, 'collection.id'), account.id]);
        });
    });
    const { rows: [row] } = await db.raw<{ rows: { id: string }[] }>('select id::text as id from collections where user_id = ?', [made.account.id]);
    return { ...made, collection: String(row?.id) };
}

/** Copies a project with its first page and the elements of that. */
async function copyProject(trx: Knex.Transaction, { id, pageId }: Project, user: string): Promise<void> {
    const [project, page] = [await nextId(trx, 'projects'), await nextId(trx, 'pages')];
    await copyRows(trx, 'projects', { where: `r.id = ${id}`, set: { id: project, user_id: user } });
    await copyRows(trx, 'pages', { where: `r.id = ${pageId}`, set: { id: page, project_id: project } });
    await copyRows(trx, 'elements', { where: `r.page_id = ${pageId}`, set: { page_id: page, project_id: project } });
}

/** An account with 3,000 projects with one page each. `title` is theirs. */
export const manyProjects = (attacker: Attacker, db: Knex, name: string, title: string, description: string): Promise<Large> => once(attacker, db, name, async ({ account, path, id }) => {
    await attacker.call({ method: 'PATCH', path, headers: account.headers, body: { title, description } });
    const { rows: [row] } = await db.raw<{ rows: { last: string }[] }>('select max(id)::text as last from projects');
    await db.transaction(async (trx) => {
        await copyRows(trx, 'projects', { where: `r.id = ${id}`, times: 'generate_series(1, 2999)' });
        await copyRows(trx, 'pages', { where: `r.project_id = ${id} and p.user_id = ${account.id} and p.id > ${row?.last}`, times: 'projects p', set: { project_id: 'p.id' } });
    });
});

/** The last of a chain of 400 remixes, each of the one before. */
export async function chain(attacker: Attacker, db: Knex): Promise<Large> {
    const { account } = await once(attacker, db, 'with-a-chain', async ({ id }) => {
        await db.transaction(async (trx) => {
            let source = id;
            for (let n = 0; n < 400; ++n) {
                const project = await nextId(trx, 'projects');
                await copyRows(trx, 'projects', { where: `r.id = ${source}`, set: { id: project, remixed_from: source, remixed_revision: 'r.revision' } });
                await copyRows(trx, 'pages', { where: `r.project_id = ${source}`, set: { project_id: project, copied_from: 'r.id' } });
                source = project;
            }
        });
    });
    return latest(db, account, 'p.user_id = ?', account.id);
}

/** The remix of a project of ten pages with a thousand elements each, all of which its source has changed since. */
export async function behind(attacker: Attacker, db: Knex): Promise<Large> {
    const { account, id: source } = await once(attacker, db, 'with-upstream', async (made) => {
        const element = await newElement(attacker, made);
        await db.transaction(async (trx) => {
            await copyRows(trx, 'pages', { where: `r.id = ${made.pageId}`, times: 'generate_series(1, 9) as n', set: { x: 'r.x + n' } });
            await copyRows(trx, 'elements', { where: `r.id = ${element} and g.project_id = ${made.id} and (g.id <> r.page_id or n > 1)`, times: 'pages g, generate_series(1, 1000) as n', set: { page_id: 'g.id' } });
            await trx.raw(`update pages set element_count = 1000, page_bytes = octet_length(styles::text) + 4000 where project_id = ${made.id}`);
            await trx.raw(`update projects set page_count = 10, project_bytes = (select sum(page_bytes) from pages where project_id = ${made.id}) where id = ${made.id}`);
        });
        await attacker.call({ method: 'POST', path: `${made.path}/remixes`, headers: made.account.headers, body: {} });
        const { rows } = await db.raw<{ rows: { id: string }[] }>('select id::text as id from elements where project_id = ? order by id', [made.id]);
        for (const n of numbers(10)) {
            await bulk(attacker, made.account, rows.slice(1000 * n, 1000 * (n + 1)).map(({ id }) => ({ type: 'elements', method: 'update', data: { id, attributes: { text: `words ${n}` } } })));
        }
    });
    return latest(db, account, 'p.remixed_from = ?', source);
}

/** A project with 20,000 points in its history, each of which changed one element. */
export const longHistory = (attacker: Attacker, db: Knex): Promise<Large> => once(attacker, db, 'with-a-long-history', async (made) => {
    const element = await newElement(attacker, made);
    await attacker.call({ method: 'PATCH', path: `${made.page}/elements/${element}`, headers: made.account.headers, body: { attributes: { text: 'words' } } });
    const points = 'generate_series(1, 20000) as n';
    await withoutTriggers(db, async (trx) => {
        await copyRows(trx, 'project_changes', { where: `r.project_id = ${made.id} and r.revision = 3`, times: points, set: { revision: 'r.revision + n', from_revision: 'r.from_revision + n' } });
        await copyRows(trx, 'versions', { where: `r.project_id = ${made.id} and r.to_revision = 3 and r.type = 'element'`, times: points, set: { to_revision: 'r.to_revision + n', from_revision: 'r.to_revision + n - 1', revision: 'r.revision + n' } });
        const now = `revision + 20000`;
        await trx.raw(`update elements set revision = ${now}, project_revision = project_revision + 20000 where id = ${element}`);
        await trx.raw(`update projects set revision = ${now}, change_revision = ${now}, counted_revision = ${now} where id = ${made.id}`);
    });
});

/** A class with as many pupils, assignments, works and projects as there may be. Its pupils are accounts that it manages, and these users teach it. */
export async function fullClass(db: Knex, teachers: readonly string[], project: string): Promise<{ class_id: string; pupil: string; assignment: string; work: string }> {
    const { rows: [row] } = await db.raw<{ rows: { class_id: string; pupil: string }[] }>(`
        with c as (insert into classes (title, publish, comments, code) values ('Full', 'class', true, 'k7pm3xwrd9tz') returning id),
        t as (update users set teacher = true where id = any(?::bigint[]) returning id),
        u as (insert into users (username, managed_by, publish) select 'of-a-full-class-' || n, c.id, 'class' from c, generate_series(1, ?::int) n returning id),
        k as (insert into class_people (class_id, user_id, role, name) select c.id, t.id, 'teacher', null from c, t union all select c.id, u.id, 'pupil', 'A pupil' from c, u)
        select c.id::text as class_id, (select string_agg(id::text, ',') from u) as pupil from c`, [[...teachers], MAX_PUPILS]);
    const id = String(row?.class_id);
    await db.raw(`insert into assignments (class_id, title, text) select ?, repeat('\uFDFA', ?), repeat('\uFDFA', ?) from generate_series(1, ?::int)`, [id, MAX_ASSIGNMENT_TITLE, MAX_ASSIGNMENT_TEXT, MAX_ASSIGNMENTS]);
    await db.transaction(async (trx) => {
        await copyRows(trx, 'projects', { where: `r.id = ${project} and p.class_id = ${id} and p.role = 'pupil'`, times: `class_people p, generate_series(1, ${Math.floor(MAX_CLASS_PROJECTS / MAX_PUPILS)}) as n`, set: { user_id: 'p.user_id', visibility: '\'private\'', change_revision: '1', revision: '1', counted_revision: '1' } });
        await trx.raw(`insert into class_projects (class_id, project_id, audience) select ?, q.id, 'class' from projects q join class_people p on p.class_id = ? and p.user_id = q.user_id and p.role = 'pupil'`, [id, id]);
        await trx.raw(`
            insert into works (assignment_id, user_id, project_id, state, points, handed_in_at, note)
            select (select max(id) from assignments where class_id = ?), user_id, max(q.id), 'handed_in', array[1], now(), repeat('\uFDFA', 2000)
            from projects q join class_projects c on c.project_id = q.id and c.class_id = ? group by user_id`, [id, id]);
    });
    const { rows: [made] } = await db.raw<{ rows: { assignment: string; work: string }[] }>(`select assignment_id::text as assignment, string_agg(id::text, ',') as work from works group by 1`);
    return { class_id: id, pupil: String(row?.pupil), assignment: String(made?.assignment), work: String(made?.work) };
}

/** What an account may have beside its projects, as much of it as there may be. */
export async function fullAccount(db: Knex, user: string): Promise<{ app: string; webhook: string; delivery: string; passkey: string; identity: string }> {
    const url = `https://example.org/${'x'.repeat(490)}`;
    const first = async (sql: string, ...values: readonly (string | number)[]): Promise<string> => {
        const { rows: [row] } = await db.raw<{ rows: { id: string }[] }>(`with made as (${sql} returning id) select min(id::text) as id from made`, [...values]);
        return String(row?.id);
    };

    await db.raw(`
        with a as (insert into apps (name, url, redirect_uris) select repeat('\uFDFA', 80), ?, array_fill(?::text, array[10]) from generate_series(1, ?::int) returning id)
        insert into authorizations (id, user_id, app_id, scope, payload, last_used_at, expires_at) select 'of ' || a.id, ?, a.id, '{openid,user,projects,read,offline_access}', '{}', now(), now() + interval '1 day' from a`, [url, url, MAX_AUTHORIZATIONS, user]);
    await db.raw(`insert into tokens (user_id, hash, scope, label, expires_at) select ?, sha256((? || n)::bytea), '{user,projects}', repeat('\uFDFA', 50), now() + interval '1 day' from generate_series(1, ?::int) n`, [user, user, MAX_TOKENS - 1]);
    const webhook = await first(`insert into webhooks (user_id, url, events, secret) select ?, ?, array['project.changed'], sha256('x') from generate_series(1, ?::int)`, user, url, MAX_WEBHOOKS);
    return {
        webhook,
        delivery: await first(`
            insert into webhook_deliveries (webhook_id, project_id, event, revision, at, data, state, attempts, error)
            select ?, 1, 'project.changed', n, now(), repeat('x', 4000), 'delivered', 12, repeat('\uFDFA', 200) from generate_series(1, 1000) n`, webhook),
        app: await first(`insert into apps (user_id, name, url, redirect_uris) select ?, repeat('\uFDFA', 80), ?, array_fill(?::text, array[10]) from generate_series(1, ?::int)`, user, url, url, MAX_APPS),
        passkey: await first(`insert into passkeys (user_id, credential, public_key, counter, transports, label) select ?, ? || '-' || n, 'x', 0, '{}', repeat('\uFDFA', 100) from generate_series(1, ?::int) n`, user, user, MAX_PASSKEYS),
        identity: await first(`insert into identities (user_id, issuer, subject, name) select ?, ?, ? || '-' || n, repeat('\uFDFA', 256) from generate_series(1, ?::int) n`, user, url, user, MAX_IDENTITIES)
    };
}
