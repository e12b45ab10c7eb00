import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { limits } from '../../../src/api/protection/rate-limits';
import type { Counter } from '../../../src/api/protection/rate-limits';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = script();
const { after, before, beforeEach, describe, it } = lab;

describe('Limits of guessing', () => {
    let server: TestServer;
    let ada: Actor;
    let bea: Actor;
    // The clock goes only where a test says so.
    const began = Date.now();
    let ahead = 0;
    const now = (): number => began + ahead;

    before(async () => {
        server = await startTestServer({ config: { rateLimit: true }, now });
        [ada, bea] = [await server.open(), await server.open()];
    });

    // What was counted before is over.
    beforeEach(() => {
        ahead += 2 * 3_600_000;
    });

    after(() => server.stop());

    /** Fills counters, as others at this address could, but for so many points. */
    const fill = async (...counters: [counter: Counter, key: string, left?: number][]): Promise<void> => {
        for (const [counter, key, left = 0] of counters) {
            const set = 'insert into rate_limits (key, points, expire) values (?, ?, ?) on conflict (key) do update set points = excluded.points, expire = excluded.expire';
            await server.database.db.raw(set, [`${counter}:${key}`, limits[counter].points - left, now() + 60_000]);
        }
    };

    const signIn = ({ username }: Actor, password = PASSWORD, cookie?: string): Promise<Answer> => server.call('POST', '/tokens', { username, password }, { headers: { ...cookie !== undefined && { cookie } } });

    /** The cookie of a browser that signs in. */
    const cookieOf = async (actor: Actor): Promise<string> => {
        const { status, headers } = await signIn(actor);
        const [cookie = ''] = [headers['set-cookie'] ?? []].flat();
        expect(status).to.equal(201);
        expect(cookie).to.match(/^device=[\w.-]+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/);
        // The counters are read anew.
        ahead += 3_600_000;
        return cookie.split(';')[0] ?? '';
    };

    it('count what fails, also of what is sent at once, and not what is right', async () => {
        for (let n = 0; n < 25; n++) {
            expect((await signIn(ada)).status).to.equal(201);
        }

        ahead += 3_600_000;
        await fill(['passwordsByName', ada.username, 5]);
        const wrong = await Promise.all(Array.from({ length: 8 }, () => signIn(ada, 'not that one')));
        expect(wrong.map(({ status }) => status).sort()).to.equal([401, 401, 401, 401, 401, 429, 429, 429]);
        expect((await signIn(ada)).status).to.equal(429);
        expect((await signIn(bea)).status).to.equal(201);
    });

    it('are apart: whoever fills all others at an address locks nobody out', async () => {
        const others = ['passkeys', 'answers', 'links', 'signUps', 'passkeyOptions', 'signIns', 'authorizations', 'apps', 'mails'] as const;
        await fill(...others.map((counter): [Counter, string] => [counter, '127.0.0.1']));
        expect((await server.call('POST', '/passkeys/options', {})).status).to.equal(429);
        expect((await signIn(ada)).status).to.equal(201);
        // And nobody who is signed in is counted by their address.
        await fill(['passwords', '127.0.0.1']);
        const change = await server.call('PUT', `/users/${ada.id}/password`, { current_password: PASSWORD, password: PASSWORD }, { token: ada.token });
        expect(change.status).to.equal(200);
    });

    it('are apart for a browser that has signed in before', async () => {
        const cookie = await cookieOf(ada);
        await fill(['passwords', '127.0.0.1'], ['passwordsByName', ada.username], ['passkeyOptions', '127.0.0.1']);
        expect((await signIn(ada)).status).to.equal(429);
        expect((await signIn(ada, PASSWORD, `theme=dark; ${cookie}`)).status).to.equal(201);
        expect((await signIn(ada, 'not that one', cookie)).headers['ratelimit-limit']).to.equal(String(limits.passwordsByDevice.points));
        expect((await server.call('POST', '/passkeys/options', {}, { headers: { cookie } })).status).to.equal(200);
        // Also for another name, which has its own limit then.
        expect((await signIn(bea, PASSWORD, cookie)).status).to.equal(201);
        await fill(['passwordsByName', bea.username]);
        ahead += 3_600_000;
        await fill(['passwordsByName', bea.username]);
        expect((await signIn(bea, PASSWORD, cookie)).status).to.equal(429);

        ahead += 3_600_000;
        await fill(['passwordsByDevice', ada.id]);
        expect((await signIn(ada, PASSWORD, cookie)).status).to.equal(429);
    });

    it('know only the cookies of this service', async () => {
        const cookie = await cookieOf(ada);
        const [id, name, signature] = cookie.slice('device='.length).split('.');
        await fill(['passwords', '127.0.0.1']);
        for (const forged of [`device=${bea.id}.${name}.${signature}`, `device=${id}.${'A'.repeat(43)}.${signature}`, `device=${id}.${name}.${'A'.repeat(43)}`, `device=${id}`, 'device=', `mydevice=${id}.${name}.${signature}`]) {
            expect((await signIn(ada, PASSWORD, forged)).status, forged).to.equal(429);
        }

        expect((await signIn(ada, PASSWORD, cookie)).status).to.equal(201);
    });
});
