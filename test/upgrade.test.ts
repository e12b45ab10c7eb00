import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { migrationSource, migrations } from '../migrations';
import { index } from '../src/community/search/jobs';
import { migrate } from '../src/database/statements/migrate';
import { openAuthor } from './support/authoring';
import { emptyDatabase } from './support/database';
import type { TestDatabase } from './support/database';
import { makeRelease030 } from './support/release-0.3.0';
import { startTestServer } from './support/server';
import type { TestServer } from './support/server';
import { wrongSizes } from './support/sizes';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Data in a database of 0.3.0. */
const released = `
    insert into users (username, language) values ('ada', 'pt-BR'), ('ben', 'en'), ('Beside_1', 'en');
    insert into users (username, deleted_at, deletion_id) values ('gone', now(), nextval('deletions_id_seq'));
    insert into users (username, username_key, issuer, subject) values ('Ева', 'ева', 'https://id.example', 'eve');
    insert into tokens (user_id, hash, scope, label, expires_at) select id, sha256(username::bytea), '{user,projects}', 'first', now() + '1 day' from users;
    insert into projects (user_id, version, title, description, tags, featured, page_count)
        select id, '1', 'Garden of ' || username, '#garden #Сад', '{garden,сад}', username = 'ada', 1 from users where username in ('ada', 'ben', 'gone') order by id;
    insert into projects (user_id, version, title, remixed_from, page_count) select 2, '1', title, id, 1 from projects where user_id = 1;
    insert into projects (user_id, version, title, tags, featured, remixed_from, deleted_at) select 1, '1', 'Withered', '{garden}', true, id, now() from projects where user_id = 2 order by id;
    update projects p set deleted_at = u.deleted_at, deletion_id = u.deletion_id from users u where u.id = p.user_id and u.username = 'gone';
    insert into pages (project_id, x, y, styles, element_count) select id, 0, 0, '{"background": "green"}', 2 from projects order by id;
    insert into elements (page_id, type, attributes) select id, 'text', '{"text": "Tomatoes \u{1f345}"}' from pages order by id;
    insert into elements (page_id, type, attributes) select id, 'link', json_build_object('targetPageId', id::text) from pages order by id;
    insert into projects (user_id, version, title, tags, featured, remixed_from) values (2, '1', 'Balcony', '{garden,pots}', true, 1);
    insert into project_stats as s (project_id, views) values (1, 5) on conflict (project_id) do update set views = s.views + 5;
    insert into view_salts (day, salt) values ('2026-01-01', sha256('x'));
    insert into project_views (day, project_id, viewer) values ('2026-01-01', 1, sha256('y'));
    insert into rate_limits (key, points, expire) values ('writes:user 1', 3, 1);
    insert into idempotency_keys (id, user_id, answer) values (sha256('x'), 1, 'encrypted');
    insert into pages (project_id, x, y, styles, page_bytes) values (2, 5, 5, '{"a": "b"}', 10);
    insert into sign_up_codes (hash, uses_left, expires_at) values (sha256('x'), 2, now() + '1 day');
    insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts) values (99, 1, 0, now(), 1, 'create', '{1,0,0,0,0,0,0}');
    insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value) values (99, 'page', 9, 'x', 2, 1, 1, now(), false, '0');
    insert into projects (user_id, version, title, tags, featured, remixed_from, visibility) values (2, '1', 'Secret garden', '{secret}', true, 1, 'private');
    insert into project_members (project_id, user_id, role) values (1, 2, 'editor');
    insert into project_invitations (project_id, role, hash, uses_left, expires_at) values (1, 'viewer', sha256('x'), 1, now() + '1 day');
    with c as (insert into collections (user_id, title, description, visibility) values (1, 'Green', '', 'public') returning id)
        insert into collection_projects (collection_id, project_id, place) select id, 1, 1 from c;
    insert into reports (project_id, user_id, reason, text, round) values (1, 2, 'spam', '', 0);
    insert into assets (hash, type, size) values (repeat('a', 64), 'image/png', 1);
    insert into sent_assets (user_id, hash, size) values (1, repeat('a', 64), 1);
    insert into projects (user_id, version, title, remixed_from, credits) values (2, '1', 'Credited', 1, '[{"id": "1", "title": "Garden", "author": "1"}]');
    insert into made_thumbnails (project_id, revision, mark, private) values (1, 1, gen_random_uuid(), false)`;

/** Data that each later migration makes possible. A new migration needs an entry. */
const left: Record<string, string> = {
    '0035_filled_beside': '',
    '0036_filled': '',
    '0036_filled_search': '',
    '0037_filled_rules': '',
    '0037_filled_checked': '',
    '0038_apps': '',
    '0039_authorization': '',
    '0040_tokens': '',
    '0041_passkeys': '',
    '0042_identities': '',
    '0043_classes': `
        with c as (insert into classes (title, publish, comments, code) values ('Year 5', 'class', true, 'k7pm3xwrd9tz') returning id)
        insert into class_people (class_id, user_id, role) select id, 1, 'teacher' from c`,
    '0044_app_in_history': '',
    '0045_class_projects': `insert into class_projects (class_id, project_id, audience) select k.class_id, p.id, 'teachers' from class_people k join projects p on p.user_id = k.user_id order by p.id limit 1`,
    '0046_assignments': '',
    '0047_webhooks': `
        with h as (insert into webhooks (user_id, url, events, secret) values (1, 'https://hooks.example/in', array['project.changed'], sha256('x')) returning id)
        insert into webhook_deliveries (webhook_id, event, at, data) select id, 'webhook.test', now(), '{}' from h`,
    '0048_staff': `
        with n as (insert into announcements (text, level, until, staff_name) values ('Down on Saturday', 'info', '2036-04-01', 'ada') returning id, text),
        l as (insert into admin_log (staff_id, staff_name, act, type, thing_id, name) select 1, 'ada', 'announce', 'announcement', id, text from n)
        insert into daily_counts (day, requests, edits, errors, sign_ups) values ('2026-03-01', 4, 3, 2, 1)`,
    '0049_mail': `
        with a as (insert into mail_addresses (user_id, address, key, mailbox, confirmed_at) values (1, 'ada@mail.example', 'ada@mail.example', sha256('a'), now()) returning user_id),
        l as (insert into mail_links (hash, user_id, purpose, address, password, expires_at) select sha256('b'), user_id, 'password', 'ada@mail.example', sha256('c'), now() from a)
        insert into mails (kind, user_id, address, mailbox) select 'password', user_id, 'ada@mail.example', sha256('a') from a`,
    '0050_place_webhooks': `insert into webhooks (url, events, secret) values ('https://hooks.example/all', array['work.handed_in'], sha256('x'))`,
    '0051_elements_in_pages': '',
    '0052_many_projects': '',
    '0055_hand_ins_grow': '',
    '0056_class_order': '',
    '0057_device_key': '',
    '0060_guest_reports': '',
    '0061_present_writers': '',
    '0070_checked': '',
    '0071_without_older_releases': '',
    '0072_class_pictures': '',
    '0073_blocks': '',
    '0074_follows': '',
    '0075_likes': '',
    '0076_comments': '',
    '0077_notices': '',
    '0078_statements': '',
    '0080_comment_events': '',
    '0081_reports': '',
    '0082_filters': '',
    '0083_scans': `insert into asset_scans (id) values (repeat('a', 64))`,
    '0084_scans_in_turn': '',
    '0085_closed_likes_and_pictures': ''
};

interface Table {
    columns: string;
    rows: string;
}

/** The rows of each table, with the columns that it has or had before. How far the index of the search is, is no data, nor is what a step fills in. */
async function tablesOf(db: Knex, earlier: Record<string, Table> = {}): Promise<Record<string, Table>> {
    const { rows } = await db.raw<{ rows: { name: string; columns: string }[] }>(`
        select table_name as name, string_agg(column_name, ', ' order by ordinal_position) as columns from information_schema.columns
        where table_schema = 'public' and table_name !~ '^migrations|^search_progress|^filter_progress'
            and column_name not in ('username_key', 'project_bytes', 'page_bytes', 'counted_revision', 'change_revision', 'known_since', 'created_revision', 'project_revision')
            and (table_name, column_name) <> ('elements', 'project_id') group by 1`);
    const tables: Record<string, Table> = {};
    for (const { name, columns: present } of rows) {
        const columns = earlier[name]?.columns ?? present;
        const { rows: [row] } = await db.raw(`select coalesce(string_agg(r::text, e'\\n' order by r::text), '') as rows from (select ${columns} from ${name}) r`);
        tables[name] = { columns, rows: row.rows };
    }

    return tables;
}

describe('an upgrade of a database with data', () => {
    let database: TestDatabase;
    let server: TestServer;

    before(async () => {
        database = await emptyDatabase();
        await makeRelease030(database.db);
        server = await startTestServer({ database });
    });

    after(() => server.stop());

    it('runs each migration and keeps all data', async () => {
        const { db } = database;
        await db.raw(released);
        for (const { name } of migrations) {
            const { project_changes: _changes, search_queue: _queue, ...earlier } = await tablesOf(db);
            const [, [applied]] = await db.migrate.up({ migrationSource, tableName: 'migrations' });
            expect(applied).to.equal(name);
            expect(await tablesOf(db, earlier), name).to.include(earlier);
            expect(left[name], `what is left in a database of ${name}`).to.exist();
            await db.raw(left[name] || 'select 1');
        }

        expect(await migrate(db)).to.equal([]);
    });

    it('shows older data in the lists', async () => {
        const titles = async (path: string): Promise<string[]> => {
            const { body } = await server.call('GET', path);
            return body.projects.map(({ title }: { title: string }) => title).sort();
        };

        expect(await titles('/projects')).to.equal(['Balcony', 'Credited', 'Garden of ada', 'Garden of ada', 'Garden of ben']);
        expect(await titles('/projects/tagged/garden')).to.equal(['Balcony', 'Garden of ada', 'Garden of ben']);
        expect(await titles('/projects/tagged/сад')).to.equal(['Garden of ada', 'Garden of ben']);
        expect(await titles('/discover')).to.equal(['Balcony', 'Garden of ada']);
        expect((await server.call('GET', '/discover/pt')).body.projects[0].title).to.equal('Garden of ada');
        expect((await server.call('GET', '/featured-tags')).body.featured).to.equal(['garden', 'pots', 'сад']);
        expect((await server.call('GET', '/projects/1')).body.project.stats).to.equal({ views: 5, remixes: 3 });
        expect((await server.call('GET', '/users/1/projects/1/pages')).body.pages[0].elements).to.have.length(2);
        expect(server.faults).to.equal([]);
    });

    it('counts the sizes of older data', async () => {
        const { db } = database;
        const { rows: [counted] } = await db.raw('select p.project_bytes, g.page_bytes, p.counted_revision = p.revision as counted from projects p join pages g on g.project_id = p.id where p.id = 1');
        expect(counted).to.equal({ project_bytes: '74', page_bytes: '74', counted: true });
        expect(await wrongSizes(db)).to.equal([]);
    });

    it('continues the counters', async () => {
        const { db } = database;
        await db.raw(`update projects set deleted_at = now() where title = 'Garden of ada' and remixed_from = 1`);
        expect((await server.call('GET', '/projects/1')).body.project.stats.remixes).to.equal(2);
        await db.raw('update projects set featured = false where id = 1');
        expect((await server.call('GET', '/featured-tags')).body.featured).to.equal(['garden', 'pots']);
    });
});

describe('what rows from before the history lack, also in a database of 0.3, is filled in', () => {
    it('while others write, and after an end in the middle', async () => {
        const database = await emptyDatabase();
        const { db } = database;
        await makeRelease030(db);
        // As releases before 0.3 left them: every seventh project is removed, and every fifth has been written to.
        await db.raw(`
            alter table projects disable trigger user; alter table pages disable trigger user; alter table elements disable trigger user;
            insert into users (username) values ('ada');
            insert into projects (user_id, version, title, page_count, revision, deleted_at)
                select 1, '1', 'Quokka ' || n, 2, case when n % 5 = 0 then 4 else 1 end, case when n % 7 = 0 then now() end from generate_series(1, 300) n;
            insert into pages (project_id, x, y, styles, element_count) select id, n, 0, '{"a": "b"}', 3 from projects, generate_series(0, 1) n;
            insert into elements (page_id, type, attributes, deleted_at) select id, 'text', '{"text": "Quokka"}', case when n = 4 then now() end from pages, generate_series(1, 4) n;
            alter table projects enable trigger user; alter table pages enable trigger user; alter table elements enable trigger user`);

        // 0.3 saves titles meanwhile.
        let isOver = false;
        const save = (id: number): Promise<void> => db.raw(`
            update projects set title = 'Wombat', updated_at = now(), written = 'title', revision = revision + 1, counted_revision = counted_revision + 1, change_revision = revision + 1,
                changed_by = user_id, change_kind = 'edit', change_counts = '{1,0,0,0,0,0,0}' where id = ?`, [id]);
        const write = async (): Promise<void> => {
            for (let n = 0; !isOver; ++n) {
                await save(1 + n % 300);
            }
        };

        // One was saved by a release that knew no history.
        await save(5);
        await db.raw('update projects set known_since = 0 where id = 5');
        const writing = write();
        const began = migrations.findIndex(({ name }) => name === '0036_filled');
        for (const { name } of migrations.slice(0, began)) {
            const [, [applied]] = await db.migrate.up({ migrationSource, tableName: 'migrations' });
            expect(applied).to.equal(name);
        }

        expect(await migrations[began]?.fill?.(db, '0', 100)).to.equal('100');
        const applied = await migrate(db);
        isOver = true;
        await writing;
        expect(applied[0]).to.equal('0036_filled');

        expect(await wrongSizes(db)).to.equal([]);
        const { rows } = await db.raw(`
            select (select count(*)::int from projects where counted_revision <> revision or change_revision is null) as projects, (select count(*)::int from pages where created_revision is null or project_revision is null) as pages,
                (select count(*)::int from elements e left join pages g on g.id = e.page_id where e.created_revision is null or e.project_revision is null or e.project_id is distinct from g.project_id) as elements,
                (select count(*)::int from projects p where not exists (select from project_changes c where c.project_id = p.id and c.from_revision = 0)) as histories`);
        expect(rows).to.equal([{ projects: 0, pages: 0, elements: 0, histories: 0 }]);

        const server = await startTestServer({ database });
        const author = await openAuthor(server);
        await db.raw('update projects set user_id = ? where id in (5, 10)', [author.id]);
        const url = `/users/${author.id}/projects/5`;
        const first = (await author.call('GET', `${url}/history`)).body.changes.at(-1);
        expect(first).to.include({ from: 0, kind: 'create' });
        expect((await author.call('GET', `${url}/history/${first.revision}`)).body.pages).to.have.length(2);
        expect((await author.call('GET', `${url}/history/1`)).body).to.include({ code: 'history_gone', nearest: null });
        expect((await author.call('GET', `${url}/changes?since=1`)).body.code).to.equal('history_gone');
        expect((await author.call('GET', `${url}/changes?since=0`)).body.elements).to.have.length(6);
        expect((await author.call('POST', `${url}/history/${first.revision}/undo`, {})).body.code).to.equal('not_undoable');
        expect((await author.call('PUT', `${url}/history/${first.revision}/label`, { label: 'Before the upgrade' })).status).to.equal(200);
        expect((await author.call('POST', `${url}/remixes`, {})).status).to.equal(201);
        expect((await author.call('PATCH', url, { title: 'Third' })).status).to.equal(200);
        await index(db, new AbortController().signal);
        const { rows: [listed] } = await db.raw('select count(*)::int as n from project_search');
        expect(listed.n).to.equal(300 - 42 + 1);
        expect(await wrongSizes(db)).to.equal([]);
        expect(server.faults).to.equal([]);
        await server.stop();
    });
});
