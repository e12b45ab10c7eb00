import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { MAX_ABOUT } from '../../../src/limits';
import { Cast, stored } from '../../support/cast';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, Call, TestServer } from '../../support/server';

export const lab = script();

lab.experiment('Accounts', () => {

    let server: TestServer;
    let cast: Cast;

    lab.before(async () => {
        server = await startTestServer({ config: { tokenTtl: 1000 } });
        cast = new Cast(server);
    });

    lab.after(() => server.stop());

    const create = (body: object): Promise<Answer> => server.call('POST', '/users', { username: 'someone', password: PASSWORD, ...body });

    /** A new account, and a function to send requests as its user. */
    const own = async (): Promise<{ id: string; username: string; ask: (method: string, body?: unknown, headers?: Call['headers']) => Promise<Answer> }> => {
        const { id, username } = await cast.account();
        const token = await cast.token(id);
        return { id, username, ask: (method, body, headers) => server.call(method, `/users/${id}`, body, { token, headers }) };
    };

    lab.test('opening one returns the user, with a first token that works', async () => {
        const { status, headers, body } = await create({ username: 'Ada_1-x', language: 'pt_BR' });
        expect(status).to.equal(201);
        expect(headers.location).to.equal(`/users/${body.user.id}`);
        expect(Object.keys(body).sort()).to.equal(['status', 'token', 'user']);
        expect(body.status).to.equal('created');
        expect(body.user).to.equal({
            id: body.user.id,
            username: 'Ada_1-x',
            revision: 1,
            locale: { language: 'pt-BR' },
            history: { created_at: body.user.history.created_at, updated_at: body.user.history.created_at },
            permissions: { staff: false, moderator: false, teacher: false },
            about: '',
            managed: null
        });
        expect(body.user.id).to.match(/^[1-9][0-9]*$/);
        expect(body.user.history.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(body.token).to.include({ token_type: 'token', scope: ['user', 'projects'], label: null });
        expect(Date.parse(body.token.expires_at) - Date.parse(body.token.created_at)).to.equal(1_000_000);

        const shown = await server.call('GET', `/users/${body.user.id}`, undefined, { token: body.token.access_token });
        expect(shown.status).to.equal(200);
        expect(shown.body).to.equal({ status: 'success', user: body.user });
    });

    lab.test('the limits of each field hold, counted in code points', async () => {
        const good = [
            [{ username: 'a', password: '12345678' }, 'en'],
            [{ username: 'x'.repeat(20), password: '😀'.repeat(256), language: 'en' }, 'en'],
            [{ username: '-_-', password: '😀'.repeat(8), language: 'zh-Hans' }, 'zh-Hans'],
            [{ username: '0', password: ' '.repeat(8), language: 'sr@latin' }, 'sr@latin'],
            [{ username: '__proto__', language: 'ca.valencia' }, 'ca.valencia'],
            [{ username: 'constructor', language: 'zh_Hans_TW' }, 'zh-Hans-TW'],
            [{ username: 'null', language: 'abcdefgh-23456789-12' }, 'abcdefgh-23456789-12'],
            // As in the older service's list of translators' tags.
            [{ username: 'mw', language: 'mw1' }, 'mw1'],
            [{ username: 'be', language: 'be@tarask' }, 'be@tarask'],
            [{ username: 'bn', language: 'bn_IN' }, 'bn-IN'],
            [{ username: 'long', language: 'x'.repeat(20) }, 'x'.repeat(20)]
        ] as const;
        for (const [body, language] of good) {
            const answer = await create(body);
            expect(answer.status, answer.text).to.equal(201);
            expect(answer.body.user).to.include({ username: body.username, locale: { language } });
        }

        const bad = [
            [{ username: '' }, 'username'], [{ username: 'x'.repeat(21) }, 'username'], [{ username: 'two words' }, 'username'],
            [{ username: 'a\n' }, 'username'], [{ username: 1 }, 'username'], [{ username: null }, 'username'], [{ username: undefined }, 'username'],
            [{ username: ['a'] }, 'username'],
            [{ password: '1234567' }, 'password'], [{ password: '😀'.repeat(7) }, 'password'], [{ password: '😀'.repeat(257) }, 'password'], [{ password: 'x'.repeat(257) }, 'password'],
            [{ password: '' }, 'password'], [{ password: null }, 'password'], [{ password: undefined }, 'password'], [{ password: 12345678 }, 'password'],
            [{ password: 'pass\u0000word' }, 'password'], [{ password: 'password\udc00' }, 'password'],
            [{ language: 'e' }, 'language'], [{ language: 'x'.repeat(21) }, 'language'], [{ language: '1mw' }, 'language'], [{ language: 'en--GB' }, 'language'], [{ language: 'en/GB' }, 'language'], [{ language: 'é1' }, 'language'], [{ language: 'english language' }, 'language'], [{ language: '12' }, 'language'],
            [{ language: 'en-' }, 'language'], [{ language: '-en' }, 'language'], [{ language: '' }, 'language'], [{ language: null }, 'language'], [{ language: 5 }, 'language'],
            [{ moderator: true }, 'moderator'], [{ id: '1' }, 'id'], [{ scope: ['user'] }, 'scope'], [{ revision: 1 }, 'revision']
        ] as const;
        const before = await stored(server);
        for (const [body, path] of bad) {
            const answer = await create({ username: 'refused', ...body });
            expect({ status: answer.status, code: answer.body.code }, JSON.stringify(body)).to.equal({ status: 400, code: 'validation_failed' });
            expect(answer.body.details.map((detail: { path: string }) => detail.path)).to.include(path);
            expect(answer.text).to.not.include(PASSWORD);
        }

        expect(await stored(server)).to.equal(before);
    });

    lab.test('a name belongs to one user in any case, also after the account is deleted', async () => {
        const { body } = await create({ username: 'Unique' });
        const changing = await own();
        const before = await stored(server);
        const refusals = async (): Promise<void> => {
            for (const username of ['Unique', 'unique', 'UNIQUE']) {
                for (const answer of [await create({ username }), await changing.ask('PATCH', { username })]) {
                    expect(answer.status).to.equal(409);
                    expect(answer.body).to.include({ code: 'username_taken', message: 'That username is taken. Choose another one.' });
                }
            }
        };

        await refusals();
        expect(await stored(server)).to.equal(before);
        expect((await server.call('DELETE', `/users/${body.user.id}`, undefined, { token: body.token.access_token })).status).to.equal(200);
        await refusals();

        // A user may change the case of their own name.
        const { body: { user } } = await changing.ask('PATCH', { username: changing.username.toUpperCase() });
        expect(user.username).to.equal(changing.username.toUpperCase());
    });

    lab.test('if ten users want one name at the same time, one gets it', async () => {
        const answers = await Promise.all(Array.from({ length: 10 }, (_value, index) => create({ username: index % 2 ? 'Wanted' : 'wanted' })));
        expect(answers.map(({ status }) => status).sort()).to.equal([201, ...Array.from({ length: 9 }, () => 409)]);
    });

    lab.test('a change replaces the fields that it names, and keeps the rest', async () => {
        const { ask, username } = await own();
        const { body: { user: first } } = await ask('GET');
        const language = await ask('PATCH', { language: 'fr_CA' });
        expect(language.status).to.equal(200);
        expect(language.body).to.include({ status: 'updated' });
        expect(language.body.user).to.include({ username, revision: 2, locale: { language: 'fr-CA' } });
        expect(language.body.user.history.created_at).to.equal(first.history.created_at);

        const name = await ask('PATCH', { username: `${username}-x` });
        expect(name.body.user).to.include({ username: `${username}-x`, revision: 3, locale: { language: 'fr-CA' } });
        expect((await ask('GET')).body.user).to.equal(name.body.user);
    });

    lab.test('a change without fields, or of fields that cannot be changed, is rejected', async () => {
        const { ask } = await own();
        const before = await stored(server);
        const cases = [
            [{}, ''], [undefined, ''], [{ revision: 1 }, ''], [{ username: null }, 'username'], [{ language: null }, 'language'], [{ language: 'en', revision: null }, 'revision'],
            [{ language: 'en', revision: '1' }, 'revision'], [{ language: 'en', revision: 0 }, 'revision'], [{ language: 'en', revision: 1.5 }, 'revision'],
            [{ language: 'en', revision: 2 ** 31 }, 'revision'], [{ password: PASSWORD }, 'password'], [{ permissions: { moderator: true } }, 'permissions'], [[], ''], ['x', '']
        ] as const;
        for (const [body, path] of cases) {
            const answer = await ask('PATCH', typeof body === 'string' ? `"${body}"` : body);
            expect({ status: answer.status, code: answer.body.code }, JSON.stringify(body)).to.equal({ status: 400, code: 'validation_failed' });
            expect(answer.body.details.map((detail: { path: string }) => detail.path)).to.include(path);
        }

        expect(await stored(server)).to.equal(before);
        const { body: { details } } = await ask('PATCH', { username: '', language: '', revision: 0, more: 1 });
        expect(details.map((detail: { path: string }) => detail.path).sort()).to.equal(['language', 'more', 'revision', 'username']);
    });

    lab.test('a user has a line about themselves of at most 200 characters, which goes with the account', async () => {
        const { id, ask } = await own();
        for (const about of ['I draw birds. 🐦', '', 'أرسم الطيور', '🌿'.repeat(MAX_ABOUT), '<b>"bold"</b>']) {
            const { status, body: { user } } = await ask('PATCH', { about });
            expect({ status, about: user.about }).to.equal({ status: 200, about });
            expect((await ask('GET')).body.user).to.equal(user);
        }

        const before = await stored(server);
        for (const about of ['x'.repeat(MAX_ABOUT + 1), 'two\nlines', 'two\u2028lines', 'two\u2029lines', 'two\u0085lines', 'a\rb', 'a\tb', 'a\u0000b', 'a\u001bb', 'a\ud800b', null, 5, ['a']]) {
            const answer = await ask('PATCH', { about });
            expect({ status: answer.status, path: answer.body.details?.[0].path }, JSON.stringify(about)).to.equal({ status: 400, path: 'about' });
        }

        expect((await create({ username: 'early', about: 'x' })).status).to.equal(400);
        expect(await stored(server)).to.equal(before);

        // Projects show their author without it.
        const token = await cast.token(id);
        const { body: { project } } = await server.call('POST', `/users/${id}/projects`, { title: 'Mine' }, { token });
        expect(project.author).to.not.include('about');

        expect((await ask('DELETE', {})).body.user.about).to.equal('');
        expect((await server.database.db('users').where({ id }).first('about')).about).to.equal('');
    });

    // If-Match, revision in the body, expected status if the account is at revision 3
    const preconditions = [
        [undefined, undefined, 200],
        [undefined, 3, 200],
        [undefined, 2, 409],
        [undefined, 4, 409],
        ['"3"', undefined, 200],
        ['"2"', undefined, 412],
        ['*', undefined, 200],
        [' * ', undefined, 200],
        ['"1", "3"', undefined, 200],
        ['"1","2" , "4"', undefined, 412],
        ['"3-gzip"', undefined, 200],
        ['"3-deflate"', undefined, 200],
        ['"2-gzip"', undefined, 412],
        ['"-gzip3"', undefined, 412],
        // In quotes it is an ordinary tag.
        ['"*"', undefined, 412],
        // RFC 9110 section 13.1.1: a weak tag never matches here.
        ['W/"3"', undefined, 412],
        ['W/"3", "3"', undefined, 200],
        ['3', undefined, 412],
        ['"03"', undefined, 412],
        ['""', undefined, 412],
        ['"\u00e9"', undefined, 412],
        ['"3"', 3, 200],
        ['"3"', 2, 409],
        ['"2"', 3, 409],
        ['*', 2, 409]
    ] as const;
    for (const method of ['PATCH', 'DELETE']) {
        lab.test(`${method} is made against the revision it states`, async () => {
            for (const [ifMatch, revision, status] of preconditions) {
                const { id, ask } = await own();
                await server.database.db.raw('update users set revision = 3 where id = ?', [id]);
                const { body: { user } } = await ask('GET');
                const before = await stored(server);

                const body = { ...method === 'PATCH' && { language: 'de' }, ...revision !== undefined && { revision } };
                const answer = await ask(method, body, ifMatch === undefined ? {} : { 'if-match': ifMatch });

                expect(answer.status, `${ifMatch} ${revision}`).to.equal(status);
                expect(await stored(server) === before).to.equal(status !== 200);
                if (status === 200) {
                    expect(answer.body.user.revision).to.equal(4);
                }
                else {
                    expect(answer.body).to.include({ statusCode: status, code: 'revision_conflict', current: user });
                    expect(answer.body.request_id).to.equal(answer.headers['x-request-id']);
                }
            }
        });
    }

    lab.test('if two write with one revision, exactly one wins', async () => {
        const { ask } = await own();
        for (let revision = 1; revision <= 10; ++revision) {
            const answers = await Promise.all(['de', 'fr', 'it'].map((language) => ask('PATCH', { language, revision })));
            expect(answers.map(({ status }) => status).sort()).to.equal([200, 409, 409]);
        }
    });

    // If-None-Match if the account is at revision 2, and whether the client has it
    const held = [
        ['"2"', true], ['W/"2"', true], ['"1", "2"', true], ['*', true], [' *', true], ['"2-gzip"', true], ['"1"', false], ['2', false], ['', false], ['"22"', false], ['W/"1"', false], ['"-gzip2"', false], ['"*"', false]
    ] as const;
    lab.test('a client that has the account\'s tag gets 304 with an empty body', async () => {
        const { ask } = await own();
        await ask('PATCH', { language: 'de' });
        const fresh = await ask('GET');
        expect(fresh.headers.etag).to.equal('"2"');
        for (const [ifNoneMatch, has] of held) {
            for (const method of ['GET', 'HEAD']) {
                const answer = await ask(method, undefined, { 'if-none-match': ifNoneMatch });
                expect(answer.status, ifNoneMatch).to.equal(has ? 304 : 200);
                expect(answer.headers.etag).to.equal('"2"');
                expect(answer.text).to.equal(has || method === 'HEAD' ? '' : fresh.text);
            }
        }

        await ask('PATCH', { language: 'fr' });
        const moved = await ask('GET', undefined, { 'if-none-match': '"2"' });
        expect(moved.status).to.equal(200);
        expect(moved.headers.etag).to.equal('"3"');
    });

    lab.test('deleting an account makes everything of it 404 at once', async () => {
        const target = await cast.target();
        const other = await cast.target();
        const [token, second] = [await cast.token(target.user), await cast.token(target.user)];
        const project = `/users/${target.user}/projects/${target.project}`;
        const urls = [
            `/users/${target.user}/projects`, project, `/projects/${target.project}`, `${project}/pages`, `${project}/pages/${target.page}`,
            `${project}/pages/${target.page}/elements`, `${project}/pages/${target.page}/elements/${target.element}`, `${project}/remixes`
        ];
        for (const url of urls) {
            expect((await server.call('GET', url)).status, url).to.equal(200);
        }

        const { status, body } = await server.call('DELETE', `/users/${target.user}`, {}, { token });
        expect(status).to.equal(200);
        expect(body.status).to.equal('deleted');
        expect(body.user).to.include({ id: target.user, username: target.username, revision: 2 });

        for (const url of urls) {
            expect((await server.call('GET', url)).status, url).to.equal(404);
        }

        for (const each of [token, second]) {
            expect((await server.call('GET', '/tokens', undefined, { token: each })).status).to.equal(401);
            expect((await server.call('DELETE', `/users/${target.user}`, undefined, { token: each })).status).to.equal(401);
        }

        expect((await server.call('POST', '/tokens', { username: target.username, password: PASSWORD })).status).to.equal(401);
        expect((await server.call('POST', `/view-project/${target.project}`)).status).to.equal(404);
        const stranger = await cast.token(other.user);
        expect((await server.call('GET', `/users/${target.user}`, undefined, { token: stranger })).status).to.equal(404);
        expect((await server.call('POST', `${project}/remixes`, undefined, { token: stranger })).status).to.equal(404);

        const { rows: [left] } = await server.database.db.raw(`
            select (select count(*)::int from tokens where user_id = ?) as tokens,
                (select count(*)::int from projects where user_id = ? and deleted_at is null) as projects`, [target.user, target.user]);
        expect(left).to.equal({ tokens: 0, projects: 0 });

        // Nobody else's.
        expect((await server.call('GET', `/users/${other.user}/projects/${other.project}`)).status).to.equal(200);
        expect((await server.call('GET', '/tokens', undefined, { token: stranger })).status).to.equal(200);
    });

    lab.test('deleting an account writes to each existing project, and to none that was deleted before', async () => {
        const target = await cast.target();
        const token = await cast.token(target.user);
        const { headers } = await server.call('POST', `/users/${target.user}/projects`, { title: 'Gone' }, { token });
        await server.call('DELETE', String(headers.location), undefined, { token });
        const projects = async (): Promise<{ revision: number; deleted_at: Date | null }[]> => {
            const { rows } = await server.database.db.raw('select revision, deleted_at from projects where user_id = ? order by id', [target.user]);
            return rows;
        };

        const [there, gone] = await projects();
        expect((await server.call('DELETE', `/users/${target.user}`, undefined, { token })).status).to.equal(200);
        const [left, still] = await projects();
        expect(still).to.equal(gone);
        expect([there?.deleted_at, left?.revision]).to.equal([null, Number(there?.revision) + 1]);
    });

    lab.test('a sign-in while the account is being deleted leaves no token behind', async () => {
        for (let round = 0; round < 5; ++round) {
            const { id, username, ask } = await own();
            const [signedIn, deleted] = await Promise.all([server.call('POST', '/tokens', { username, password: PASSWORD }), ask('DELETE')]);
            expect(deleted.status).to.equal(200);
            expect([201, 401]).to.include(signedIn.status);
            const { rows } = await server.database.db.raw('select 1 from tokens where user_id = ?', [id]);
            expect(rows).to.equal([]);
        }
    });

    lab.test('no request here caused an internal error', () => {
        expect(server.faults).to.equal([]);
    });
});
