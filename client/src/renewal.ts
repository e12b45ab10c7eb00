import { signalOf } from './api.js';
import type { CallOptions } from './api.js';
import { PagewrightError, errorBodyOf, retryAfterOf } from './errors.js';
import { isObject } from './merge.js';
import type { Send } from './retries.js';
import type { KeptSession, Renewal, Session } from './session.js';

/** Milliseconds before its end from which on a token is renewed, or half of its life if that is less. */
const EARLY = 60_000;

/** Most milliseconds that signing out waits for the provider. */
const MAX_WAIT = 5000;

/** How the token in a response of the service is renewed; undefined if it cannot be. */
export function renewalOf(provider: string, body: unknown, former: string | null = null): Renewal | undefined {
    if (!isObject(body)) {
        return undefined;
    }

    const { refresh_token: given, expires_in: seconds } = body;
    const refreshToken = typeof given === 'string' ? given : former;
    const life = typeof seconds === 'number' ? seconds * 1000 : null;
    return refreshToken === null ? undefined : { provider, refreshToken, at: life === null ? null : Date.now() + life - Math.min(EARLY, life / 2) };
}

/** Renews the token of an identity provider before it ends, once for all tabs and all requests. */
export interface Renewing {
    /** The session to send a request with. */
    current(): Promise<Session | null>;
    /** The session after this token was refused: renewed, or null if it has ended. @throws PagewrightError or the error of `fetch` if the provider cannot be asked now */
    after(refused: string): Promise<Session | null>;
}

const bodyFor = ({ provider, refreshToken }: Pick<Renewal, 'provider' | 'refreshToken'>): RequestInit => {
    return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ provider, refresh_token: refreshToken }) };
};

/** Has the provider revoke a refresh token of a session that has ended. Nobody stays signed in because that fails, or takes long, or the page is left meanwhile. */
export async function revokeRenewal(base: string, send: Send, renewal: Pick<Renewal, 'provider' | 'refreshToken'>, { signal, timeout = MAX_WAIT }: CallOptions = {}): Promise<void> {
    const over = signalOf({ timeout: Math.min(timeout, MAX_WAIT), ...signal && { signal } });
    const request = new Request(`${base}/sign-ins/revocations`, { ...bodyFor(renewal), keepalive: true, signal: over ?? null });
    await send(request).then(({ body }) => body?.cancel()).catch(() => undefined);
}

/** @param ended called when the provider renews nothing any more; the session has been removed by then */
export function renewing(session: KeptSession, base: string, send: Send, ended: (error: PagewrightError) => void): Renewing {
    let underWay: Promise<Session | null> | undefined;

    const renew = async (token: string): Promise<Session | null> => {
        // Another tab may have renewed it: providers take a refresh token once.
        const kept = session.read();
        if (kept?.renewal === undefined || kept.token !== token) {
            return kept;
        }

        const { provider, refreshToken } = kept.renewal;
        const response = await send(new Request(`${base}/sign-ins/renewals`, bodyFor(kept.renewal)));
        const error = response.ok ? undefined : new PagewrightError(response.status, await errorBodyOf(response), retryAfterOf(response));
        const body: unknown = error === undefined ? await response.json() : undefined;
        const now = session.read();
        if (now?.token !== token) {
            const given = renewalOf(provider, body);
            if (now === null && given !== undefined) {
                // Whoever signed out meanwhile did not have it.
                await revokeRenewal(base, send, given);
            }

            return now;
        }

        if (isObject(body) && typeof body.access_token === 'string') {
            const renewal = renewalOf(provider, body, refreshToken);
            session.write({ ...now, token: body.access_token, ...renewal && { renewal } });
        }
        else if (error?.code === 'identity_invalid' || error?.status === 404) {
            session.write(null);
            ended(error);
        }
        else if (error !== undefined) {
            throw error;
        }

        return session.read();
    };

    const once = (token: string): Promise<Session | null> => {
        const locks = globalThis.navigator?.locks;
        const work = (): Promise<Session | null> => renew(token);
        underWay ??= (locks === undefined ? work() : Promise.resolve(locks.request(`pagewright renewal ${base}`, work))).finally(() => {
            underWay = undefined;
        });
        return underWay;
    };

    return {
        current: () => {
            const kept = session.read();
            const at = kept?.renewal?.at ?? null;
            // While the provider cannot be asked, the token may still work.
            return kept === null || at === null || at > Date.now() ? Promise.resolve(kept) : once(kept.token).catch(() => session.read());
        },
        after: once
    };
}
