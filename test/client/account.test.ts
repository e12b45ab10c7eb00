import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hosts, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { startProvider } from '../support/provider';
import { PASSWORD, startTestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('the client and accounts', () => {
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

            it('opens an account, keeps the session in the given store, and revokes it', async () => {
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

            it('has one session object until it changes, and calls listeners on each change', async () => {
                const told = await on.run(host, { username: `dan-${host}`, password: PASSWORD }, async ({ pagewright, url, given }) => {
                    const client = pagewright.createClient(url);
                    const { subscribe } = client;
                    const heard: (string | undefined)[] = [];
                    const stop = subscribe(() => void heard.push(client.session?.user.username));
                    const twice = (): void => void heard.push('other');
                    const [stopFirst, stopSecond] = [subscribe(twice), subscribe(twice)];
                    stopFirst();
                    stopFirst();

                    await client.signUp(given);
                    const first = client.session;
                    const same = first !== null && client.session === first;
                    client.signInWith({ token: 'none', tokenId: null, user: { id: '1', username: 'eve' } });
                    const changed = client.session !== first;
                    await client.api.DELETE('/tokens').catch(() => undefined);
                    stopSecond();
                    stop();
                    client.signInWith({ token: 'none', tokenId: null, user: { id: '1', username: 'fay' } });
                    return { heard, same, changed };
                });
                expect(told).to.equal({ heard: [`dan-${host}`, 'other', 'eve', 'other', undefined, 'other'], same: true, changed: true });
            });

            it('uses `me` in its own requests', async () => {
                const told = await on.run(host, { username: `gil-${host}`, password: PASSWORD }, async ({ pagewright, url, given }) => {
                    const client = pagewright.createClient(url);
                    const user = await client.signUp(given);
                    const { project } = await client.projects.create({ title: 'Mine' });
                    const titles: string[] = [];
                    for await (const { title } of client.projects.mine()) {
                        titles.push(title);
                    }

                    const goesOn = pagewright.createClient(url);
                    const known = await goesOn.signInWithToken(client.session?.token ?? '');
                    const bad = await goesOn.signInWithToken('none').catch((error: unknown) => (error instanceof pagewright.PagewrightError ? error.code : ''));
                    return { user: user.id, author: project.user_id, titles, known: known.id, bad, session: goesOn.session };
                });
                expect(told).to.include({ author: told.user, known: told.user, titles: ['Mine'], bad: 'invalid_token' });
                expect(told.session).to.include({ tokenId: null, user: { id: told.user, username: `gil-${host}` } });
                expect(on.requests).to.equal([
                    'POST /users 201', 'POST /users/me/projects 201', 'GET /users/me/projects?count=50&visibility=all 200', 'GET /users/me 200', 'GET /users/me 401'
                ]);
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

            it('changes the name and the password, lists and revokes tokens, and deletes the account', async () => {
                const told = await on.run(host, { username: `kim-${host}`, password: PASSWORD }, async ({ pagewright, url, given }) => {
                    const code = (error: unknown): unknown => error instanceof pagewright.PagewrightError && error.code;
                    const [here, there] = [pagewright.createClient(url), pagewright.createClient(url)];
                    const { id } = await here.signUp({ ...given, code: 'ignored-here' });
                    await there.signIn({ username: given.username, password: given.password, label: 'The tablet' });
                    const labels = (await here.account.tokens()).map(({ label }) => label);
                    await here.account.revoke({ id: there.session?.tokenId ?? '' });
                    const revoked = await there.account.get().catch(code);

                    const renamed = await here.account.update({ username: `${given.username}-2`, language: 'ru' });
                    const named = here.session?.user;
                    const { locale: { language } } = await here.account.update({ language: 'es' });
                    const read = await here.account.get();

                    const wrong = await here.account.changePassword('not the password', 'a better one').catch(code);
                    await here.account.changePassword(given.password, 'a better one');
                    await there.signIn({ username: `${given.username}-2`, password: 'a better one' });
                    await here.account.delete();
                    const late = await there.account.get().catch(code);
                    return { id, labels, revoked, renamed: renamed.username, named, language, read: read.revision, wrong, session: here.session, after: late };
                });
                expect(told).to.equal({
                    id: told.id, labels: ['The tablet', null], revoked: 'invalid_token', renamed: `kim-${host}-2`, named: { id: told.id, username: `kim-${host}-2` }, language: 'es', read: 3,
                    wrong: 'wrong_password', session: null, after: 'invalid_token'
                });
            });

            it('reports every error, and ends the session only if its token is rejected', async () => {
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

                    // A token that no longer works, like one that was revoked on another computer.
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

    it('calls listeners for changes in other tabs', async () => {
        const told = await on.run('Chromium', null, async ({ pagewright, url }) => {
            // The types of the tests do not include the browser's.
            const { document, localStorage: store } = Object(globalThis);
            const client = pagewright.createClient(url, { store });
            const other = document.body.appendChild(document.createElement('iframe')).contentWindow.localStorage;
            const change = (work: () => void): Promise<string> => new Promise((resolve) => {
                const stop = client.subscribe(() => {
                    stop();
                    resolve(client.session?.user.username ?? 'nobody');
                });
                work();
            });

            const key = `pagewright ${url}`;
            return [
                await change(() => {
                    other.setItem('something else', '1');
                    other.setItem(key, JSON.stringify({ token: 't', tokenId: null, user: { id: '1', username: 'hal' } }));
                }),
                await change(() => other.clear())
            ];
        });
        expect(told).to.equal(['hal', 'nobody']);
    });

    it('opens the account of a token of an identity provider', async () => {
        const provider = await startProvider('jwt');
        const server = await startTestServer({ config: { auth: provider.settings() } });
        await server.server.start();
        const given = { at: `http://127.0.0.1:${server.server.info.port}`, token: await provider.token({ subject: 'ida', extra: { preferred_username: 'ida' } }) };
        const told = await on.run('Node', given, async ({ pagewright, given: { at, token } }) => {
            const client = pagewright.createClient(`${at}/`);
            const first = await client.signInWithToken(token);
            const again = await client.signInWithToken(token);
            const { project } = await client.projects.create({ title: 'Mine' });
            return { name: first.username, same: again.id === first.id && project.user_id === first.id };
        });
        expect(told).to.equal({ name: 'ida', same: true });
        await server.stop();
        await provider.stop();
    });

    it('ignores an invalid session in the store', async () => {
        const told = await on.run('Node', null, ({ pagewright, url }) => {
            const kept = ['{', '"x"', '{"token":1}', '{"token":"t","tokenId":null,"user":{"id":"1"}}'];
            return kept.map((value) => pagewright.createClient(url, { store: { getItem: () => value, setItem: () => undefined, removeItem: () => undefined } }).session);
        });
        expect(told).to.equal([null, null, null, null]);
    });
});
