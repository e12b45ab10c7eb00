import type { RequestListener } from 'node:http';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { later } from '../../../support/clock';
import { cloneDatabase } from '../../../support/database';
import type { TestDatabase } from '../../../support/database';
import { startProvider } from '../../../support/provider';
import type { TestProvider } from '../../../support/provider';
import { startTestServer } from '../../../support/server';
import type { Answer, TestServer } from '../../../support/server';

export const lab = script();

function json(body: string): RequestListener {
    return (_request, response) => void response.setHeader('content-type', 'application/json').end(body);
}

const huge = JSON.stringify({ active: false, issuer: 'x'.repeat(2 * 1024 * 1024) });

/** How a provider may fail. */
const outages: Readonly<Record<string, RequestListener>> = {
    'does not answer': () => undefined,
    'stops in the middle': (_request, response) => void response.writeHead(200, { 'content-length': 1000 }).write('{'),
    'breaks the connection': ({ socket }) => socket.destroy(),
    'answers with an error': (_request, response) => void response.writeHead(500).end('{}'),
    'answers nothing': (_request, response) => void response.writeHead(204).end(),
    'does not know us': (_request, response) => void response.writeHead(401).end('{"error":"invalid_client"}'),
    'redirects': (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    'answers a page': (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
    'answers too much': json(huge),
    'answers an array': json('[]'),
    'answers null': json('null'),
    'answers something else': json('{"active":"true","issuer":1}')
};

for (const kind of ['jwt', 'introspection'] as const) {
    lab.experiment(`A provider that fails, by ${kind}`, () => {

        let provider: TestProvider;
        let database: TestDatabase;
        let server: TestServer;
        let token: string;

        lab.before(async () => {
            provider = await startProvider(kind);
            database = await cloneDatabase();
            token = await provider.token({ subject: 'ada' });
        });

        lab.beforeEach(async () => {
            provider.instead = undefined;
            // Long enough for the provider when it works: it runs in this process, beside other tests.
            server = await startTestServer({ config: { auth: provider.settings({ AUTH_TIMEOUT: '1000' }) }, database, now: () => Date.now() });
        });

        lab.afterEach(() => server.server.stop());

        lab.after(async () => {
            await database.drop();
            await provider.stop();
        });

        const open = (): Promise<Answer> => server.call('POST', '/users', undefined, { token });

        function expectUnavailable({ status, headers, body }: Answer, seconds: number): void {
            expect({ status, code: body.code, retry: Number(headers['retry-after']) }).to.equal({ status: 503, code: 'provider_unavailable', retry: seconds });
            expect(headers['www-authenticate']).to.be.undefined();
        }

        for (const [what, listener] of Object.entries(outages)) {
            lab.test(`causes 503 if it ${what}, and works again when it is back`, async () => {
                provider.instead = listener;
                const asked = provider.asked.length;
                expectUnavailable(await open(), 1);
                expectUnavailable(await server.call('POST', '/view-project/1', undefined, { token }), 1);
                expect(provider.asked.slice(asked)).to.not.include('/elsewhere');
                expect(provider.asked.length).to.equal(asked + 2);
                expect(server.faults.length).to.equal(2);
                expect(server.faults.join()).to.not.contain(token).and.to.contain('The identity provider could not be asked');

                provider.instead = undefined;
                expect((await open()).status).to.be.within(200, 201);
                const { status } = await server.call('GET', '/projects', undefined, { token });
                expect(status).to.equal(200);
            });
        }

        lab.test('is not waited for after the time limit', async () => {
            provider.instead = outages['does not answer'];
            const start = Date.now();
            const answers = await Promise.all([open(), open(), open()]);
            expect(Date.now() - start).to.be.below(5000);
            answers.forEach((answer) => expectUnavailable(answer, 1));
        });

        lab.test('is not asked after five failures in a row, then tried by one request', async () => {
            const asking = async (job: () => Promise<unknown>): Promise<number> => {
                const asked = provider.asked.length;
                await job();
                return provider.asked.length - asked;
            };

            provider.instead = outages['answers with an error'];
            for (const seconds of [1, 1, 1, 1, 10]) {
                expectUnavailable(await open(), seconds);
            }

            expect(await asking(async () => {
                expectUnavailable(await open(), 10);
                await later(8100, async () => expectUnavailable(await open(), 2));
            })).to.equal(0);
            expect(server.faults.length).to.equal(5);

            // The first try fails; ten seconds later, the next one succeeds.
            await later(10_500, async () => {
                expect(await asking(async () => expectUnavailable(await open(), 10))).to.equal(1);
                expect(await asking(async () => expectUnavailable(await open(), 10))).to.equal(0);
            });
            await later(21_000, async () => {
                provider.instead = undefined;
                const tokens = await Promise.all(['b', 'c', 'd'].map((subject) => provider.token({ subject })));
                // Requests that need the keys wait for them; an introspection of another token does not.
                const expected = kind === 'jwt' ? { requests: 2, statuses: [201, 201, 201] } : { requests: 1, statuses: [201, 503, 503] };
                expect(await asking(async () => {
                    const answers = await Promise.all(tokens.map((other) => server.call('POST', '/users', undefined, { token: other })));
                    expect(answers.map(({ status }) => status).sort()).to.equal(expected.statuses);
                })).to.equal(expected.requests);
                expect((await open()).status).to.be.within(200, 201);
            });
        });

        lab.test('causes 503 if nothing listens there', async () => {
            const gone = await startProvider(kind);
            const auth = gone.settings();
            await gone.stop();
            const alone = await startTestServer({ config: { auth }, database });
            expectUnavailable(await alone.call('POST', '/users', undefined, { token }), 1);
            await alone.server.stop();
        });
    });
}
