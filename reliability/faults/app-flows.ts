import { createHash, randomBytes } from 'node:crypto';

import type { Dice } from '../../test/support/dice';
import type { Service } from './service';
import { send } from './wire';

/** The address that all instances say they have. Nothing is sent there. */
export const PUBLIC_URL = 'https://pages.example';

const REDIRECT = 'https://editor.example/done';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const SCOPE = 'user projects offline_access';

interface Response {
    status: number;
    location: string;
    cookies: string;
    // The caller knows the type of the response; a wrong assumption shows as a finding.
    // eslint-disable-next-line no-restricted-syntax
    body: any;
}

/** What a request has. */
interface Sent {
    form?: Record<string, string>;
    json?: object;
    cookies?: string;
    token?: string;
}

/** What was seen and acknowledged. */
export class Seen {
    readonly findings: string[] = [];
    acknowledged = 0;
    lost = 0;
    /** users who have sent a decision to let the app in, whether it was acknowledged or not */
    readonly letIn = new Set<string>();
    /** tokens that were acknowledged and not ended, and those that were ended */
    readonly working = new Set<string>();
    readonly ended = new Set<string>();

    check(holds: boolean, what: string): void {
        if (!holds) {
            this.findings.push(what);
        }
    }
}

/** Somebody who lets an app in again and again, in all ways, at whichever instance answers. */
export class Flows {
    readonly #services: readonly Service[];
    readonly #dice: Dice;
    readonly #seen: Seen;
    #user = { id: '', token: '' };
    #app = '';

    constructor(services: readonly Service[], dice: Dice, seen: Seen) {
        this.#services = services;
        this.#dice = dice;
        this.#seen = seen;
    }

    /** Sends a request; undefined if its outcome is not known. 503 says that it may be sent again. */
    async #ask(method: string, path: string, { form, json, cookies = '', token }: Sent = {}): Promise<Response | undefined> {
        const { url } = this.#dice.pick(this.#services.filter((one) => one.url !== null)) ?? { url: null };
        try {
            const response = await fetch(`${url}${path}`, {
                method, redirect: 'manual', body: form === undefined ? JSON.stringify(json) : new URLSearchParams(form),
                headers: { ...json !== undefined && { 'content-type': 'application/json' }, ...cookies !== '' && { cookie: cookies }, ...token !== undefined && { authorization: `token ${token}` } }
            });
            const text = await response.text();
            this.#seen.check(response.status !== 500, `${method} ${path}: 500`);
            if (response.status >= 500) {
                this.#seen.lost++;
                return undefined;
            }

            this.#seen.acknowledged++;
            return {
                status: response.status, location: response.headers.get('location') ?? '', cookies: response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; '),
                body: text.startsWith('{') ? JSON.parse(text) : {}
            };
        }
        catch {
            this.#seen.lost++;
            return undefined;
        }
    }

    /** Sends a request that may be sent again until it is answered. */
    async #must(method: string, path: string, sent: Sent): Promise<Response> {
        for (;;) {
            const response = await this.#ask(method, path, sent);
            if (response !== undefined) {
                return response;
            }

            await new Promise((resolve) => void setTimeout(resolve, 20));
        }
    }

    /** A new account with an app of its own. */
    async open(): Promise<void> {
        for (;;) {
            const opened = await this.#ask('POST', '/users', { json: { username: `a${randomBytes(8).toString('hex')}`, password: 'correct horse battery' } });
            if (opened !== undefined) {
                this.#user = { id: opened.body.user.id, token: opened.body.token.access_token };
                break;
            }
        }

        const { body: { app } } = await this.#must('POST', '/users/me/apps', { json: { name: 'App', url: 'https://editor.example', redirect_uris: [REDIRECT] }, token: this.#user.token });
        this.#app = app.id;
    }

    /** One way through, of any kind. */
    async step(): Promise<void> {
        const given = await (this.#dice.between(0, 3) === 0 ? this.#byDevice() : this.#byPage());
        if (given !== undefined) {
            await this.#live(given);
        }
    }

    /** Sends the same form twice at once. What it stands for is given at most once. */
    async #twice(form: Record<string, string>): Promise<{ access_token: string; refresh_token: string } | undefined> {
        const isTwice = this.#dice.between(0, 2) === 0;
        const answers = await Promise.all(Array.from({ length: isTwice ? 2 : 1 }, () => this.#ask('POST', '/oauth/token', { form: { client_id: this.#app, ...form } })));
        const given = answers.filter((answer) => answer?.status === 200);
        this.#seen.check(given.length <= 1, `${form.grant_type} was given ${given.length} times`);
        // The second one ends what the first one got.
        return isTwice ? undefined : given[0]?.body;
    }

    async #byPage(): Promise<{ access_token: string; refresh_token: string } | undefined> {
        const verifier = randomBytes(32).toString('base64url');
        const challenge = createHash('sha256').update(verifier).digest('base64url');
        const begun = await this.#ask('GET', `/oauth/auth?${new URLSearchParams({ client_id: this.#app, redirect_uri: REDIRECT, response_type: 'code', scope: SCOPE, state: 'x', code_challenge: challenge, code_challenge_method: 'S256' })}`);
        if (begun === undefined) {
            return undefined;
        }

        this.#seen.check(begun.status === 303, `to begin: ${begun.status}`);
        const allow = this.#dice.between(0, 4) > 0;
        const page = new URL(begun.location, PUBLIC_URL).pathname;
        if (allow) {
            this.#seen.letIn.add(this.#user.id);
        }

        const decided = await this.#ask('POST', page, { json: { allow }, cookies: begun.cookies, token: this.#user.token });
        if (decided === undefined) {
            return undefined;
        }

        // What was acknowledged is not lost: the way back leads to a code.
        this.#seen.check(decided.status === 200, `to decide: ${decided.status} ${JSON.stringify(decided.body)}`);
        if (decided.status !== 200) {
            return undefined;
        }

        const { pathname } = new URL(decided.body.location);
        const back = await this.#ask('GET', pathname, { cookies: begun.cookies });
        if (back === undefined) {
            return undefined;
        }

        const code = back.location === '' ? null : new URL(back.location).searchParams.get('code');
        this.#seen.check((code !== null) === allow, `${allow ? 'allowed' : 'refused'}, and back with ${back.status} ${back.location}`);
        return code === null ? undefined : this.#twice({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier });
    }

    async #byDevice(): Promise<{ access_token: string; refresh_token: string } | undefined> {
        const begun = await this.#ask('POST', '/oauth/device', { form: { client_id: this.#app, scope: SCOPE } });
        if (begun === undefined) {
            return undefined;
        }

        const { device_code: device, user_code: code } = begun.body;
        const allow = this.#dice.between(0, 4) > 0;
        if (allow) {
            this.#seen.letIn.add(this.#user.id);
        }

        const decided = await this.#ask('POST', '/oauth/device/decision', { json: { user_code: code, allow }, token: this.#user.token });
        if (decided === undefined) {
            return undefined;
        }

        this.#seen.check(decided.status === 200, `to decide for a device: ${decided.status}`);
        const given = await this.#twice({ grant_type: DEVICE, device_code: device });
        this.#seen.check(allow || given === undefined, 'a token for a device that was refused');
        return given;
    }

    /** Uses, renews and ends what was given. */
    async #live({ access_token: token, refresh_token: refresh }: { access_token: string; refresh_token: string }): Promise<void> {
        this.#seen.working.add(token);
        const used = await this.#must('GET', '/users/me', { token });
        this.#seen.check(used.status === 200, `a token that was given is ${used.status}`);
        const renewed = await this.#twice({ grant_type: 'refresh_token', refresh_token: refresh });
        if (renewed === undefined) {
            // A renewal of which nothing is known, or one that was sent twice: its tokens may have ended.
            this.#seen.working.delete(token);
        }
        else if (this.#dice.between(0, 1) === 0) {
            this.#seen.working.add(renewed.access_token);
            const isWhole = await this.#ask('POST', '/oauth/revoke', { form: { client_id: this.#app, token: renewed.refresh_token } });
            [token, renewed.access_token].forEach((each) => {
                this.#seen.working.delete(each);
                if (isWhole?.status === 200) {
                    this.#seen.ended.add(each);
                }
            });
        }
        else {
            this.#seen.working.add(renewed.access_token);
            const reused = await this.#ask('POST', '/oauth/token', { form: { client_id: this.#app, grant_type: 'refresh_token', refresh_token: refresh } });
            this.#seen.check(reused?.status !== 200, 'a refresh token works twice');
            [token, renewed.access_token].forEach((each) => {
                this.#seen.working.delete(each);
                if (reused !== undefined) {
                    this.#seen.ended.add(each);
                }
            });
        }
    }
}

/** The status of a token at a service. */
export const statusOf = async (service: Service, token: string): Promise<number | undefined> => (await send(service, 'token', { method: 'GET', path: '/users/me', token }))?.status;
