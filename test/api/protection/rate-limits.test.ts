import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../../src/config/index';
import { limits } from '../../../src/api/protection/rate-limits';
import { routes, typeOf, urlOf } from '../../routes/index';
import { Cast, stored } from '../../support/cast';
import type { Target } from '../../support/cast';
import { drawing, hashOf } from '../../support/files';
import { until } from '../../support/host';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

const origin = 'https://editor.example';

lab.experiment('Abuse limits', () => {

    let server: TestServer;
    let twin: TestServer;
    let proxied: TestServer;
    let cast: Cast;
    let target: Target;

    /** The clock of the servers goes only where a test says so, in milliseconds: however slow the machine is, no limit ends meanwhile. */
    const began = Date.now();
    let ahead = 0;
    const now = (): number => began + ahead;
    /** What was counted before is over. */
    const forget = (): void => {
        ahead += 2 * 3_600_000;
    };

    lab.before(async () => {
        server = await startTestServer({ config: { rateLimit: true }, now });
        const { database } = server;
        twin = await startTestServer({ config: { rateLimit: true }, database, now });
        proxied = await startTestServer({ config: { rateLimit: true, trustedProxies: 2 }, database, now });
        cast = new Cast(server);
        target = await cast.target();
    });

    lab.beforeEach(forget);

    lab.after(async () => {
        await twin.server.stop();
        await proxied.server.stop();
        await server.stop();
    });

    type Counter = keyof typeof limits;

    /** Sets the counter of a key that no server has counted yet, as after this many requests. */
    const spend = async (counter: Counter, key: string, points: number): Promise<void> => {
        const set = 'insert into rate_limits (key, points, expire) values (?, ?, ?) on conflict (key) do update set points = excluded.points, expire = excluded.expire';
        await server.database.db.raw(set, [`${counter}:${key}`, points, now() + 30_000]);
    };

    /** The limit, and what is left of it. */
    const ratelimit = ({ headers }: Answer): unknown[] => [headers['ratelimit-limit'], headers['ratelimit-remaining']];

    /** Checks for a 429 that says what to do, readable from another origin. */
    const expectLimited = (answer: Answer, counter: Counter): void => {
        expect(answer.status, answer.text).to.equal(429);
        expect(answer.body).to.include({ statusCode: 429, error: 'Too Many Requests', code: 'rate_limited', request_id: answer.headers['x-request-id'] });
        const after = Number(answer.headers['retry-after']);
        expect(after).to.be.between(1, limits[counter].duration + 1);
        expect(Number.isInteger(after)).to.be.true();
        expect(answer.body.message).to.equal(`Too many requests. Try again in ${after} seconds.`);
        expect([...ratelimit(answer), answer.headers['ratelimit-reset']]).to.equal([String(limits[counter].points), '0', String(after)]);
        expect(answer.headers['access-control-allow-origin']).to.equal(origin);
        expect(answer.headers['access-control-expose-headers']).to.be.a.string();
        expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    };

    /** Waits until the servers have written a counter, and so know of each other's requests. */
    const written = (counter: Counter, key: string, points: number): Promise<void> => until(async () => {
        const { rows } = await server.database.db.raw('select 1 from rate_limits where key = ? and points = ?', [`${counter}:${key}`, points]);
        return rows.length === 1;
    });

    const signIn = (at: TestServer, username: string, password = PASSWORD, headers: Record<string, string> = {}): Promise<Answer> => {
        return at.call('POST', '/tokens', { username, password }, { headers: { origin, ...headers } });
    };

    lab.test('a response says how much is left, by the counter nearest to its limit', async () => {
        const token = await cast.token(target.user);
        const first = await signIn(server, target.username);
        expect(first.status).to.equal(201);
        expect(Number(first.headers['ratelimit-reset'])).to.be.within(800, 900);
        // What is right does not count.
        expect(ratelimit(first)).to.equal(['20', '20']);
        expect(ratelimit(await signIn(server, target.username, 'not that one'))).to.equal(['20', '19']);
        expect(ratelimit(await signIn(server, target.username))).to.equal(['20', '19']);
        expect(first.headers['ratelimit-policy']).to.equal('"passwordsByName";q=20;w=900');
        expect(first.headers.ratelimit).to.match(/^"passwordsByName";r=20;t=\d+$/);

        const write = await server.call('PATCH', `/users/${target.user}`, { language: 'fr' }, { token });
        expect(ratelimit(write)).to.equal(['600', '599']);
        const refused = await server.call('PATCH', `/users/${target.user}`, { language: 'fr', revision: 99 }, { token });
        expect(refused.status).to.equal(409);
        expect(ratelimit(refused)).to.equal(['600', '598']);
        expect(ratelimit(await server.call('POST', `/view-project/${target.project}`))).to.equal(['300', '299']);

        for (const url of ['/projects', '/health', `/users/${target.user}/projects/${target.project}`]) {
            expect(ratelimit(await server.call('GET', url))).to.equal([undefined, undefined]);
        }

        const near = await server.call('POST', '/users', { username: 'another', password: PASSWORD });
        expect(ratelimit(near)).to.equal(['300', '299']);
    });

    lab.test('wrong passwords for one name are limited, in any case, on all servers together', async () => {
        await spend('passwordsByName', target.username, 18);
        expect((await signIn(server, target.username, 'not that one')).status).to.equal(401);
        expect((await signIn(server, target.username)).status).to.equal(201);
        expect((await signIn(server, target.username.toUpperCase(), 'not that one')).status).to.equal(401);
        await written('passwordsByName', target.username, 20);
        for (const at of [server, twin]) {
            const before = await stored(server);
            expectLimited(await signIn(at, target.username), 'passwordsByName');
            expectLimited(await signIn(at, target.username.toUpperCase()), 'passwordsByName');
            expect(await stored(server)).to.equal(before);
        }

        // Another name is not affected.
        expect((await signIn(server, (await cast.account()).username)).status).to.equal(201);
    });

    lab.test('wrong passwords, and new accounts, from one address are limited', async () => {
        await spend('passwords', '127.0.0.1', limits.passwords.points - 1);
        expect(ratelimit(await signIn(server, 'nobody-1'))).to.equal(['300', '0']);
        await written('passwords', '127.0.0.1', limits.passwords.points);
        expectLimited(await signIn(twin, 'nobody-2'), 'passwords');
        await spend('signUps', '127.0.0.1', limits.signUps.points);
        expectLimited(await server.call('POST', '/users', { username: 'newcomer', password: PASSWORD }, { headers: { origin } }), 'signUps');
        // Validation errors come first, and do not count.
        expect((await signIn(server, 'not a name')).status).to.equal(400);
    });

    lab.test('tries at your own password are limited by user', async () => {
        const token = await cast.token(target.user);
        const change = (at: TestServer, user: string): Promise<Answer> => {
            return at.call('PUT', `/users/${user}/password`, { current_password: 'not that one', password: PASSWORD }, { token, headers: { origin } });
        };

        await spend('passwordsByName', `user ${target.user}`, 18);
        expect((await change(server, target.user)).body.code).to.equal('wrong_password');
        await written('passwordsByName', `user ${target.user}`, 19);
        expect(ratelimit(await change(twin, target.user))).to.equal(['20', '0']);
        const other = await cast.account();
        for (const user of [target.user, other.id]) {
            expectLimited(await change(twin, user), 'passwordsByName');
        }
    });

    lab.test('tries at recovery codes count as those at the password, and one that is right is not used up', async () => {
        const account = await cast.account();
        const { body: { codes: [code] } } = await server.call('POST', '/users/me/recovery-codes', {}, { token: await cast.token(account.id) });
        const enter = (at: TestServer, recovery_code: string): Promise<Answer> => at.call('POST', '/tokens', { username: account.username, recovery_code }, { headers: { origin } });
        await spend('passwordsByName', account.username, limits.passwordsByName.points - 2);
        expect((await signIn(server, account.username, 'not that one')).status).to.equal(401);
        await written('passwordsByName', account.username, limits.passwordsByName.points - 1);
        expect((await enter(twin, 'not that one')).body.code).to.equal('wrong_credentials');
        await written('passwordsByName', account.username, limits.passwordsByName.points);
        // This one has not heard of the last try, and does when it has written its own.
        await enter(server, 'not that one');
        await written('passwordsByName', account.username, limits.passwordsByName.points + 1);
        expectLimited(await enter(server, code), 'passwordsByName');
        expectLimited(await enter(twin, 'not that one'), 'passwordsByName');
        forget();
        expect((await enter(server, code)).status).to.equal(201);
    });

    lab.test('every way to sign in or to let an app in has its limit, by address, or by user where somebody is signed in', async () => {
        const { site } = readConfig({});
        const whole = await startTestServer({ config: { rateLimit: true, publicUrl: 'https://pages.example', site, appRegistration: 'open' }, database: server.database, now });
        const { id } = await cast.account();
        const token = await cast.token(id);
        const key = 'A'.repeat(43);
        const limited: readonly [route: string, url: string, counter: Counter, body?: object, own?: true][] = [
            ['GET /oauth/auth', '/oauth/auth?client_id=1', 'authorizations'], ['GET /oauth/auth/{uid}', '/oauth/auth/x', 'authorizations'], ['POST /oauth/par', '/oauth/par', 'apps'], ['POST /oauth/device', '/oauth/device', 'apps'],
            ['POST /oauth/docs', '/oauth/docs', 'apps'], ['POST /oauth/register', '/oauth/register', 'apps', { redirect_uris: ['https://a.example/'] }], ['POST /oauth/token', '/oauth/token', 'appTokens'], ['POST /oauth/revoke', '/oauth/revoke', 'appTokens'],
            ['POST /oauth/consent/{uid}', '/oauth/consent/x', 'writes', { allow: true }, true], ['POST /oauth/device/request', '/oauth/device/request', 'deviceCodes', { user_code: 'A' }, true],
            ['POST /oauth/device/decision', '/oauth/device/decision', 'deviceCodes', { user_code: 'A', allow: true }, true],
            ['POST /passkeys/options', '/passkeys/options', 'passkeyOptions', {}], ['POST /sign-ins', '/sign-ins', 'signIns', { provider: 'school' }],
            ['POST /sign-ins/answers', '/sign-ins/answers', 'answers', { provider: 'school', key, answer: 'code=x' }], ['POST /sign-ins/renewals', '/sign-ins/renewals', 'appTokens', { provider: 'school', refresh_token: 'x' }],
            ['POST /new-passwords/mails', '/new-passwords/mails', 'mails', { account: 'nobody' }], ['POST /new-passwords', '/new-passwords', 'links', { key, password: PASSWORD }],
            ['PUT /users/{user}/address', '/users/me/address', 'passwordsByName', { address: 'ada@mail.example', current_password: 'not that one' }, true], ['POST /users/{user}/address/confirmations', '/users/me/address/confirmations', 'links', { key }, true],
            ['POST /sign-ins/revocations', '/sign-ins/revocations', 'appTokens', { provider: 'school', refresh_token: 'x' }],
            ['POST /passkeys/options', '/passkeys/options', 'passkeyOptions', { to: 'add' }, true], ['POST /users/{user}/identities', '/users/me/identities', 'answers', { provider: 'school', key, answer: 'code=x' }, true]
        ];
        const stateful = whole.server.table().filter(({ method, path, settings }) => path.startsWith('/oauth/') && path !== '/oauth/userinfo' && (method === 'post' || settings.app?.limit !== undefined)).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
        expect(stateful.filter((route) => !limited.some(([each]) => each === route))).to.equal([]);

        for (const [route, url, counter, body, own] of limited) {
            forget();
            await spend(counter, own === true ? `user ${id}` : '127.0.0.1', limits[counter].points - 1);
            const send = (): Promise<Answer> => whole.call(route.split(' ')[0] ?? '', url, body, { ...own === true && { token } });
            expect((await send()).status, route).to.not.equal(429);
            const answer = await send();
            expect([answer.status, answer.headers['ratelimit-limit']], route).to.equal([429, String(limits[counter].points)]);
        }

        await whole.server.stop();
    });

    const forwarded = (value: string): Record<string, string> => ({ 'x-forwarded-for': value });

    lab.test('X-Forwarded-For counts only for trusted proxies', async () => {
        await spend('passwords', '203.0.113.7', limits.passwords.points);
        // No proxy is trusted here, whatever a client sends.
        expect((await signIn(server, 'nobody-3', PASSWORD, forwarded('203.0.113.7, 10.0.0.1'))).status).to.equal(401);

        // With two proxies, the outer one wrote the second to last entry.
        const cases = [
            ['203.0.113.7, 10.0.0.1', 429], ['198.51.100.1, 203.0.113.7, 10.0.0.1', 429], [' 203.0.113.7 ,10.0.0.1 ', 429],
            ['203.0.113.7, 198.51.100.1, 10.0.0.1', 401], ['198.51.100.1, 203.0.113.7', 401], ['203.0.113.7', 401], ['', 401]
        ] as const;
        for (const [value, status] of cases) {
            expect((await signIn(proxied, 'nobody-4', PASSWORD, forwarded(value))).status, value).to.equal(status);
        }

        expect((await signIn(proxied, 'nobody-4')).status).to.equal(401);
    });

    lab.test('an address counts the same however a proxy writes it', async () => {
        await spend('passwords', '203.0.113.7', limits.passwords.points);
        for (const entry of ['203.0.113.7:567', '::ffff:203.0.113.7', '[::ffff:203.0.113.7]:443', '::ffff:cb00:7107', '::FFFF:CB00:7107%eth0']) {
            expectLimited(await signIn(proxied, 'nobody-5', PASSWORD, forwarded(`${entry}, 10.0.0.1`)), 'passwords');
        }

        await spend('passwords', '2001:db8:0:1::/64', limits.passwords.points);
        for (const entry of ['2001:db8:0:1::5', '[2001:0DB8:0:1::5]', '[2001:db8::1:0:0:0:5]:443', '2001:db8:0:1:ffff::5%2']) {
            expectLimited(await signIn(proxied, 'nobody-6', PASSWORD, forwarded(`${entry}, 10.0.0.1`)), 'passwords');
        }
    });

    lab.test('what is not an address counts as the address of the connection', async () => {
        const entries = ['unknown', '_hidden', '"', 'x'.repeat(5000), '"\'; drop table users; --', '203.0.113.7:', '203.0.113.7:x', '1.2.3', '1.2.3.256', '0x7f.0.0.1', '[203.0.113.7', '2001:db8::1::2', '[]:443', '2001:db8:0:1::5]'];
        for (const entry of entries) {
            await signIn(proxied, 'nobody-7', PASSWORD, forwarded(`${entry}, 10.0.0.1`));
        }

        const counted = async (): Promise<unknown> => (await server.database.db.raw('select key, points from rate_limits where expire > ? order by key', [now()])).rows;
        await until(async () => JSON.stringify(await counted()).includes(`"passwordsByName:nobody-7","points":${entries.length}`));
        expect(await counted()).to.equal([{ key: 'passwords:127.0.0.1', points: entries.length }, { key: 'passwordsByName:nobody-7', points: entries.length }]);
    });

    lab.test('IPv6 addresses are limited by their /64, and by their /48 with a wider limit', async () => {
        const from = async (remoteAddress: string, username: string): Promise<Answer> => {
            const { statusCode: status, headers, payload: text } = await server.server.inject({
                method: 'POST', url: '/tokens', headers: { origin, 'content-type': 'application/json' }, remoteAddress, payload: JSON.stringify({ username, password: PASSWORD })
            });
            return { status, headers, body: JSON.parse(text), text };
        };

        await spend('passwords', '2001:db8:1:2::/64', limits.passwords.points - 1);
        expect((await from('2001:db8:1:2::1', 'nobody-8')).status).to.equal(401);
        expectLimited(await from('2001:db8:1:2:3:4:5:6', 'nobody-9'), 'passwords');
        expect((await from('2001:db8:1:3::1', 'nobody-10')).status).to.equal(401);

        await spend('passwordsByNetwork', '2001:db8:3::/48', limits.passwordsByNetwork.points);
        expectLimited(await from('2001:db8:3:4::1', 'nobody-11'), 'passwordsByNetwork');
        expect((await from('2001:db8:2:4::1', 'nobody-12')).status).to.equal(401);
    });

    lab.test('clients whose address is not known any more are limited together', async () => {
        const post = (): Promise<{ statusCode: number }> => server.server.inject({ method: 'POST', url: '/tokens', remoteAddress: 'gone', payload: { username: 'nobody-13', password: PASSWORD } });
        await spend('passwords', 'unknown', limits.passwords.points - 1);
        expect([(await post()).statusCode, (await post()).statusCode]).to.equal([401, 429]);
    });

    lab.test('writes are limited by user, wherever they come from', async () => {
        const token = await cast.token(target.user);
        const other = await cast.target();
        await spend('writes', `user ${target.user}`, limits.writes.points);
        const project = `/users/${target.user}/projects/${target.project}`;
        const ids = { ...target, username: target.member, sha256: hashOf(drawing()) };
        const writes = routes.filter(({ limit, scope }) => limit === 'writes' && scope !== '');
        const before = await stored(server);
        for (const [index, row] of writes.entries()) {
            const body = row.body?.(ids);
            expectLimited(await (index % 2 ? twin : server).call(row.method, urlOf(row, ids), body, { token, headers: { origin, ...typeOf(row.path, body) } }), 'writes');
        }

        expect(await stored(server)).to.equal(before);
        // 401 and 400 come before it; reads still work, and so do other users.
        expect((await server.call('PATCH', project, {})).status).to.equal(401);
        expect((await server.call('PATCH', project, {}, { token })).status).to.equal(400);
        expect((await server.call('GET', project)).status).to.equal(200);
        expect((await server.call('PATCH', `/users/${other.user}`, { language: 'de' }, { token: await cast.token(other.user) })).status).to.equal(200);
    });

    lab.test('views are limited by user, and without a token by address', async () => {
        const token = await cast.token(target.user);
        const view = (at: TestServer, options: { token?: string; headers?: Record<string, string> } = {}): Promise<Answer> => {
            return at.call('POST', `/view-project/${target.project}`, undefined, { ...options, headers: { origin, ...options.headers } });
        };

        await spend('views', '127.0.0.1', limits.views.points);
        expectLimited(await view(server), 'views');
        expectLimited(await view(twin, { headers: { 'user-agent': 'another' } }), 'views');
        expect((await view(server, { token })).status).to.equal(200);
        await spend('views', `user ${target.user}00`, limits.views.points);
        expect((await view(server, { token })).status).to.equal(200);
        forget();
        await spend('views', `user ${target.user}`, limits.views.points);
        expectLimited(await view(server, { token }), 'views');

        await spend('viewsByNetwork', '2001:db8:1::/48', limits.viewsByNetwork.points);
        const headers = forwarded('2001:db8:1:2::3, 10.0.0.1');
        expectLimited(await view(proxied, { headers }), 'viewsByNetwork');
        forget();
        expect((await view(proxied, { token, headers })).status).to.equal(200);
    });

    lab.test('a limit ends after its time', async () => {
        await spend('passwordsByName', target.username, 500);
        expectLimited(await signIn(server, target.username), 'passwordsByName');
        ahead += 31_000;
        expect((await signIn(server, target.username)).status).to.equal(201);
    });

    lab.test('unreachable counters are an internal error like any other', async () => {
        expect(server.faults.concat(twin.faults, proxied.faults)).to.equal([]);
        await server.database.db.raw('alter table rate_limits rename to mislaid');
        const answer = await signIn(server, 'nobody-99');
        expect(answer.status).to.equal(500);
        expect(answer.body.code).to.equal('internal_error');
        expect(server.faults).to.have.length(1);
        await server.database.db.raw('alter table mislaid rename to rate_limits');
    });
});
