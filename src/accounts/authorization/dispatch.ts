import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { inject } from '@hapi/shot';
import type { MaybeInjectedRequest } from '@hapi/shot';
import type { default as OidcProvider } from 'oidc-provider' with { 'resolution-mode': 'import' };

/** Request headers that the library sees; all others are left out. */
const passed = ['accept', 'authorization', 'cookie', 'content-type'] as const;

/** Cookies that tie a request to the browser that began it. Others are not passed on: who is signed in is not kept in one. */
const isKept = (cookie: string): boolean => /^\s*_interaction(?:_resume)?=/.test(cookie);

/** A request for the library. */
export interface Sent {
    method: 'GET' | 'POST';
    /** path and query */
    url: string;
    /** of a form */
    payload?: string;
}

/** The headers of a request, with the address that the issuer has in the place of what the client says. */
export function headersFor(issuer: string, { headers }: Pick<Request, 'headers'>): Record<string, string> {
    const { host, protocol } = new URL(issuer);
    const given = Object.fromEntries(passed.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));
    const cookie = String(given.cookie ?? '').split(';').filter(isKept).join(';');
    return { ...given, cookie, host, 'x-forwarded-proto': protocol.slice(0, -1) };
}

/** A listener for requests. That some have no connection is nothing that the library needs to know. */
interface Listener<From> {
    answer(request: From, response: ServerResponse): void;
}

/** The response of the library. */
export interface Answer {
    status: number;
    headers: Readonly<Record<string, unknown>>;
    text: string;
}

/** Errors that the library had no answer for, by their requests. */
const failures = new WeakMap<object, unknown>();

/** Notes errors that are not the client's, which the library would print. */
export function noteFailures(provider: OidcProvider): void {
    const note = (error: unknown, { req }: { req: IncomingMessage }): void => void failures.set(req, error);
    provider.on('server_error', (context: { req: IncomingMessage }, error: unknown) => note(error, context));
    const koa: NodeJS.EventEmitter = provider;
    koa.on('error', note);
}

/**
 * Lets the library answer a request, without a connection of its own: its response goes the way of all others.
 * @throws what the library had no answer for, such as an error of the database
 */
export async function dispatch(provider: OidcProvider, request: Pick<Request, 'headers'>, { method, url, payload }: Sent): Promise<Answer> {
    const known: Listener<IncomingMessage> = { answer: provider.callback() };
    const listener: Listener<MaybeInjectedRequest> = known;
    const { raw, statusCode: status, headers, payload: text } = await inject((req, res) => listener.answer(req, res), { method, url, headers: headersFor(provider.issuer, request), payload });
    if (failures.has(raw.req)) {
        throw failures.get(raw.req);
    }

    return { status, headers, text };
}

/** Response headers of the library that clients get. */
const returned = ['content-type', 'location', 'cache-control', 'www-authenticate'] as const;

/** The library's response as one of ours. */
export function respond<Refs extends ReqRef>(h: ResponseToolkit<Refs>, { status, headers, text }: Answer): ResponseObject {
    const response = h.response(text).code(status);
    for (const name of returned) {
        if (headers[name] !== undefined) {
            response.header(name, String(headers[name]));
        }
    }

    for (const cookie of [headers['set-cookie'] ?? []].flat().map(String)) {
        if (isKept(cookie)) {
            response.header('set-cookie', cookie, { append: true, separator: '' });
        }
    }

    return response;
}
