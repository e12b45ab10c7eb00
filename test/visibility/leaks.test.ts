import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { hashCode, hashSecret, newCode, newSecret } from '../../src/api/auth/secrets';
import { run, runAlways, statement } from '../../src/database/statements/statement';
import { index as indexSearch } from '../../src/community/search/indexing';
import { drawing } from '../support/files';
import { PASSWORD, startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = script();

/*
 * What each route of the description answers about a project that is public, unlisted, private or held, to each kind of caller; and that
 * nothing of a project comes out in any answer to whoever may not read it.
 */

const states = ['public', 'unlisted', 'private', 'held'] as const;
type State = typeof states[number];

const callers = ['guest', 'bad', 'stranger', 'suspended', 'removed', 'viewer', 'editor', 'owner', 'moderator'] as const;
type Caller = typeof callers[number];

/** Who may read a project in this state. */
const readers: Readonly<Record<State, readonly Caller[]>> = {
    public: callers,
    unlisted: callers,
    private: ['viewer', 'editor', 'owner', 'moderator'],
    held: ['owner', 'moderator']
};

interface World {
    /** ids of what is in the paths, by the names of the parameters */
    ids: Readonly<Record<string, string>>;
    /** ids of the callers' own collections, by their users' ids */
    mine: Readonly<Record<string, string>>;
    /** a code that still can be used */
    code: string;
}

// Prepared once by each connection: to plan them takes longer than to run them, and to truncate small tables longer than to empty them.

const deleteCollections = statement('delete from collections');

const deleteProjects = statement('/* place: everywhere */ delete from projects');

const deleteKept = statement('/* place: everywhere */ with t as (delete from trending), s as (delete from project_search) delete from search_queue');

const insertProject = statement<Record<'project' | 'page' | 'element' | 'entry' | 'invitation', string>>(`
    /* place: new */
    with p as (
        insert into projects (user_id, version, title, description, tags, thumbnail, featured, page_count)
        values ($1, '1', 'marked-title', '#marked-tag', '{marked-tag}', '{"320":"https://a.example/marked-thumbnail"}', true, 1) returning id
    ),
    g as (insert into pages (project_id, x, y, element_count, styles) select id, 0, 0, 1, '{"a":"marked-styles"}' from p returning id, project_id),
    e as (insert into elements (page_id, project_id, type, attributes) select id, project_id, 'text', '{"a":"marked-attributes"}' from g returning id),
    r as (insert into elements (page_id, project_id, type, deleted_at) select id, project_id, 'text', now() from g returning id),
    b as (insert into trash (user_id, project_id, type, thing_id, deleted_at, deleted_by, moderated) select $1, p.id, 'element', r.id, now(), $1, false from p, r returning id),
    m as (insert into project_members (project_id, user_id, role) select p.id, v.id, v.role from p, (values ($2::bigint, 'editor'), ($3, 'viewer'), ($5, 'viewer')) v (id, role)),
    q as (insert into report_queue (project_id, open, count) select id, true, 1 from p),
    i as (insert into project_invitations (project_id, role, hash, uses_left, expires_at) select id, 'viewer', $4, 50, now() + '1 day' from p returning id),
    t as (insert into trending (project_id, at) select id, now() from p)
    select p.id as project, g.id as page, e.id as element, b.id as entry, i.id as invitation from p, g, e, b, i`);

const insertCollections = statement<Record<'collection' | 'hidden', string> & { mine: Record<string, string> }>(`
    with c as (
        insert into collections (user_id, title, description, visibility)
        select $1::bigint, title, '', visibility from (values ('Open', 'public'), ('marked-collection', 'private')) v (title, visibility)
        union all select id, 'Mine', '', 'public' from users returning id, user_id, title
    ),
    o as (insert into collection_projects (collection_id, project_id, place) select c.id, $2, 1 from c)
    select (select id from c where title = 'Open') as collection, (select id from c where title = 'marked-collection') as hidden,
        (select json_object_agg(user_id, id) from c where title = 'Mine') as mine`);

const deleteMember = statement('delete from project_members where project_id = $1 and user_id = $2');

const hold = statement(`/* place: in $1 */ update projects set held_at = now(), held_reason = 'marked-reason' where id = $1`);

const show = statement('/* place: in $1 */ update projects set visibility = $2 where id = $1');

type Expected = (state: State, caller: Caller) => number;

interface Rule {
    expected: Expected;
    body?: (world: World) => object;
    /** the media type of the body, if it is bytes */
    type?: string;
    query?: string;
    /** of a route that shows many projects: to whom it shows this one. To all others it answers as if the project did not exist */
    shows?: (state: State, caller: Caller) => boolean;
}

const isKnown = (caller: Caller): boolean => caller !== 'guest' && caller !== 'bad';
const inside = (state: State, caller: Caller): boolean => readers[state].includes(caller);

/** A public route: a token is looked at only if there is nothing for everybody. */
const reads: Expected = (state, caller) => (inside(state, caller) ? 200 : caller === 'bad' ? 401 : 404);

/** A route for those who are named. */
function only(ok: number, ...named: Caller[]): Expected {
    return (state, caller) => (!isKnown(caller) ? 401 : !inside(state, caller) ? 404 : named.includes(caller) ? ok : 403);
}

/** A route about a user, which is for that user, the owner, alone; also for moderators if they are named. */
function own(ok: number, ...more: Caller[]): Expected {
    return (_state, caller) => (!isKnown(caller) ? 401 : caller === 'owner' || more.includes(caller) ? ok : 403);
}

/** A route for moderators, who may read all: nobody else is told what there is. */
function moderators(ok: number): Expected {
    return (_state, caller) => (!isKnown(caller) ? 401 : caller === 'moderator' ? ok : 403);
}

/** A list of what is public. */
const list: Rule = { expected: () => 200, shows: (state) => state === 'public' };

/** Who finds a project in a collection: its owner and members too, and moderators only as everybody. */
const collected = (state: State, caller: Caller): boolean => state === 'public' || caller === 'owner' || (state !== 'held' && (caller === 'viewer' || caller === 'editor'));

/** A write to a collection that is private to the owner. */
const hidden: Expected = (_state, caller) => (!isKnown(caller) ? 401 : caller === 'owner' ? 200 : 404);
/** A route that has nothing to do with projects, and so is not asked. */
const unrelated: Rule = { expected: () => 0 };

const [read, everybody] = [{ expected: reads }, ['stranger', 'removed', 'viewer', 'editor', 'owner', 'moderator'] as const];
const writers = ['owner', 'editor'] as const;
const removers = ['owner', 'editor', 'moderator'] as const;
const members = ['owner', 'editor', 'viewer', 'moderator'] as const;
const project = '/users/{user}/projects/{project}';

const rules: Readonly<Record<string, Rule>> = {
    'GET /discover': list,
    'GET /discover/{language}': list,
    'GET /featured-tags': list,
    'GET /projects': list,
    'GET /projects/tagged/{tag}': list,
    'GET /users/{user}/projects': list,
    'GET /projects/{project}': read,
    'POST /view-project/{project}': { expected: (state, caller) => (caller === 'bad' ? 401 : inside(state, caller) ? 200 : 404) },
    [`GET ${project}`]: read,
    [`PATCH ${project}`]: { expected: only(200, ...writers), body: () => ({ title: 'Changed' }) },
    [`PATCH ${project} visibility`]: { expected: only(200, 'owner'), body: () => ({ visibility: 'public' }) },
    [`DELETE ${project}`]: { expected: only(200, 'owner', 'moderator') },
    [`PATCH ${project}/feature`]: { expected: only(200, 'moderator') },
    [`GET ${project}/pages`]: read,
    [`POST ${project}/pages`]: { expected: only(201, ...writers), body: () => ({ x: 5, y: 5 }) },
    [`GET ${project}/pages/{page}`]: read,
    [`PATCH ${project}/pages/{page}`]: { expected: only(200, ...writers), body: () => ({ x: 3 }) },
    [`DELETE ${project}/pages/{page}`]: { expected: only(200, ...removers) },
    [`GET ${project}/pages/{page}/elements`]: read,
    [`POST ${project}/pages/{page}/elements`]: { expected: only(201, ...writers), body: () => ({ type: 'text' }) },
    [`GET ${project}/pages/{page}/elements/{element}`]: read,
    [`PATCH ${project}/pages/{page}/elements/{element}`]: { expected: only(200, ...writers), body: () => ({ styles: { top: 1 } }) },
    [`DELETE ${project}/pages/{page}/elements/{element}`]: { expected: only(200, ...removers) },
    [`GET ${project}/remixes`]: read,
    [`POST ${project}/remixes`]: { expected: (state, caller) => ((state === 'held' && inside(state, caller)) || (state === 'private' && caller === 'moderator') ? 403 : only(201, ...everybody)(state, caller)) },
    [`GET ${project}/events`]: read,
    [`GET ${project}/changes`]: { ...read, query: '?since=0' },
    [`GET ${project}/lineage`]: read,
    // The project is no remix: test/projects/lineage/ has those that are.
    [`GET ${project}/upstream`]: { expected: (_state, caller) => (caller === 'bad' ? 401 : 404) },
    [`POST ${project}/upstream/pull`]: { expected: only(404, ...writers) },
    [`GET ${project}/export`]: read,
    [`PUT ${project}/thumbnail`]: { expected: only(200, ...writers), body: () => drawing(), type: 'image/svg+xml' },
    [`GET ${project}/history`]: { expected: only(200, ...members) },
    [`GET ${project}/history/{revision}`]: { expected: only(200, ...members) },
    [`PUT ${project}/history/{revision}/label`]: { expected: only(200, ...writers), body: () => ({ label: 'Good' }) },
    [`DELETE ${project}/history/{revision}/label`]: { expected: only(200, ...writers) },
    [`POST ${project}/history/{revision}/restore`]: { expected: only(200, ...writers) },
    [`POST ${project}/history/{revision}/undo`]: { expected: only(409, ...writers) },
    [`GET ${project}/members`]: { expected: only(200, ...members) },
    [`PUT ${project}/members/{username}`]: { expected: only(200, 'owner'), body: () => ({ role: 'editor' }) },
    // The name in the path is the viewer's.
    [`DELETE ${project}/members/{username}`]: { expected: only(200, 'owner', 'viewer') },
    [`PUT ${project}/presence`]: { expected: only(200, ...writers), body: () => ({}) },
    [`GET ${project}/invitations`]: { expected: only(200, 'owner') },
    [`POST ${project}/invitations`]: { expected: only(201, 'owner'), body: () => ({ role: 'viewer' }) },
    [`DELETE ${project}/invitations/{invitation}`]: { expected: only(200, 'owner') },
    'POST /projects/{project}/reports': { expected: (state, caller) => (caller === 'owner' ? 403 : only(201, ...everybody)(state, caller)), body: () => ({ reason: 'spam' }) },
    'GET /moderation/reports': { expected: moderators(200) },
    'PATCH /moderation/reports/{project}': { expected: moderators(200), body: () => ({ state: 'kept', note: 'Fine' }) },
    'PUT /moderation/projects/{project}/hold': { expected: moderators(200), body: () => ({ reason: 'Spam' }) },
    'DELETE /moderation/projects/{project}/hold': { expected: (state, caller) => moderators(state === 'held' ? 200 : 404)(state, caller) },
    'GET /moderation/log': { expected: moderators(200) },
    'POST /invitations': { expected: (state, caller) => (!isKnown(caller) ? 401 : state === 'held' ? 404 : caller === 'owner' ? 409 : 200), body: ({ code }) => ({ code }) },
    'GET /search': { ...list, query: '?q=marked-title' },
    'GET /search by tag': { ...list, query: '?q=marked&tag=marked-tag' },
    'GET /search by author': { ...list, query: '?q=owner&author=owner&count=1' },
    'GET /trending': list,
    // Of the owner, to whom the hidden one is private. Each caller has one of their own.
    'GET /collections/{collection}': { expected: () => 200, shows: collected },
    'GET /collections/{hidden}': { expected: (_state, caller) => (caller === 'owner' ? 200 : caller === 'bad' ? 401 : 404), shows: (_state, caller) => caller === 'owner' },
    'GET /collections/{mine}': { expected: () => 200, shows: collected },
    'GET /users/{user}/collections': { expected: () => 200, shows: (_state, caller) => caller === 'owner' },
    'POST /users/{user}/collections': { expected: own(201), body: () => ({ title: 'More' }) },
    'PATCH /users/{user}/collections/{collection}': { expected: own(200), body: () => ({ title: 'Other' }) },
    'PATCH /users/{user}/collections/{hidden}': { expected: hidden, body: () => ({ title: 'Other' }) },
    'DELETE /users/{user}/collections/{collection}': { expected: own(200) },
    'DELETE /users/{user}/collections/{hidden}': { expected: hidden },
    'PUT /users/{user}/collections/{collection}/projects/{project}': { expected: own(200) },
    'PUT /users/{user}/collections/{hidden}/projects/{project}': { expected: hidden },
    // A moderator sees no more here than everybody.
    'PUT /users/{me}/collections/{mine}/projects/{project}': { expected: (state, caller) => (!isKnown(caller) ? 401 : collected(state, caller) || state === 'unlisted' ? 200 : 404) },
    'DELETE /users/{user}/collections/{collection}/projects/{project}': { expected: own(200) },
    'DELETE /users/{user}/collections/{hidden}/projects/{project}': { expected: hidden },
    'DELETE /users/{me}/collections/{mine}/projects/{project}': { expected: (_state, caller) => (isKnown(caller) ? 200 : 401) },
    'GET /users/{user}/shared': { expected: own(200) },
    'GET /users/{user}/takeout': { expected: own(200) },
    'GET /users/{user}/trash': { expected: own(200, 'moderator') },
    // The owner removed it: test/projects/trash has what others remove.
    'POST /users/{user}/trash/{entry}/restore': { expected: own(200) },
    'DELETE /users/{user}/trash/{entry}': { expected: own(200) },
    ...Object.fromEntries(Object.entries({
        'projects update': [only(200, ...writers), ({ project: id }: World['ids']) => ({ id, title: 'Changed' })],
        'projects update visibility': [only(200, 'owner'), ({ project: id }: World['ids']) => ({ id, visibility: 'unlisted' })],
        'projects remove': [only(200, 'owner', 'moderator'), ({ project: id }: World['ids']) => ({ id })],
        'pages create': [only(200, ...writers), ({ project: projectId }: World['ids']) => ({ projectId, x: 5, y: 5 })],
        'pages update': [only(200, ...writers), ({ page: id }: World['ids']) => ({ id, x: 3 })],
        'pages remove': [only(200, ...removers), ({ page: id }: World['ids']) => ({ id })],
        'elements create': [only(200, ...writers), ({ page: pageId }: World['ids']) => ({ pageId, type: 'text' })],
        'elements update': [only(200, ...writers), ({ element: id }: World['ids']) => ({ id, styles: { top: 1 } })],
        'elements remove': [only(200, ...removers), ({ element: id }: World['ids']) => ({ id })]
    } as const).map(([action, [expected, data]]): [string, Rule] => {
        const [type, method] = action.split(' ');
        return [`POST /users/{me}/bulk ${action}`, { expected, body: ({ ids }) => ({ actions: [{ type, method, data: data(ids) }] }) }];
    })),
    ...Object.fromEntries([
        'GET /health', 'GET /ready', 'GET /openapi.json', 'POST /tokens', 'GET /tokens', 'DELETE /tokens', 'DELETE /tokens/{token}', 'POST /users', 'GET /users/{user}', 'PATCH /users/{user}',
        'DELETE /users/{user}', 'PUT /users/{user}/password', 'PUT /moderation/users/{user}/suspension', 'DELETE /moderation/users/{user}/suspension', 'POST /users/{user}/projects', 'POST /users/{user}/bulk',
        // test/files/assets and test/files/imports check these.
        'GET /assets/{sha256}', 'GET /users/{user}/assets', 'PUT /users/{user}/assets/{sha256}', 'POST /users/{user}/assets/missing', 'POST /users/{user}/imports'
    ].map((route) => [route, unrelated]))
};

/** Texts that are in a project, or in a collection that is private to the owner, and nowhere else. */
const marks = ['marked-collection', 'marked-title', 'marked-tag', 'marked-styles', 'marked-attributes', 'marked-thumbnail'];

/** The route of a rule, as it is registered. */
const routeOf = (key: string): string => key.split(' ', 2).join(' ').replace('{me}', '{user}').replace(/\{(?:hidden|mine)\}/, '{collection}');

lab.experiment('A project that is not for everybody', () => {
    let server: TestServer;
    let tokens: Readonly<Record<Caller, string | undefined>>;
    let accounts: Readonly<Record<Exclude<Caller, 'guest' | 'bad'>, string>>;

    lab.before(async () => {
        server = await startTestServer();
        const { db } = server.database;
        // So large that no other number contains one.
        await db.raw(`select setval('projects_id_seq', 7100000000), setval('pages_id_seq', 7200000000), setval('elements_id_seq', 7300000000)`);
        const open = async (username: string): Promise<[string, string]> => {
            const { rows } = await db.raw('insert into users (username, password_hash, moderator) values (?, ?, ?) returning id', [username, PASSWORD, username === 'moderator']);
            const secret = newSecret();
            await db.raw(`insert into tokens (user_id, hash, scope, expires_at) values (?, ?, '{user,projects}', now() + '1 day')`, [rows[0].id, hashSecret(secret)]);
            return [rows[0].id, secret];
        };

        const known = { stranger: await open('stranger'), suspended: await open('suspended'), removed: await open('removed'), viewer: await open('viewer'), editor: await open('editor'), owner: await open('owner'), moderator: await open('moderator') };
        const part = <Index extends 0 | 1>(index: Index): Record<keyof typeof known, string> => ({
            stranger: known.stranger[index], suspended: known.suspended[index], removed: known.removed[index], viewer: known.viewer[index], editor: known.editor[index], owner: known.owner[index], moderator: known.moderator[index]
        });
        accounts = part(0);
        await db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Spam' where id = ?`, [accounts.suspended]);
        tokens = { guest: undefined, bad: newSecret(), ...part(1) };
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
        const ids = { ...things, ...collections };
        await run(db, deleteMember, [ids.project, removed]);
        if (isSearched) {
            await indexSearch(db, new AbortController().signal);
        }

        if (state !== 'public') {
            await (state === 'held' ? run(db, hold, [ids.project]) : run(db, show, [ids.project, state]));
        }

        return { ids: { ...ids, user: owner, username: 'viewer', revision: '1', language: 'en', tag: 'marked-tag' }, mine, code };
    }

    const urlOf = (path: string, { ids, mine }: World, caller: Caller): string => {
        const me = isKnown(caller) ? String(Reflect.get(accounts, caller)) : String(ids.user);
        const all: World['ids'] = { ...ids, me, mine: String(mine[me]) };
        return path.replace(/\{(\w+)\}/g, (_match, name: string) => String(all[name]));
    };

    const ask = (key: string, { body, type, query = '' }: Rule, made: World, caller: Caller): Promise<Answer> => {
        const [method = '', path = ''] = key.split(' ');
        return server.call(method, urlOf(path, made, caller) + query, body?.(made), { token: tokens[caller], ...type !== undefined && { headers: { 'content-type': type } } });
    };

    /** Somebody who is suspended reads as a stranger does, and writes nothing. */
    const expectedOf = (key: string, { expected }: Rule, state: State, caller: Caller): number => {
        return caller !== 'suspended' ? expected(state, caller) : /^(?:GET|POST \/view-project)/.test(key) ? expected(state, 'stranger') : 403;
    };

    const expectedShown = ({ shows }: Rule, state: State, caller: Caller): boolean => shows?.(state, caller) === true;

    /** Whether the caller may read all that the path names. */
    const mayKnow = (key: string, state: State, caller: Caller): boolean => inside(state, caller) && (caller === 'owner' || !key.includes('{hidden}'));

    /** An answer without what differs from request to request. */
    const comparable = ({ status, headers, body }: Answer): object => {
        const { 'x-request-id': _id, date: _date, 'content-length': _length, ...others } = headers;
        return { status, headers: others, body: { ...body, request_id: undefined } };
    };

    lab.test('has a row here for every route', async () => {
        const { body: { paths } } = await server.call('GET', '/openapi.json');
        const routes = Object.keys(paths).flatMap((path) => Object.keys(paths[path]).map((method) => `${method.toUpperCase()} ${path}`));
        const known = new Set(Object.keys(rules).map(routeOf));
        expect([...known].sort()).to.equal(routes.sort());
    });

    for (const [key, rule] of Object.entries(rules).filter(([, { expected }]) => expected !== unrelated.expected)) {
        lab.test(`answers ${key}`, { timeout: 60_000 }, async () => {
            for (const state of states) {
                const isRead = key.startsWith('GET');
                let made = await world(state, isRead && rule.shows !== undefined);
                let isChanged = false;
                const notShown: [caller: Caller, answer: Answer][] = [];
                for (const caller of callers) {
                    // Neither a read nor what is refused changes anything.
                    made = isChanged ? await world(state) : made;
                    const { ids } = made;
                    const what = `${key} of what is ${state}, as ${caller}`;
                    const answer = await ask(key, rule, made, caller);
                    expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).to.equal(expectedOf(key, rule, state, caller));
                    isChanged = !isRead && answer.status < 300;

                    const text = JSON.stringify(answer.headers) + answer.text;
                    const leaked = [...marks, ids.project, ids.page, ids.element].filter((mark) => text.includes(String(mark)));
                    const joins = key === 'POST /invitations' && answer.status === 200;
                    if (rule.shows !== undefined && expectedShown(rule, state, caller)) {
                        expect(leaked, `${what}: ${text.slice(0, 500)}`).to.not.be.empty();
                    }
                    else if (rule.shows !== undefined || (!mayKnow(key, state, caller) && !joins && !(key.includes('/trash') && answer.status === 200))) {
                        expect(leaked, `${what} leaks: ${text.slice(0, 500)}`).to.equal([]);
                        notShown.push([caller, answer]);
                    }

                    if (answer.status === 404 && !mayKnow(key, state, caller) && /\{(?:project|hidden)\}/.test(key)) {
                        const absent = await ask(key, rule, { ...made, ids: { ...ids, project: '7999999999', hidden: '7999999998' } }, caller);
                        expect(comparable(answer), `${what}, and of what does not exist`).to.equal(comparable(absent));
                    }

                    if (key.includes('{project}')) {
                        const looksAtToken = server.server.table().some(({ method, path, settings }) => `${method.toUpperCase()} ${path}` === routeOf(key) && typeof settings.auth === 'object');
                        const isForAll = (state === 'public' || state === 'unlisted') && answer.status < 400 && !looksAtToken;
                        const isUnkept = /\/events$|POST .*\/invitations$/.test(key);
                        expect(isUnkept ? ['no-store', 'private, no-cache'] : [isForAll ? 'no-cache' : 'private, no-cache'], what).to.include(answer.headers['cache-control']);
                        expect(String(answer.headers.vary).includes('authorization'), what).to.equal(!isForAll);
                    }
                }

                if (isRead && rule.shows !== undefined && state !== 'public') {
                    await server.database.db.raw('delete from projects');
                    for (const [caller, answer] of notShown) {
                        const without = await ask(key, rule, made, caller);
                        expect(comparable(answer), `${key} of what is ${state}, as ${caller}, and without any project`).to.equal(comparable(without));
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
            const { body } = await server.call('GET', urlOf(project, made, caller), undefined, { token: tokens[caller] });
            expect(body.project.held).to.include({ reason: 'marked-reason' });
        }

        const all = await server.call('GET', `/users/${ids.user}/projects?visibility=all&count=100`, undefined, { token: tokens.owner });
        expect(all.body.projects.some((one: { id: string; held?: object }) => one.id === ids.project && one.held !== undefined)).to.be.true();
    });
});
