import { createHash, randomBytes } from 'node:crypto';

import { readConfig } from '../../src/config/index';
import { PASSWORD } from './passwords';
import { startTestServer } from './server';
import type { Actor, TestServer, TestServerOptions } from './server';

/** A service with its pages that listens, so that clients of others can talk to it. */
export interface AppsServer extends TestServer {
    url: string;
}

export async function startAppsServer({ config = {}, ...options }: TestServerOptions = {}): Promise<AppsServer> {
    const test = await startTestServer({ ...options, config: { site: readConfig({}).site, ...config } });
    await test.server.start();
    return { ...test, url: `http://127.0.0.1:${test.server.info.port}` };
}

/** An app that was registered. */
export interface TestApp {
    id: string;
    secret: string | null;
    redirectUri: string;
}

export const REDIRECT = 'http://127.0.0.1/done';

export async function registerApp({ call }: Pick<TestServer, 'call'>, { token }: Pick<Actor, 'token'>, fields: object = {}): Promise<TestApp> {
    const { status, body, text } = await call('POST', '/users/me/apps', { name: 'Kitchen editor', url: 'https://editor.example', redirect_uris: [REDIRECT], ...fields }, { token });
    if (status !== 201) {
        throw new Error(text);
    }

    return { id: body.app.id, secret: body.client_secret ?? null, redirectUri: body.app.redirect_uris[0] };
}

interface Cookie {
    name: string;
    value: string;
    path: string;
}

/** What a decision page lets through. */
export interface Wish {
    allow?: boolean;
    scope?: string[];
}

/** A browser with cookies, in which somebody is signed in at the site. */
export class Browser {
    readonly #cookies: Cookie[] = [];
    /** of the session at the site, which is no cookie */
    readonly #token: string;

    constructor(token: string) {
        this.#token = token;
    }

    /** The header `Cookie` for an address. */
    cookiesFor(address: string): string {
        const { pathname } = new URL(address);
        return this.#cookies.filter(({ path }) => pathname === path || pathname.startsWith(`${path}/`)).map(({ name, value }) => `${name}=${value}`).join('; ');
    }

    async open(address: string, options: { method?: string; body?: object; token?: string } = {}): Promise<Response> {
        const cookie = this.cookiesFor(address);
        const response = await fetch(address, {
            method: options.method ?? 'GET', redirect: 'manual',
            headers: { ...cookie !== '' && { cookie }, ...options.token !== undefined && { authorization: `token ${options.token}` }, ...options.body !== undefined && { 'content-type': 'application/json' } },
            ...options.body !== undefined && { body: JSON.stringify(options.body) }
        });
        for (const header of response.headers.getSetCookie()) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
            const [, path = '/'] = /path=([^;]+)/i.exec(header) ?? [];
            const at = this.#cookies.findIndex((one) => one.name === name && one.path === path);
            this.#cookies.splice(at === -1 ? this.#cookies.length : at, 1, ...value === '' ? [] : [{ name, value, path }]);
        }

        return response;
    }

    /** Opens the address of an authorization, and returns that of the page that asks. */
    async begin(address: string | URL): Promise<string> {
        const response = await this.open(String(address));
        const location = response.headers.get('location');
        if (response.status !== 303 || location === null) {
            throw new Error(`${response.status} ${await response.text()}`);
        }

        return new URL(location, address).href;
    }

    /** Decides at the page that asks, and returns where one goes back to. */
    async decide(page: string, { allow = true, scope }: Wish = {}): Promise<URL> {
        const decided = await this.open(page, { method: 'POST', token: this.#token, body: { allow, ...scope && { scope } } });
        if (decided.status !== 200) {
            throw new Error(`${decided.status} ${await decided.text()}`);
        }

        const { location } = Object(await decided.json());
        const back = await this.open(location);
        return new URL(String(back.headers.get('location')));
    }

    /** All of it. */
    async letIn(address: string | URL, wish: Wish = {}): Promise<URL> {
        return this.decide(await this.begin(address), wish);
    }
}

/** Proof of possession for a code (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
    const verifier = randomBytes(32).toString('base64url');
    return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The address with which an app asks. */
export function authorizeUrl({ url }: Pick<AppsServer, 'url'>, app: Pick<TestApp, 'id' | 'redirectUri'>, challenge: string, more: Record<string, string> = {}): string {
    return `${url}/oauth/auth?${new URLSearchParams({ client_id: app.id, redirect_uri: app.redirectUri, response_type: 'code', scope: 'user projects offline_access', state: 'a state', code_challenge: challenge, code_challenge_method: 'S256', ...more })}`;
}

export interface TokenAnswer {
    status: number;
    // As with other bodies, a wrong assumption fails in the test.
    // eslint-disable-next-line no-restricted-syntax
    body: any;
}

/** Sends a form, as apps do. */
export async function post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<TokenAnswer> {
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Lets an app in, and returns its tokens. */
export async function tokensFor(server: Pick<AppsServer, 'url'>, app: TestApp, browser: Browser, scope = 'user projects offline_access', wish: Wish = {}): Promise<TokenAnswer['body']> {
    const { verifier, challenge } = pkce();
    const back = await browser.letIn(authorizeUrl(server, app, challenge, { scope }), wish);
    const { status, body } = await post(`${server.url}/oauth/token`, { grant_type: 'authorization_code', client_id: app.id, code: String(back.searchParams.get('code')), redirect_uri: app.redirectUri, code_verifier: verifier, ...app.secret !== null && { client_secret: app.secret } });
    if (status !== 200) {
        throw new Error(JSON.stringify(body));
    }

    return body;
}

export { PASSWORD };
