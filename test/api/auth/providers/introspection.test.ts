import { text } from 'node:stream/consumers';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { later, still } from '../../../support/clock';
import { cloneDatabase } from '../../../support/database';
import type { TestDatabase } from '../../../support/database';
import { AUDIENCE, startProvider } from '../../../support/provider';
import type { TestProvider } from '../../../support/provider';
import { startTestServer } from '../../../support/server';
import type { TestServer } from '../../../support/server';

export const lab = script();

lab.experiment('Tokens checked by introspection', () => {

    let provider: TestProvider;
    let database: TestDatabase;
    let server: TestServer;

    lab.before(async () => {
        provider = await startProvider('introspection');
        database = await cloneDatabase();
    });

    lab.beforeEach(async () => {
        provider.instead = undefined;
        server = await serve();
    });

    lab.afterEach(async () => {
        expect(server.faults).to.equal([]);
        await server.server.stop();
    });

    lab.after(async () => {
        await database.drop();
        await provider.stop();
    });

    const serve = (more = {}): Promise<TestServer> => startTestServer({ config: { auth: provider.settings(more) }, database, now: () => Date.now() });
    const tokenOf = (more: object = {}): Promise<string> => provider.token({ subject: 'ada', ...more });

    async function statusOf(token: string, by: TestServer = server): Promise<number> {
        const { status } = await by.call('POST', '/users', undefined, { token });
        return status === 201 ? 200 : status;
    }

    /** How often the provider is asked meanwhile. */
    async function asking(job: () => Promise<unknown>): Promise<number> {
        const asked = provider.asked.length;
        await job();
        return provider.asked.length - asked;
    }

    lab.test('are checked once in ten seconds, however many requests use one', () => still(async () => {
        const token = await tokenOf();
        expect(await asking(() => Promise.all(Array.from({ length: 20 }, () => statusOf(token))))).to.equal(1);
        await later(9900, async () => expect(await asking(async () => expect(await statusOf(token)).to.equal(200))).to.equal(0));
        await later(10_100, async () => expect(await asking(async () => expect(await statusOf(token)).to.equal(200))).to.equal(1));
    }));

    lab.test('stop working ten seconds after they were revoked, or at once if answers are not cached', async () => {
        const immediate = await serve({ AUTH_CACHE_TTL: '0' });
        const token = await tokenOf();
        expect([await statusOf(token), await statusOf(token, immediate)]).to.equal([200, 200]);
        await provider.revoke(token);
        await later(10, async () => expect([await statusOf(token), await statusOf(token, immediate)]).to.equal([200, 401]));
        await later(10_500, async () => expect(await statusOf(token)).to.equal(401));
        await immediate.server.stop();
    });

    lab.test('stop working when they expire, also if the answer would be cached for longer', () => still(async () => {
        const patient = await serve({ AUTH_CACHE_TTL: '300', AUTH_LEEWAY: '0' });
        const token = await tokenOf({ expiresIn: 5 });
        expect(await statusOf(token, patient)).to.equal(200);
        await later(3000, async () => expect(await asking(async () => expect(await statusOf(token, patient)).to.equal(200))).to.equal(0));
        await later(5500, async () => expect(await asking(async () => expect(await statusOf(token, patient)).to.equal(401))).to.equal(1));
        await patient.server.stop();
    }));

    lab.test('are not checked again and again if they are invalid', async () => {
        expect(await asking(async () => {
            for (let i = 0; i < 5; ++i) {
                expect(await statusOf('unknown')).to.equal(401);
            }
        })).to.equal(1);
        await later(10_500, async () => expect(await asking(() => statusOf('unknown'))).to.equal(1));
    });

    lab.test('are not checked if their characters are invalid', async () => {
        for (const token of ['\u00e4', '"any"', 'any,', 'a=b', '=', ',any']) {
            expect(await asking(async () => expect(await statusOf(token)).to.equal(401)), token).to.equal(0);
        }

        expect(await asking(() => statusOf('aZ09-._~+/=='))).to.equal(1);
    });

    lab.test('are sent to the provider as in RFC 7662, and never in a URL', async () => {
        const token = await tokenOf();
        const asked: object[] = [];
        provider.instead = (request, response) => {
            const { method, url, headers } = request;
            void text(request).then((body) => {
                asked.push({ method, url, body: Object.fromEntries(new URLSearchParams(body)), accept: headers.accept, type: headers['content-type'] });
                response.end(JSON.stringify({ active: true, sub: 'ada', aud: AUDIENCE, scope: 'user' }));
            });
        };

        expect(await statusOf(token)).to.equal(200);
        expect(asked).to.equal([{
            method: 'POST', url: '/token/introspection', body: { token, token_type_hint: 'access_token' }, accept: 'application/json',
            type: 'application/x-www-form-urlencoded;charset=UTF-8'
        }]);
    });

    const now = (): number => Math.floor(Date.now() / 1000);
    const good = { active: true, sub: 'ada', aud: AUDIENCE, scope: 'user' };
    const answers: [what: string, answer: () => object, status: number][] = [
        ['what RFC 7662 asks for, and who it is for', () => good, 200],
        ['all there is', () => ({ ...good, iss: provider.issuer, exp: now() + 60, nbf: now(), iat: now(), username: 'ada', token_type: 'Bearer', aud: ['x', AUDIENCE] }), 200],
        ['an end a moment ago, by its own clock', () => ({ ...good, exp: now() - 10 }), 200],
        ['that it is not active, whatever else', () => ({ ...good, active: false }), 401],
        ['another issuer', () => ({ ...good, iss: 'https://other.example' }), 401],
        ['nobody', () => ({ ...good, sub: undefined }), 401],
        ['another audience', () => ({ ...good, aud: ['x', `${AUDIENCE}/`] }), 401],
        ['no audience', () => ({ ...good, aud: undefined }), 401],
        ['an end that is past', () => ({ ...good, exp: now() - 60 }), 401],
        ['a beginning that is to come', () => ({ ...good, nbf: now() + 60 }), 401],
        ['a beginning that is no time', () => ({ ...good, nbf: '0' }), 401],
        ['an end that is no time', () => ({ ...good, exp: 'soon' }), 401],
        ['that it is bound to a key', () => ({ ...good, cnf: { jkt: 'x' } }), 401],
        ['no scope', () => ({ ...good, scope: undefined }), 403],
        ['a scope of another form', () => ({ ...good, scope: ['user'] }), 403]
    ];
    for (const [what, answer, status] of answers) {
        lab.test(`are ${status} where the provider answers ${what}`, async () => {
            provider.instead = (_request, response) => void response.end(JSON.stringify(answer()));
            expect(await statusOf('any')).to.equal(status);
        });
    }

    lab.test('are not accepted by an answer with an error status', async () => {
        provider.instead = (_request, response) => void response.writeHead(500).end(JSON.stringify(good));
        expect(await statusOf('any')).to.equal(503);
        expect(server.faults.splice(0).join()).to.contain('answered with the status 500');
    });

    lab.test('open an account under the `username` of RFC 7662 if there is no other name', async () => {
        provider.instead = (_request, response) => void response.end(JSON.stringify({ ...good, sub: 'of RFC 7662', username: 'introspected' }));
        const { body } = await server.call('POST', '/users', undefined, { token: 'any' });
        expect(body.user.username).to.equal('introspected');
    });
});
