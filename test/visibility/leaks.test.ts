import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { inAllShards, inNewProject, inProject, known as knownAs, writing } from '../../src/database/declaration';
import { hashCode, newCode, newSecret } from '../../src/api/auth/secrets';
import { run, runAlways, statement } from '../../src/database/statements/statement';
import { index as indexSearch } from '../../src/community/search/jobs';
import { missingRows, pathWith, questions, typeOf } from '../routes/index';
import type { Question } from '../routes/index';
import { inside } from '../routes/privacy';
import { callers, states } from '../routes/route';
import type { Caller, Ids, State } from '../routes/route';
import { Cast, insertIntoClass } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = script();

/*
 * What each route answers about a project that is public, unlisted, private or held, to each kind of caller; and that
 * nothing of a project comes out in any answer to whoever may not read it.
 */

interface World {
    ids: Ids;
    /** ids of the callers' own collections, by their users' ids */
    mine: Readonly<Record<string, string>>;
}

// Prepared once by each connection: to plan them takes longer than to run them, and to truncate small tables longer than to empty them.

const deleteCollections = statement({}, 'delete from collections');

const deleteProjects = statement({ place: writing(inAllShards()) }, 'delete from projects');

const deleteKept = statement({ place: writing(inAllShards()) }, 'with t as (delete from trending), k as (delete from comments), kq as (delete from thing_report_queue), s as (delete from project_search), c as (delete from class_projects) delete from search_queue');

const insertProject = statement({
    parameters: ['bigint', 'bigint', 'bigint', 'bytea', 'bigint'], row: { project: 'bigint', page: 'bigint', element: 'bigint', entry: 'bigint', invitation: 'bigint', comment: 'bigint' }, place: inNewProject()
}, `
    with p as (
        insert into projects (user_id, version, title, description, tags, thumbnail, featured, page_count, change_revision)
        values ($1, '1', 'marked-title', '#marked-tag', '{marked-tag}', '{"320":"https://a.example/marked-thumbnail"}', true, 1, 1) returning id
    ),
    g as (insert into pages (project_id, project_revision, created_revision, x, y, element_count, styles) select id, 1, 1, 0, 0, 1, '{"a":"marked-styles"}' from p returning id, project_id),
    e as (insert into elements (page_id, project_id, project_revision, created_revision, type, attributes) select id, project_id, 1, 1, 'text', '{"a":"marked-attributes"}' from g returning id),
    r as (insert into elements (page_id, project_id, project_revision, created_revision, type, deleted_at) select id, project_id, 1, 1, 'text', now() from g returning id),
    b as (insert into trash (user_id, project_id, type, thing_id, deleted_at, deleted_by, moderated) select $1, p.id, 'element', r.id, now(), $1, false from p, r returning id),
    m as (insert into project_members (project_id, user_id, role) select p.id, v.id, v.role from p, (values ($2::bigint, 'editor'), ($3, 'viewer'), ($5, 'viewer')) v (id, role)),
    q as (insert into report_queue (project_id, open, count) select id, true, 1 from p),
    i as (insert into project_invitations (project_id, role, hash, uses_left, expires_at) select id, 'viewer', $4, 50, now() + '1 day' from p returning id),
    t as (insert into trending (project_id, at) select id, now() from p),
    k as (insert into comments (project_id, user_id, text) select id, $1, 'marked-comment' from p returning id),
    kq as (insert into thing_report_queue (project_id, type, thing_id, open, count) select p.id, 'comment', k.id, true, 1 from p, k)
    select p.id as project, g.id as page, e.id as element, b.id as entry, i.id as invitation, k.id as comment from p, g, e, b, i, k`);

const insertCollections = statement({ parameters: ['bigint', 'bigint'], row: { collection: 'bigint', hidden: 'bigint', mine: knownAs<Record<string, string>>('json', { 1: '' }) } }, `
    with c as (
        insert into collections (user_id, title, description, visibility)
        select $1::bigint, title, '', visibility from (values ('Open', 'public'), ('marked-collection', 'private')) v (title, visibility)
        union all select id, 'Mine', '', 'public' from users returning id, user_id, title
    ),
    o as (insert into collection_projects (collection_id, project_id, place) select c.id, $2, 1 from c)
    select (select id from c where title = 'Open') as collection, (select id from c where title = 'marked-collection') as hidden,
        (select json_object_agg(user_id, id::text) from c where title = 'Mine') as mine`);

const deleteMember = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, 'delete from project_members where project_id = $1 and user_id = $2');

const hold = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `update projects set held_at = now(), held_reason = 'marked-reason' where id = $1`);

const show = statement({ parameters: ['bigint', 'visibility'], place: writing(inProject(1)) }, 'update projects set visibility = $2 where id = $1');

/** Texts that are in a project, or in a collection that is private to the owner, and nowhere else. */
const marks = ['marked-collection', 'marked-title', 'marked-tag', 'marked-styles', 'marked-attributes', 'marked-thumbnail', 'marked-comment'];

lab.experiment('A project that is not for everybody', () => {
    let server: TestServer;
    let tokens: Readonly<Record<Caller, string | undefined>>;
    let accounts: Readonly<Record<Exclude<Caller, 'guest' | 'bad'>, string>>;
    /** of the owner, the only one in it */
    let ownClass: string;

    lab.before(async () => {
        server = await startTestServer({ fresh: true });
        const { db } = server.database;
        // So large that no other number contains one.
        await db.raw(`select setval('projects_id_seq', 7100000000), setval('pages_id_seq', 7200000000), setval('elements_id_seq', 7300000000)`);
        const cast = new Cast(server);
        const open = async (username: Exclude<Caller, 'guest' | 'bad'>): Promise<Record<'id' | 'token', string>> => {
            const { id } = await cast.account(username === 'moderator' ? 'moderator' : 'plain', username);
            return { id, token: await cast.token(id) };
        };

        const known = { stranger: await open('stranger'), suspended: await open('suspended'), removed: await open('removed'), viewer: await open('viewer'), editor: await open('editor'), owner: await open('owner'), moderator: await open('moderator') };
        const part = (name: 'id' | 'token'): Record<keyof typeof known, string> => ({
            stranger: known.stranger[name], suspended: known.suspended[name], removed: known.removed[name], viewer: known.viewer[name], editor: known.editor[name], owner: known.owner[name], moderator: known.moderator[name]
        });
        accounts = part('id');
        await db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Spam' where id = ?`, [accounts.suspended]);
        await db.raw('update users set teacher = true where id = ?', [accounts.owner]);
        const { rows: [made] } = await db.raw(`
            with c as (insert into classes (title, publish, comments, code) values ('Mine', 'class', true, 'k7pm3xwrd9tz') returning id)
            insert into class_people (class_id, user_id, role) select id, ?, 'teacher' from c returning class_id as id`, [accounts.owner]);
        ownClass = made.id;
        await db.raw('insert into follows (user_id, followed_id) select id, ?::bigint from users where id <> ?', [accounts.owner, accounts.owner]);
        tokens = { guest: undefined, bad: newSecret(), ...part('token') };
    });

    lab.after(() => server.stop());

    /**
     * A project in this state, with everything that a path may name, as SQL so that it is quick. Somebody was a member of it once. It was
     * public before, so all that is kept for public lists is still there.
     */
    async function world(state: State, isSearched = false): Promise<World> {
        const code = newCode();
        const { owner, editor, viewer, removed } = accounts;
        const { db } = server.database;
        await run(db, deleteCollections, []);
        await run(db, deleteProjects, []);
        await run(db, deleteKept, []);
        const things = await runAlways(db, insertProject, [owner, editor, viewer, hashCode(code), removed]);
        const { mine, ...collections } = await runAlways(db, insertCollections, [owner, things.project]);
        const ids = { ...things, ...collections, class_id: ownClass };
        await run(db, insertIntoClass, [ids.project, ownClass]);
        await run(db, deleteMember, [ids.project, removed]);
        if (isSearched) {
            await indexSearch(db, new AbortController().signal);
        }

        if (state !== 'public') {
            await (state === 'held' ? run(db, hold, [ids.project]) : run(db, show, [ids.project, state]));
        }

        return { ids: { ...ids, user: owner, username: 'viewer', revision: '1', language: 'en', tag: 'marked-tag', code }, mine };
    }

    const urlWith = (path: string, { ids, mine }: World, caller: Caller): string => {
        const me = caller === 'guest' || caller === 'bad' ? ids.user ?? '' : accounts[caller];
        return pathWith(path, { ...ids, me, mine: mine[me] ?? '' });
    };

    const ask = ({ row: { method }, path, query = '', body }: Question, made: World, caller: Caller): Promise<Answer> => {
        const sent = body?.(made.ids);
        return server.call(method, urlWith(path, made, caller) + query, sent, { token: tokens[caller], headers: typeOf(path, sent) });
    };

    /** Somebody who is suspended reads as a stranger does, and writes nothing. */
    const expectedOf = ({ row, expected }: Question, state: State, caller: Caller): number => {
        return caller !== 'suspended' ? expected(state, caller) : row.method === 'GET' || row.whileSuspended ? expected(state, 'stranger') : 403;
    };

    const expectedShown = ({ shows }: Question, state: State, caller: Caller): boolean => shows?.(state, caller) === true;

    /** Whether the caller may read all that the path names. */
    const mayKnow = (path: string, state: State, caller: Caller): boolean => inside(state, caller) && (caller === 'owner' || !path.includes('{hidden}'));

    /** An answer without what differs from request to request. */
    const comparable = ({ status, headers, body }: Answer): object => {
        const { 'x-request-id': _id, date: _date, 'content-length': _length, ...others } = headers;
        return { status, headers: others, body: { ...body, request_id: undefined } };
    };

    lab.test('has a row for every route', () => {
        expect(missingRows(server.server)).to.equal([]);
    });

    for (const question of questions) {
        const { name, path, row: { method, scope, cache }, shows } = question;
        lab.test(`answers ${name}`, async () => {
            for (const state of states) {
                const isRead = method === 'GET';
                let made = await world(state, isRead && shows !== undefined);
                let isChanged = false;
                const notShown: [caller: Caller, answer: Answer][] = [];
                for (const caller of callers) {
                    // Neither a read nor what is refused changes anything.
                    made = isChanged ? await world(state) : made;
                    const { ids } = made;
                    const what = `${name} of what is ${state}, as ${caller}`;
                    const answer = await ask(question, made, caller);
                    expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).to.equal(expectedOf(question, state, caller));
                    isChanged = !isRead && answer.status < 300;

                    const text = JSON.stringify(answer.headers) + answer.text;
                    const leaked = [...marks, ids.project, ids.page, ids.element].filter((mark) => text.includes(String(mark)));
                    const joins = name === 'POST /invitations' && answer.status === 200;
                    if (shows !== undefined && expectedShown(question, state, caller)) {
                        expect(leaked, `${what}: ${text.slice(0, 500)}`).to.not.be.empty();
                    }
                    else if (shows !== undefined || (!mayKnow(path, state, caller) && !joins && !(path.includes('/trash') && answer.status === 200))) {
                        expect(leaked, `${what} leaks: ${text.slice(0, 500)}`).to.equal([]);
                        notShown.push([caller, answer]);
                    }

                    if (answer.status === 404 && !mayKnow(path, state, caller) && /\{(?:project|comment|hidden)\}/.test(path)) {
                        const absent = await ask(question, { ...made, ids: { ...ids, project: '7999999999', comment: '7999999997', hidden: '7999999998' } }, caller);
                        expect(comparable(answer), `${what}, and of what does not exist`).to.equal(comparable(absent));
                    }

                    if (path.includes('{project}')) {
                        const isForAll = (state === 'public' || state === 'unlisted') && answer.status < 400 && scope === '';
                        expect(cache === 'no-store' ? ['no-store', 'private, no-cache'] : [isForAll ? 'no-cache' : 'private, no-cache'], what).to.include(answer.headers['cache-control']);
                        expect(String(answer.headers.vary).includes('authorization'), what).to.equal(!isForAll);
                    }
                }

                if (isRead && shows !== undefined && state !== 'public') {
                    await server.database.db.raw('delete from projects');
                    for (const [caller, answer] of notShown) {
                        const without = await ask(question, made, caller);
                        expect(comparable(answer), `${name} of what is ${state}, as ${caller}, and without any project`).to.equal(comparable(without));
                    }
                }
            }

            expect(server.faults).to.equal([]);
        });
    }

    lab.test('is shown with why it is held to its author and moderators', async () => {
        const made = await world('held');
        const { ids } = made;
        for (const caller of ['owner', 'moderator'] as const) {
            const { body } = await server.call('GET', urlWith('/users/{user}/projects/{project}', made, caller), undefined, { token: tokens[caller] });
            expect(body.project.held).to.include({ reason: 'marked-reason' });
        }

        const all = await server.call('GET', `/users/${ids.user}/projects?visibility=all&count=100`, undefined, { token: tokens.owner });
        expect(all.body.projects.some((one: { id: string; held?: object }) => one.id === ids.project && one.held !== undefined)).to.be.true();
    });
});
