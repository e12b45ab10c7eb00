import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { signInWithPagewright } from '../../client/dist/auth.cjs';
import { createClient } from '../../client/dist/pagewright.cjs';
import { Browser, registerApp, startAppsServer } from '../support/apps';
import type { AppsServer, TestApp } from '../support/apps';
import type { Actor } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** A keychain: it answers later, and may fail. */
class Keychain {
    readonly items = new Map<string, string>();
    failing: 'getItem' | 'setItem' | undefined;

    async #later<T>(name: string, answer: () => T): Promise<T> {
        await new Promise((resolve) => setTimeout(resolve, 10));
        if (this.failing === name) {
            throw new Error('The keychain is locked.');
        }

        return answer();
    }

    getItem(key: string): Promise<string | null> {
        return this.#later('getItem', () => this.items.get(key) ?? null);
    }

    setItem(key: string, value: string): Promise<void> {
        return this.#later('setItem', () => void this.items.set(key, value));
    }

    removeItem(key: string): Promise<void> {
        return this.#later('removeItem', () => void this.items.delete(key));
    }

    /** The token is to be renewed at the next request. */
    expire(): void {
        for (const [key, text] of this.items) {
            this.items.set(key, JSON.stringify({ ...JSON.parse(text), until: 0 }));
        }
    }
}

const inMemory = (): { items: Map<string, string>; getItem(key: string): string | null; setItem(key: string, value: string): void; removeItem(key: string): void } => {
    const items = new Map<string, string>();
    return { items, getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value), removeItem: (key) => void items.delete(key) };
};

describe('pagewright-client/auth', () => {
    let server: AppsServer;
    let ada: Actor;
    let app: TestApp;
    let browser: Browser;

    before(async () => {
        server = await startAppsServer();
        ada = await server.open('ada');
        app = await registerApp(server, ada);
        browser = new Browser(ada.token);
    });

    after(() => server.stop());

    const optionsWith = (store = inMemory()) => ({ service: server.url, clientId: app.id, redirectUri: app.redirectUri, store });

    const addressOf = async (auth: ReturnType<typeof signInWithPagewright>): Promise<string> => {
        let address = '';
        await auth.signIn((to) => {
            address = to;
        });
        return address;
    };

    it('signs in, lets the client send with the token, renews it once for all who ask, and signs out', async () => {
        const options = optionsWith();
        const auth = signInWithPagewright(options);
        expect(await auth.token()).to.be.null();
        expect(await auth.complete(app.redirectUri)).to.be.false();
        const back = await browser.letIn(await addressOf(auth));
        expect(await auth.complete(back.href)).to.be.true();
        expect([...auth.scope].sort()).to.equal(['offline_access', 'projects', 'user']);
        const first = String(await auth.token());
        const client = createClient(server.url, { fetch: auth.fetch });
        expect((await client.signInWithToken(first)).username).to.equal('ada');
        const { project } = await client.projects.create({ title: 'By an app' });
        expect(project.title).to.equal('By an app');

        const [[key = '', text = ''] = []] = [...options.store.items];
        options.store.setItem(key, JSON.stringify({ ...JSON.parse(text), until: Date.now() + 1000 }));
        const renewed = await Promise.all([auth.token(), auth.token(), auth.token()]);
        expect(new Set(renewed).size).to.equal(1);
        expect(renewed[0]).to.not.equal(first);
        expect((await client.account.get()).username).to.equal('ada');

        await auth.signOut();
        expect(await auth.token()).to.be.null();
        expect((await server.call('GET', '/users/me', undefined, { token: String(renewed[0]) })).status).to.equal(401);
        await auth.signOut();
    });

    it('without a place to keep tokens, finishes after the page was left, in the same tab', async () => {
        const tab = inMemory();
        Object.defineProperty(globalThis, 'sessionStorage', { value: tab, configurable: true });
        try {
            const options = { service: server.url, clientId: app.id, redirectUri: app.redirectUri };
            const back = await browser.letIn(await addressOf(signInWithPagewright(options)));
            const next = signInWithPagewright(options);
            expect(await next.complete(back.href)).to.be.true();
            expect(await next.token()).to.match(/^[\w-]{43}$/);
            expect(tab.items.size).to.equal(0);
        }
        finally {
            Reflect.deleteProperty(globalThis, 'sessionStorage');
        }
    });

    it('does not take an answer to another question, or a second time, and says so if the app is not let in', async () => {
        const auth = signInWithPagewright(optionsWith());
        const codeOf = (address: string): Promise<unknown> => auth.complete(address).catch((error: unknown) => Object(error).code);
        const back = await browser.letIn(await addressOf(auth));
        const forged = new URL(back);
        forged.searchParams.set('iss', 'https://evil.example');
        expect(await codeOf(forged.href)).to.equal('invalid_state');
        expect(await codeOf(back.href)).to.equal('invalid_state');
        const foreign = await browser.letIn(await addressOf(signInWithPagewright(optionsWith())));
        await addressOf(auth);
        expect(await codeOf(foreign.href)).to.equal('invalid_state');
        expect(await codeOf((await browser.letIn(await addressOf(auth), { allow: false })).href)).to.equal('access_denied');
    });

    it('forgets a sign-in that was ended elsewhere, and never sends the token to another host', async () => {
        const options = optionsWith();
        const sent: Request[] = [];
        const auth = signInWithPagewright({ ...options, fetch: (request) => {
            sent.push(request);
            return new URL(request.url).origin === server.url ? fetch(request) : Promise.resolve(new Response('{}'));
        } });
        await auth.complete((await browser.letIn(await addressOf(auth))).href);
        await auth.fetch(new Request('https://elsewhere.example/'));
        expect(sent.at(-1)?.headers.get('authorization')).to.be.null();
        await server.call('DELETE', `/users/me/authorizations/${app.id}`, {}, { token: ada.token });
        const [[key = '', text = ''] = []] = [...options.store.items];
        options.store.setItem(key, JSON.stringify({ ...JSON.parse(text), until: 0 }));
        expect(await auth.token()).to.be.null();
        expect(options.store.items.size).to.equal(0);
    });

    describe('with a store that answers later', () => {
        const signedIn = async (keychain: Keychain, fetch?: (request: Request) => Promise<Response>): Promise<ReturnType<typeof signInWithPagewright>> => {
            const auth = signInWithPagewright({ ...optionsWith(), store: keychain, ...fetch && { fetch } });
            expect(await auth.complete((await browser.letIn(await addressOf(auth))).href)).to.be.true();
            return auth;
        };

        const statusOf = async (token: unknown): Promise<number> => (await server.call('GET', '/users/me', undefined, { token: String(token) })).status;

        it('keeps the tokens, renews them once, and is signed out for good also while they are renewed', async () => {
            const keychain = new Keychain();
            const auth = await signedIn(keychain);
            expect(auth.scope).to.include('projects');
            keychain.expire();
            const [first, second] = await Promise.all([auth.token(), auth.token()]);
            expect(first).to.equal(second);
            expect(await signInWithPagewright({ ...optionsWith(), store: keychain }).token()).to.equal(first);

            keychain.expire();
            const [last] = await Promise.all([auth.token(), new Promise((resolve) => setTimeout(resolve, 15)).then(() => auth.signOut())]);
            expect([await auth.token(), keychain.items.size, await statusOf(last)]).to.equal([null, 0, 401]);
        });

        it('loses no token that it cannot keep, and says so if it cannot be read', async () => {
            const keychain = new Keychain();
            const auth = await signedIn(keychain);
            keychain.expire();
            keychain.failing = 'setItem';
            const token = await auth.token();
            expect(await statusOf(token)).to.equal(200);
            expect(await auth.token()).to.equal(token);
            keychain.failing = undefined;
            expect(await auth.token()).to.equal(token);
            expect(await signInWithPagewright({ ...optionsWith(), store: keychain }).token()).to.equal(token);

            keychain.failing = 'getItem';
            await expect(auth.token()).to.reject('The keychain is locked.');
            keychain.failing = undefined;
            expect(await auth.token()).to.equal(token);
        });

        it('is signed out if the store is cleared, also while a sign-in or a renewal is under way', async () => {
            const keychain = new Keychain();
            let renewed = '';
            const auth = await signedIn(keychain, async (request) => {
                const isRenewal = (await request.clone().text()).includes('grant_type=refresh_token');
                const response = await fetch(request);
                if (isRenewal) {
                    renewed = (await response.clone().json()).access_token;
                    keychain.items.clear();
                }

                return response;
            });
            keychain.expire();
            expect(await auth.token()).to.be.null();
            expect([keychain.items.size, auth.scope, await statusOf(renewed)]).to.equal([0, [], 401]);

            const address = await addressOf(auth);
            keychain.items.clear();
            expect(await auth.complete((await browser.letIn(address)).href).catch((error: unknown) => Object(error).code)).to.equal('invalid_state');
        });
    });

    it('signs a device in', async () => {
        const auth = signInWithPagewright({ service: server.url, clientId: app.id, scope: ['user'] });
        let code = '';
        const waiting = auth.signInOnDevice(({ userCode, address, addressWithCode }) => {
            code = userCode;
            expect([address, addressWithCode]).to.equal([`${server.url}/device`, `${server.url}/device?user_code=${userCode}`]);
        });
        while (code === '') {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }

        expect((await server.call('POST', `${server.url}/oauth/device/decision`, { user_code: code, allow: true }, { token: ada.token })).status).to.equal(200);
        await waiting;
        expect(await auth.token()).to.match(/^[\w-]{43}$/);
        expect(auth.scope).to.equal(['user']);
    });
});
