import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hashSecret, newSecret } from '../../src/api/auth/secrets';
import { PICTURES, pictureNames } from '../../src/classes/pictures/names';
import { MAX_CLASS_DEVICES } from '../../src/limits';
import { startWhileLocked } from '../support/authoring';
import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

interface Child {
    id: string;
    username: string;
    passphrase: string;
    pictures: string[];
    url: string;
}

interface Prepared {
    url: string;
    ada: Actor;
    ana: Child;
    ben: Child;
    /** of the device */
    secret: string;
    device: string;
}

describe('signing in with pictures', () => {
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

    const call = (who: Pick<Actor, 'token'> | undefined, method: string, url: string, body?: unknown, on = server): Promise<Answer> => on.call(method, url, body, who && { token: who.token });

    const done = async (answer: Promise<Answer>, status = 200): Promise<Answer> => {
        const given = await answer;
        expect(given.status, given.text).to.equal(status);
        return given;
    };

    const classOf = async (fields: object = {}, by = cast, on = server): Promise<{ url: string; ada: Actor }> => {
        const ada = await by.teacher();
        const { body } = await done(call(ada, 'POST', '/users/me/classes', { title: 'Year 1', ...fields }, on), 201);
        return { url: `/classes/${body.class.id}`, ada };
    };

    const prepare = async ({ url, ada }: { url: string; ada: Actor }, on = server): Promise<{ secret: string; device: string }> => {
        const { body: { code } } = await done(call(ada, 'POST', `${url}/devices`, {}, on), 201);
        const { body } = await done(call(undefined, 'POST', '/class-devices', { code, label: 'The tablet' }, on), 201);
        return { secret: body.secret, device: body.device.id };
    };

    /** A class with two children who have pictures, and a device. */
    const prepared = async (by = cast, on = server): Promise<Prepared> => {
        const made = await classOf({ picture_sign_in: true }, by, on);
        const { body: { pupils: [ana, ben] } } = await done(call(made.ada, 'POST', `${made.url}/pupils`, { names: ['Ana S.', 'Ben B.'] }, on), 201);
        const child = ({ user, passphrase, pictures }: { user: Actor; passphrase: string; pictures: string[] }): Child => ({ ...user, passphrase, pictures, url: `${made.url}/pupils/${user.id}` });
        return { ...made, ...await prepare(made, on), ana: child(ana), ben: child(ben) };
    };

    const enter = (secret: string, { id, pictures }: Pick<Child, 'id' | 'pictures'>, on = server): Promise<Answer> => on.call('POST', '/class-devices/tokens', { device: secret, pupil: id, pictures });

    /** How a try to sign in ends. */
    const tried = async (...what: Parameters<typeof enter>): Promise<string> => {
        const { status, body } = await enter(...what);
        return status === 201 ? 'signed in' : `${status} ${body.code}`;
    };

    const names = (secret: string): Promise<Answer> => server.call('POST', '/class-devices/pupils', { device: secret });

    it('is off unless a teacher allows it', async () => {
        const { url, ada } = await classOf();
        expect((await call(ada, 'GET', url)).body.class.picture_sign_in).to.be.false();
        const { body: { pupils: [{ user, pictures }] } } = await done(call(ada, 'POST', `${url}/pupils`, { names: ['Ana'] }), 201);
        expect(pictures).to.be.undefined();
        for (const [method, path, body] of [['POST', '/devices', {}], ['PATCH', `/pupils/${user.id}`, { pictures: true }]] as const) {
            expect((await call(ada, method, url + path, body)).body.code).to.equal('pictures_off');
        }

        expect((await done(call(ada, 'PATCH', url, { picture_sign_in: true }))).body.class.picture_sign_in).to.be.true();
        const given = (await done(call(ada, 'PATCH', `${url}/pupils/${user.id}`, { pictures: true }))).body;
        expect(given.pupil.has_pictures).to.be.true();
        expect(await tried((await prepare({ url, ada })).secret, { id: user.id, pictures: given.pictures })).to.equal('signed in');
    });

    it('takes the pictures of the pupil, in their order, and a prepared device of the class', async () => {
        const { ana, ben, secret, ada, url } = await prepared();
        expect([ana, ben].map(({ pictures }) => pictures.length)).to.equal([PICTURES, PICTURES]);
        expect(new Set(ana.pictures).size).to.equal(PICTURES);
        const { status, body, headers } = await enter(secret, ana);
        expect([status, headers['cache-control']]).to.equal([201, 'no-store']);
        expect(body.user).to.include({ id: ana.id, username: ana.username, managed: { class: url.slice('/classes/'.length), publish: 'class' } });
        expect(body.token).to.include({ origin: 'sign_in', scope: ['user', 'projects'] });
        expect(String(headers['set-cookie'])).to.match(/^device=/);
        const me = { token: body.token.access_token };
        await done(call(me, 'POST', '/users/me/projects', { title: 'Mine' }), 201);
        await done(call(me, 'GET', '/tokens'));

        const elsewhere = await prepared();
        const wrong: [string, Pick<Child, 'id' | 'pictures'>][] = [
            [secret, { ...ana, pictures: ana.pictures.toReversed() }], [secret, { ...ana, id: ben.id, pictures: ['key', 'key', 'key'] }], [newSecret(), ana], [elsewhere.secret, ana], [secret, { ...ana, id: ada.id }], [secret, { ...ana, id: '999999999' }]
        ];
        for (const [device, who] of wrong) {
            expect(await tried(device, who)).to.equal('401 wrong_credentials');
        }

        // Without the device they are no password.
        expect((await server.call('POST', '/tokens', { username: ana.username, password: ana.pictures.join(' ') })).status).to.equal(401);
        for (const pictures of [ana.pictures.slice(1), [...ana.pictures, 'cat'], ['cat', 'moon', 'dragon'], undefined]) {
            expect((await server.call('POST', '/class-devices/tokens', { device: secret, pupil: ana.id, pictures })).body.code).to.equal('validation_failed');
        }
    });

    it('has a secret of more than 40 bits, which is stored in the clear nowhere', async () => {
        const { ana, secret, url, ada } = await prepared();
        const choices = Array.from({ length: PICTURES }, (_, n) => pictureNames.length - n).reduce((product, left) => product * left);
        expect(Buffer.from(secret, 'base64url').length * 8 + Math.log2(choices)).to.be.above(40);
        expect(new Set(pictureNames).size).to.equal(pictureNames.length);
        const { body: { code } } = await done(call(ada, 'POST', `${url}/devices`, {}), 201);
        const { rows: [stored] } = await server.database.db.raw('select (select hash from class_pictures where user_id = ?) as pictures, (select json_agg(d)::text from class_devices d) as devices', [ana.id]);
        expect(stored.pictures).to.match(/^\$argon2id\$/);
        expect(stored.devices).to.contain(hashSecret(secret).toString('hex')).and.to.not.contain(secret).and.to.not.contain(code);
    });

    it('prepares a device with a code that works once, for a while', async () => {
        const { url, ada } = await classOf({ picture_sign_in: true });
        const { body: { code, device } } = await done(call(ada, 'POST', `${url}/devices`, {}), 201);
        expect(device).to.include({ ready: false, label: null });
        // It is not the secret.
        expect((await names(code)).status).to.equal(404);
        const answers = await Promise.all([1, 2, 3].map(() => call(undefined, 'POST', '/class-devices', { code })));
        expect(answers.map(({ status }) => status).sort()).to.equal([201, 404, 404]);
        expect((await call(undefined, 'POST', '/class-devices', { code: newSecret() })).status).to.equal(404);
        expect((await call(ada, 'GET', `${url}/devices`)).body.devices.map(({ id, ready }: { id: string; ready: boolean }) => [id, ready])).to.equal([[device.id, true]]);

        const { body: late } = await done(call(ada, 'POST', `${url}/devices`, {}), 201);
        await server.database.db.raw(`update class_devices set code_expires_at = now() - interval '1 second' where id = ?`, [late.device.id]);
        expect((await call(undefined, 'POST', '/class-devices', { code: late.code })).status).to.equal(404);
        expect((await call(ada, 'GET', `${url}/devices`)).body.devices).to.have.length(1);

        // What was never used does not count.
        await server.database.db.raw(`insert into class_devices (class_id, hash) select ?, sha256(n::text::bytea) from generate_series(2, ${MAX_CLASS_DEVICES}) n`, [url.slice('/classes/'.length)]);
        expect((await call(ada, 'POST', `${url}/devices`, {})).body.code).to.equal('class_device_limit');
        await done(call(ada, 'DELETE', `${url}/devices/${device.id}`, {}));
        await done(call(ada, 'POST', `${url}/devices`, {}), 201);
    });

    it('is for teachers of the class alone to set up, signed in', async () => {
        const { url, ada, ana, ben, secret, device } = await prepared();
        const [cot, eve] = [await cast.teacher(), await cast.actor()];
        await done(call(ada, 'PUT', `${url}/teachers/${cot.username}`, {}), 201);
        await done(call(eve, 'POST', '/classes', { code: (await call(ada, 'GET', url)).body.code }));
        const { body: script } = await done(call(ada, 'POST', '/users/me/tokens', { label: 'x', scope: ['projects'] }), 201);
        const { ada: other } = await classOf({ picture_sign_in: true });
        const child = { token: (await enter(secret, ben)).body.token.access_token };
        const routes: readonly (readonly [method: string, path: string, body: object | undefined, status: number])[] = [
            ['POST', `${url}/devices`, {}, 201], ['GET', `${url}/devices`, undefined, 200], ['DELETE', `${url}/devices/${device}`, {}, 200],
            ['PATCH', ana.url, { pictures: true }, 200], ['PATCH', ana.url, { pictures: false }, 200], ['PATCH', url, { picture_sign_in: false }, 200]
        ];
        const callers: readonly (readonly [who: Pick<Actor, 'token'> | undefined, expected: string])[] = [
            [undefined, '401 invalid_token'], [await cast.actor(), '404 not_found'], [await cast.actor('moderator'), '404 not_found'], [other, '404 not_found'],
            [child, '403 forbidden'], [eve, '403 forbidden'], [{ token: script.token.access_token }, '403 sign_in_needed'], [cot, 'done']
        ];
        for (const [who, expected] of callers) {
            for (const [method, path, body, ok] of routes) {
                const { status, body: answer } = await call(who, method, path, body);
                expect(status === ok ? 'done' : `${status} ${answer.code}`, `${method} ${path}`).to.equal(expected);
            }
        }

        // Accounts that pupils have opened themselves are theirs.
        await done(call(ada, 'PATCH', url, { picture_sign_in: true }));
        expect((await call(ada, 'PATCH', `${url}/pupils/${eve.id}`, { pictures: true })).body.code).to.equal('forbidden');
        expect((await call(ada, 'PATCH', `${url}/pupils/999999`, { pictures: true })).body.code).to.equal('not_found');
    });

    it('shows names on prepared devices of the class alone, and nowhere pictures', async () => {
        const { url, ada, ana, ben, secret } = await prepared();
        const eve = await cast.actor();
        await done(call(eve, 'POST', '/classes', { code: (await call(ada, 'GET', url)).body.code }));
        const { body } = await done(names(secret));
        expect(body).to.equal({ status: 'success', class: { id: url.slice('/classes/'.length), title: 'Year 1' }, pupils: [{ id: ana.id, name: 'Ana S.' }, { id: ben.id, name: 'Ben B.' }] });
        const elsewhere = await prepared();
        expect((await names(elsewhere.secret)).text).to.not.contain(ana.id);
        expect((await names(newSecret())).text).to.not.contain('Ana');
        expect((await names(newSecret())).status).to.equal(404);
        for (const path of [url, `${url}/devices`, `/class${url.slice('/classes'.length)}`]) {
            expect((await call(undefined, 'GET', path)).text, path).to.not.contain('Ana S.');
        }

        // Classmates do not see who has pictures, nor anybody which.
        const pupils = async (who: Pick<Actor, 'token'>): Promise<unknown> => (await call(who, 'GET', url)).body.pupils.map(({ has_pictures: has }: { has_pictures: boolean }) => has);
        expect(await pupils(eve)).to.equal([false, false, false]);
        expect(await pupils(ada)).to.equal([true, true, false]);
        expect((await call(ada, 'GET', url)).text).to.not.contain(`"${ana.pictures[0]}"`);
        await done(call(ada, 'PATCH', ana.url, { pictures: false }));
        expect((await names(secret)).body.pupils).to.equal([{ id: ben.id, name: 'Ben B.' }]);
    });

    it('ends at once with whatever ends it, and what was signed in so', async () => {
        /** What becomes of the token of the pass-phrase, and of another child's next try. */
        const ends: readonly (readonly [what: string, end: (made: Prepared) => Promise<Answer>, byPassphrase: number, another: string])[] = [
            ['the setting', ({ ada, url }) => call(ada, 'PATCH', url, { picture_sign_in: false }), 200, '401 wrong_credentials'],
            ['the class', ({ ada, url }) => call(ada, 'DELETE', url, {}), 200, '401 wrong_credentials'],
            ['the class with its accounts', ({ ada, url }) => call(ada, 'DELETE', `${url}?accounts=remove`, {}), 401, '401 wrong_credentials'],
            ['taking the pupil out', ({ ada, ana }) => call(ada, 'DELETE', ana.url, {}), 200, 'signed in'],
            ['closing the account', ({ ada, ana }) => call(ada, 'DELETE', `${ana.url}?account=remove`, {}), 401, 'signed in'],
            ['a new pass-phrase', ({ ada, ana }) => call(ada, 'PATCH', ana.url, { passphrase: true }), 401, 'signed in'],
            ['new pictures', ({ ada, ana }) => call(ada, 'PATCH', ana.url, { pictures: true }), 200, 'signed in'],
            ['taking the pictures away', ({ ada, ana }) => call(ada, 'PATCH', ana.url, { pictures: false }), 200, 'signed in'],
            ['the device', ({ ada, url, device }) => call(ada, 'DELETE', `${url}/devices/${device}`, {}), 200, '401 wrong_credentials']
        ];
        for (const [what, end, byPassphrase, another] of ends) {
            const made = await prepared();
            const { ana, ben, secret, url, ada } = made;
            const { body: { token: { access_token: pictures } } } = await done(enter(secret, ana), 201);
            const { body: { token: { access_token: passphrase } } } = await done(server.call('POST', '/tokens', { username: ana.username, password: ana.passphrase }), 201);
            await done(end(made));
            const statuses = await Promise.all([pictures, passphrase].map(async (token) => (await call({ token }, 'GET', '/users/me')).status));
            expect(statuses, what).to.equal([401, byPassphrase]);
            expect(await tried(secret, ana), what).to.equal('401 wrong_credentials');
            expect(await tried(secret, ben), what).to.equal(another);
            // It does not come back by itself.
            await call(ada, 'PATCH', url, { picture_sign_in: true });
            expect(await tried(secret, ana), what).to.equal('401 wrong_credentials');
        }
    });

    it('ends with the pass-phrase that a pupil changes', async () => {
        const { ana, secret } = await prepared();
        const { body: { token } } = await done(enter(secret, ana), 201);
        const { body: other } = await done(enter(secret, ana), 201);
        await done(call({ token: token.access_token }, 'PUT', `/users/${ana.id}/password`, { current_password: ana.passphrase, password: 'another one for me' }));
        const statuses = await Promise.all([token, other.token].map(async ({ access_token: one }) => (await call({ token: one }, 'GET', '/users/me')).status));
        expect(statuses).to.equal([200, 401]);
        expect(await tried(secret, ana)).to.equal('401 wrong_credentials');
    });

    it('waits while the pupil is paused, who reads on', async () => {
        const { ada, ana, ben, secret } = await prepared();
        const { body: { token } } = await done(enter(secret, ana), 201);
        await done(call(ada, 'PUT', `${ana.url}/pause`, { until: '2036-04-01T12:00:00Z' }));
        const refused = await enter(secret, ana);
        expect([refused.status, refused.body.code]).to.equal([403, 'paused']);
        expect(refused.body.message).to.contain('2036-04-01T12:00:00.000Z');
        expect(await tried(secret, ben)).to.equal('signed in');
        const me = { token: token.access_token };
        expect((await call(me, 'GET', '/users/me')).status).to.equal(200);
        expect((await call(me, 'POST', '/users/me/projects', { title: 'Mine' })).body.code).to.equal('paused');
        await done(call(ada, 'DELETE', `${ana.url}/pause`, {}));
        expect(await tried(secret, ana)).to.equal('signed in');
    });

    it('looks again at what allows it once it has waited', async () => {
        const { ana, secret, device } = await prepared();
        const answers = await startWhileLocked(server, ['users', ana.id], [() => tried(secret, ana)], (trx) => trx.raw('delete from class_devices where id = ?', [device]));
        expect(answers).to.equal(['401 wrong_credentials']);
    });

    it('counts wrong tries as those of passwords: for a pupil on prepared devices alone, and not what is right', async () => {
        const began = Date.now();
        let ahead = 0;
        const limited = await startTestServer({ config: { rateLimit: true }, now: () => began + ahead });
        const others = new Cast(limited);
        const { ada, url, ana, ben, secret } = await prepared(others, limited);
        for (let n = 0; n < 25; n++) {
            expect(await tried(secret, ana, limited)).to.equal('signed in');
        }

        // Whoever has no device uses up nobody's tries.
        const wrong = { ...ana, pictures: ana.pictures.toReversed() };
        for (let n = 0; n < 25; n++) {
            expect(await tried(newSecret(), wrong, limited)).to.equal('401 wrong_credentials');
        }

        const elsewhere = await prepared(others, limited);
        for (let n = 0; n < 25; n++) {
            expect(await tried(elsewhere.secret, wrong, limited)).to.equal('401 wrong_credentials');
        }

        expect(await tried(secret, ana, limited)).to.equal('signed in');
        const another = await prepare({ ada, url }, limited);
        const all = [];
        for (let n = 0; n < 22; n++) {
            all.push(await tried(n % 2 === 0 ? secret : another.secret, wrong, limited));
        }

        expect(all).to.equal([...Array<string>(20).fill('401 wrong_credentials'), '429 rate_limited', '429 rate_limited']);
        expect(await tried(secret, ana, limited)).to.equal('429 rate_limited');
        expect(await tried(another.secret, ana, limited)).to.equal('429 rate_limited');
        // Others sign in, and the pass-phrase has tries of its own.
        expect(await tried(secret, ben, limited)).to.equal('signed in');
        expect((await limited.call('POST', '/tokens', { username: ana.username, password: ana.passphrase })).status).to.equal(201);
        ahead += 3_600_000;
        expect(await tried(secret, ana, limited)).to.equal('signed in');

        // Those of an address count for all that is tried there.
        ahead += 3_600_000;
        await limited.database.db.raw('insert into rate_limits (key, points, expire) values (?, 299, ?) on conflict (key) do update set points = 299, expire = excluded.expire', ['passwords:127.0.0.1', began + ahead + 60_000]);
        expect(await tried(newSecret(), ana, limited)).to.equal('401 wrong_credentials');
        expect(await tried(secret, ben, limited)).to.equal('429 rate_limited');
        expect(limited.faults).to.equal([]);
        await limited.stop();
    });
});
