import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hashing } from '../../src/api/auth/secrets';
import { FEWEST_WORDS, listedLanguages, newUsername, wordsOf } from '../../src/classes/people/words';
import { MAX_NAMES, MAX_PUPILS, MAX_USERNAME } from '../../src/limits';
import { Cast } from '../support/cast';
import { until } from '../support/host';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

interface Pupil extends Actor {
    passphrase: string;
    url: string;
}

describe('accounts that a class manages', () => {
    let server: TestServer;
    let cast: Cast;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const call = (who: Pick<Actor, 'token'>, method: string, url: string, body?: unknown, headers = {}): Promise<Answer> => server.call(method, url, body, { token: who.token, headers });

    const classOf = async (fields: object = {}): Promise<{ url: string; code: string; ada: Actor }> => {
        const ada = await cast.teacher();
        const { body } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5', ...fields });
        return { url: `/classes/${body.class.id}`, code: body.code, ada };
    };

    /** Has passwords wait to be hashed. @returns how many waited before, and what ends it */
    const holdHashing = (): { others: number; end(): Promise<unknown> } => {
        const over = new AbortController();
        const held = sleep(60_000, undefined, { signal: over.signal }).catch(() => undefined);
        const busy = Array.from({ length: 4 }, (_one, n) => hashing.run(() => held, `busy ${n}`));
        return {
            others: hashing.ahead(),
            end: () => {
                over.abort();
                return Promise.all(busy);
            }
        };
    };

    const signIn = (username: string, password: string): Promise<Answer> => server.call('POST', '/tokens', { username, password });

    /** A managed account, by a token, as hashing takes long. */
    const pupilOf = async (ada: Actor, url: string, name = 'Ana S.'): Promise<Pupil> => {
        const { body, text } = await call(ada, 'POST', `${url}/pupils`, { names: [name] });
        expect(body.status, text).to.equal('created');
        const [{ user, passphrase }] = body.pupils;
        return { ...user, passphrase, url: `${url}/pupils/${user.id}`, token: await cast.token(user.id) };
    };

    it('are opened from a list, sign in with four words, and are pupils with these names', async () => {
        const { ada, url } = await classOf();
        const names = ['Ana S.', 'Ben B.', 'Ana S.', '安娜'];
        const made = await call(ada, 'POST', `${url}/pupils`, { names });
        expect(made.status).to.equal(201);
        expect(made.headers['cache-control']).to.equal('no-store');
        expect(made.body.pupils.map(({ name }: { name: string }) => name)).to.equal(names);
        expect(new Set(made.body.pupils.map(({ passphrase }: Pupil) => passphrase)).size).to.equal(4);
        for (const { user, passphrase } of made.body.pupils) {
            expect(passphrase.split(' ')).to.have.length(4);
            const { status, body } = await signIn(user.username, passphrase);
            expect(status).to.equal(201);
            expect(body.user).to.include({ username: user.username, managed: { class: url.slice('/classes/'.length), publish: 'class' } });
        }

        const { body: { pupils } } = await call(ada, 'GET', url);
        expect(pupils.map(({ name, managed }: { name: string; managed: boolean }) => [name, managed])).to.equal([['Ana S.', true], ['Ana S.', true], ['Ben B.', true], ['安娜', true]]);
        const [ana] = made.body.pupils;
        const seen = await call({ token: await cast.token(ana.user.id) }, 'GET', url);
        expect(seen.body.pupils.filter(({ user }: { user: Actor }) => user.username !== null).map(({ user }: { user: Actor }) => user.id)).to.equal([ana.user.id]);
    });

    it('are the whole list or nothing, within the limits', async () => {
        const { ada, url } = await classOf();
        for (const names of [[], Array(MAX_NAMES + 1).fill('x'), ['Ana', ''], ['Ana', 'x'.repeat(61)], ['Ana', 'two\nlines']]) {
            expect((await call(ada, 'POST', `${url}/pupils`, { names })).body.code).to.equal('validation_failed');
        }

        await server.database.db.raw(`
            with u as (insert into users (username) select 'm-' || nextval('users_id_seq') from generate_series(1, ${MAX_PUPILS - 1}) returning id)
            insert into class_people (class_id, user_id, role) select ${url.slice('/classes/'.length)}, id, 'pupil' from u`);
        expect((await call(ada, 'POST', `${url}/pupils`, { names: ['Ana', 'Ben'] })).body.code).to.equal('pupil_limit');
        expect((await call(ada, 'GET', url)).body.pupils).to.have.length(MAX_PUPILS - 1);
        expect((await call(ada, 'POST', `${url}/pupils`, { names: ['Ana'] })).status).to.equal(201);
    });

    it('are shown again to the same teacher with the same key, however short the names, and stored in the clear nowhere', async () => {
        const { ada, url } = await classOf();
        const eve = await cast.teacher();
        await call(ada, 'PUT', `${url}/teachers/${eve.username}`, {});
        const headers = { 'idempotency-key': 'a-key-of-a-roster' };
        const body = { names: Array.from({ length: 60 }, () => 'A') };
        const first = await call(ada, 'POST', `${url}/pupils`, body, headers);
        expect(first.status).to.equal(201);
        expect((await call(ada, 'POST', `${url}/pupils`, body, headers)).text).to.equal(first.text);
        expect((await call(ada, 'GET', url)).body.pupils).to.have.length(60);

        const { rows: [{ found }] } = await server.database.db.raw(`
            select exists (select from users u where u::text like ?) or exists (select from class_people k where k::text like ?) or exists (select from idempotency_keys i where encode(i.answer, 'escape') like ?) as found`,
        Array(3).fill(`%${first.body.pupils[0].passphrase}%`));
        expect(found).to.be.false();

        await call(eve, 'DELETE', `${url}/teachers/${ada.username}`, {});
        expect((await call(ada, 'POST', `${url}/pupils`, body, headers)).body.code).to.equal('not_found');
    });

    it('are shown again to no teacher who was taken out while the request waited for its hashes', async () => {
        const { ada, url } = await classOf();
        const eve = await cast.teacher();
        await call(ada, 'PUT', `${url}/teachers/${eve.username}`, {});
        const send = (): Promise<Answer> => call(ada, 'POST', `${url}/pupils`, { names: ['Ana S.'] }, { 'idempotency-key': 'a-key-of-another-roster' });
        expect((await send()).status).to.equal(201);
        const { others, end } = holdHashing();
        const again = send();
        await until(() => hashing.ahead() > others);
        expect((await call(eve, 'DELETE', `${url}/teachers/${ada.username}`, {})).status).to.equal(200);
        await end();
        expect((await again).body.code).to.equal('not_found');
    });

    it('do not hold up sign-ins while they are made', async () => {
        const { ada, url } = await classOf();
        const ben = await cast.actor();
        const roster = call(ada, 'POST', `${url}/pupils`, { names: Array.from({ length: 40 }, (_one, n) => `Pupil ${n}`) });
        let isDone = false;
        void roster.then(() => {
            isDone = true;
        });
        expect((await signIn(ben.username, 'wrong password')).status).to.equal(401);
        expect(isDone).to.be.false();
        expect((await roster).status).to.equal(201);
    });

    it('are not made, and their pass-phrases not hashed, once the teacher has left', async () => {
        const { ada, url } = await classOf();
        await server.server.start();
        const { others, end } = holdHashing();
        const gone = new AbortController();
        const answer = fetch(`http://127.0.0.1:${server.server.info.port}${url}/pupils`, {
            method: 'POST', signal: gone.signal, headers: { 'authorization': `token ${ada.token}`, 'content-type': 'application/json' }, body: JSON.stringify({ names: ['Ana', 'Ben'] })
        });
        await until(() => hashing.ahead() > others);
        gone.abort();
        await expect(answer).to.reject();
        await until(() => hashing.ahead() === others);
        await end();
        expect((await call(ada, 'GET', url)).body.pupils).to.equal([]);
    });

    it('get a new pass-phrase, which ends all sign-ins', async () => {
        const { ada, url } = await classOf();
        const ana = await pupilOf(ada, url);
        const { body, headers } = await call(ada, 'PATCH', ana.url, { passphrase: true, name: 'Ana' });
        expect(headers['cache-control']).to.equal('no-store');
        expect(body.pupil.name).to.equal('Ana');
        expect((await call(ana, 'GET', '/users/me')).status).to.equal(401);
        expect((await signIn(ana.username, ana.passphrase)).status).to.equal(401);
        expect((await signIn(ana.username, body.passphrase)).status).to.equal(201);
        expect((await call(ada, 'PATCH', ana.url, { name: 'Ana S.' })).body.passphrase).to.be.undefined();

        const { ada: other, url: elsewhere } = await classOf();
        expect((await call(other, 'PATCH', `${elsewhere}/pupils/${ana.id}`, { passphrase: true })).body.code).to.equal('not_found');
    });

    it('are no accounts of those who joined by a code', async () => {
        const { ada, url, code } = await classOf();
        const ben = await cast.actor();
        await call(ben, 'POST', '/classes', { code });
        expect((await call(ada, 'PATCH', `${url}/pupils/${ben.id}`, { passphrase: true })).body.code).to.equal('forbidden');
        expect((await call(ada, 'DELETE', `${url}/pupils/${ben.id}?account=remove`, {})).body.code).to.equal('forbidden');
        expect((await call(ben, 'GET', '/users/me')).body.user).to.include({ managed: null });
        await call(ada, 'DELETE', `${url}?accounts=remove`, {});
        expect((await call(ben, 'GET', '/users/me')).status).to.equal(200);
    });

    it('cannot change their name, be closed, leave, join, teach, and have no other way in, apps or personal tokens', async () => {
        const { ada, url } = await classOf({ publish: 'everybody' });
        const { code } = await classOf();
        const ana = await pupilOf(ada, url);
        const refused: [string, string, object][] = [
            ['PATCH', '/users/me', { username: 'other' }], ['DELETE', '/users/me', {}], ['DELETE', ana.url, {}], ['POST', '/classes', { code }],
            ['POST', '/users/me/apps', { name: 'A', url: 'https://a.example', redirect_uris: ['https://a.example/x'] }],
            ['POST', '/users/me/tokens', { label: 'x', scope: ['projects'] }], ['POST', '/users/me/recovery-codes', {}]
        ];
        for (const [method, path, body] of refused) {
            expect((await call(ana, method, path, body)).body.code, `${method} ${path}`).to.equal('managed_account');
        }

        await server.database.db.raw('update users set teacher = true where id = ?', [ana.id]);
        expect((await call(ana, 'POST', '/users/me/classes', { title: 'Mine' })).body.code).to.equal('forbidden');
        expect((await call(ada, 'PUT', `${url}/teachers/${ana.username}`, {})).body.code).to.equal('no_teacher');
        expect((await call(ana, 'PATCH', '/users/me', { language: 'pt', about: 'Plants' })).status).to.equal(200);
    });

    it('become ordinary ones if they are taken out, or with the class', async () => {
        const { ada, url } = await classOf();
        const [ana, ben] = [await pupilOf(ada, url), await pupilOf(ada, url)];
        expect((await call(ada, 'DELETE', ana.url, {})).body.pupil.user.id).to.equal(ana.id);
        await call(ada, 'DELETE', url, {});
        for (const who of [ana, ben]) {
            expect((await signIn(who.username, who.passphrase)).body.user.managed).to.equal(null);
            expect((await call(who, 'POST', '/users/me/projects', { title: 'Mine' })).body.project.visibility).to.equal('public');
            expect((await call(who, 'GET', url)).status).to.equal(404);
        }
    });

    it('are removed with all that is theirs, one or all, and come back if an operator restores them', async () => {
        const { ada, url } = await classOf();
        const [ana, ben] = [await pupilOf(ada, url), await pupilOf(ada, url)];
        const { body: { project } } = await call(ben, 'POST', '/users/me/projects', { title: 'Mine' });
        expect((await call(ada, 'DELETE', `${ana.url}?account=remove`, {})).body.pupil.user.id).to.equal(ana.id);
        expect((await call(ada, 'DELETE', `${ana.url}?account=remove`, {})).body.code).to.equal('not_found');
        expect((await call(ada, 'GET', url)).body.pupils.map(({ user }: { user: Actor }) => user.id)).to.equal([ben.id]);
        expect((await call(ada, 'DELETE', `${url}?accounts=remove`, {})).status).to.equal(200);
        for (const who of [ana, ben]) {
            expect((await signIn(who.username, who.passphrase)).status).to.equal(401);
            expect((await call(who, 'GET', '/users/me')).status).to.equal(401);
        }

        const { rows } = await server.database.db.raw('select deleted_at is not null and deletion_id is not null as gone from projects where id = ?', [project.id]);
        expect(rows).to.equal([{ gone: true }]);
    });

    it('have pass-phrases of at least 40 bits, in words that any keyboard has, and names that are no longer than others', async () => {
        for (const language of listedLanguages) {
            const words = await wordsOf(language);
            expect(words.length, language).to.be.at.least(FEWEST_WORDS);
            expect(new Set(words).size).to.equal(words.length);
            expect(words.filter((word) => !/^[a-z]{3,8}$/.test(word))).to.equal([]);
        }

        expect(await wordsOf('pt-BR')).to.equal(await wordsOf('pt'));
        for (const other of ['ru', 'ar', 'constructor']) {
            expect(await wordsOf(other)).to.equal(await wordsOf('en'));
        }

        // Nothing on the slip of a child is rude or of war, neither a word nor what two of them make together.
        const crude = ['anus', 'arse', 'caca', 'cazzo', 'cock', 'culo', 'cunt', 'dick', 'fuck', 'jizz', 'kurva', 'merda', 'mierda', 'nazi', 'nude', 'penis', 'piss', 'porn', 'puta', 'rape', 'sesso', 'sexo', 'shit', 'slut', 'suck', 'turd', 'twat', 'wank', 'whore'];
        for (const language of listedLanguages) {
            const words = await wordsOf(language);
            const made = crude.flatMap((word) => Array.from({ length: word.length - 1 }, (_, at) => [
                words.find((one) => one.endsWith(word.slice(0, at + 1))), words.find((one) => one.startsWith(word.slice(at + 1)))
            ]).filter(([first, second]) => first !== undefined && second !== undefined));
            expect(made, language).to.equal([]);
            expect(words.filter((word) => crude.some((one) => word.includes(one))), language).to.equal([]);
        }

        const english = await wordsOf('en');
        expect(english).to.not.include(['fitness']).and.to.not.include(['warfare']).and.to.not.include(['behind']);
        expect(Array.from({ length: 500 }, () => newUsername(english)).filter((name) => !/^[a-z]+-[a-z]+-(?!69|88)[2-9]\d$/.test(name))).to.equal([]);
        expect(Array.from({ length: 1000 }, () => newUsername(english)).filter((name) => name.length > MAX_USERNAME)).to.equal([]);
        expect(['abuse', 'weapon', 'sexo', 'pistol'].filter((word) => english.includes(word))).to.equal([]);
    });
});
