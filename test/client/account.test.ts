import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hosts, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { PASSWORD } from '../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('the client and accounts', { timeout: 60_000 }, () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    beforeEach(() => {
        on.requests.length = 0;
    });

    after(() => on?.stop());

    for (const host of hosts) {
        describe(`in ${host}`, () => {
            const credentials = { username: `ada-${host}`, password: PASSWORD };

            it('opens an account, keeps the session where it is told to, and revokes it', async () => {
                const told = await on.run(host, credentials, async ({ pagewright, url, given }) => {
                    const items = new Map<string, string>();
                    const store = {
                        getItem: (key: string) => items.get(key) ?? null,
                        setItem: (key: string, value: string) => void items.set(key, value),
                        removeItem: (key: string) => void items.delete(key)
                    };
                    const first = pagewright.createClient(url, { store });
                    const user = await first.signUp({ ...given, language: 'en-GB' });
                    const again = pagewright.createClient(url, { store });
                    const { session } = again;
                    const read = await again.api.GET('/users/{user}', { params: { path: { user: user.id } } });
                    await again.signOut();
                    await again.signOut();
                    return { user, session, read: read.data?.user, kept: items.size, after: first.session, alone: pagewright.createClient(url).session };
                });
                expect(told.user).to.include({ username: credentials.username, locale: { language: 'en-GB' } });
                expect(told.session?.user).to.equal({ id: told.user.id, username: credentials.username });
                expect(told.read).to.equal(told.user);
                expect(told).to.include({ kept: 0, after: null, alone: null });

                const token = told.session?.token ?? '';
                expect(on.requests).to.equal(['POST /users 201', `GET /users/${told.user.id} 200`, `DELETE /tokens/${told.session?.tokenId} 200`]);
                expect(on.requests.join()).to.not.contain(token);
                expect((await on.test.call('GET', `/users/${told.user.id}`, undefined, { token })).status).to.equal(401);
            });

            it('signs out everywhere', async () => {
                const { url } = on;
                const { signedIn, kept } = await on.run(host, { url, ...credentials }, async ({ pagewright, given: { url: at, username, password } }) => {
                    const [here, there] = [pagewright.createClient(at), pagewright.createClient(at)];
                    await here.signIn({ username, password });
                    await there.signIn({ username, password });
                    const tokens = [here, there].map(({ session }) => session?.token ?? '');
                    await here.signOut({ everywhere: true });
                    return { signedIn: tokens, kept: here.session };
                });
                expect(kept).to.be.null();
                expect(new Set(signedIn).size).to.equal(2);
                for (const token of signedIn) {
                    expect((await on.test.call('GET', '/tokens', undefined, { token })).status).to.equal(401);
                }
            });

            it('tells every fault, and ends the session only where its token is refused', async () => {
                const ben = await on.test.open(`ben-${host}`);
                const told = await on.run(host, { url: on.url, ...credentials, ben }, async ({ pagewright, url, given: { username, password, ben: { id, token } } }) => {
                    const reasons: string[] = [];
                    const client = pagewright.createClient(url, { onSignedOut: ({ code }) => void reasons.push(code) });
                    const failure = async (work: Promise<unknown>): Promise<object> => {
                        const error = await work.catch((reason: unknown) => reason);
                        if (!(error instanceof pagewright.PagewrightError)) {
                            throw error;
                        }

                        const { name, status, code, details, requestId } = error;
                        return { name, status, code, paths: details.map(({ path }) => path), known: typeof requestId === 'string' };
                    };

                    const nobody = await client.projects.create({ title: 'Mine' }).catch((error: unknown) => String(error));
                    await client.signIn({ username, password });
                    const faulty = await failure(client.api.POST('/users/{user}/projects', {
                        params: { path: { user: client.session?.user.id ?? '' } }, body: { title: '', description: 'x'.repeat(1001) }
                    }));
                    const wrong = await failure(client.signIn({ username, password: 'not that, surely' }));
                    const still = client.session?.user.username;

                    // A token that is good for nothing any more, as one that was revoked at another computer.
                    client.signInWith({ token: `${token}x`, tokenId: null, user: { id, username: 'ben' } });
                    const refused = await failure(client.projects.create({ title: 'Mine' }));
                    return { nobody, faulty, wrong, still, refused, reasons, session: client.session };
                });
                expect(told.nobody).to.contain('Nobody is signed in');
                expect(told.faulty).to.equal({ name: 'PagewrightError', status: 400, code: 'validation_failed', paths: ['title', 'description'], known: true });
                expect(told.wrong).to.include({ status: 401, code: 'wrong_credentials' });
                expect(told.still).to.equal(credentials.username);
                expect(told.refused).to.include({ status: 401, code: 'invalid_token' });
                expect(told).to.include({ reasons: ['invalid_token'], session: null });
            });
        });
    }

    it('takes nothing for a session that is none', async () => {
        const told = await on.run('Node', null, ({ pagewright, url }) => {
            const kept = ['{', '"x"', '{"token":1}', '{"token":"t","tokenId":null,"user":{"id":"1"}}'];
            return kept.map((value) => pagewright.createClient(url, { store: { getItem: () => value, setItem: () => undefined, removeItem: () => undefined } }).session);
        });
        expect(told).to.equal([null, null, null, null]);
    });
});
