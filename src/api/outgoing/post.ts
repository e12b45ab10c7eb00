import { Resolver } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';

import { MAX_WEBHOOK_ANSWER_BYTES, WEBHOOK_SECONDS, inBytes } from '../../limits';
import { fieldOf } from '../json/is-object';
import type { AddressRule } from './addresses';

/** Why nothing was sent, or no answer came, in words for whoever chose the address. */
export class NotSent extends Error {}

export interface Answer {
    status: number;
    /** seconds after which the receiver wants to be asked again; null if it does not say */
    retryAfter: number | null;
}

/** Looks up the addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>;

/** Most addresses of a name that are looked at. */
const MAX_ADDRESSES = 8;

/** Asks the name servers. Not the system's own function: its few threads also hash passwords and read files, and a name server that hangs would stop them. */
export function nameServers(resolver = new Resolver({ timeout: 2000, tries: 2 })): Resolve {
    return async (name) => {
        const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
        return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    };
}

export interface PostOptions {
    rule: AddressRule;
    resolve: Resolve;
    /** certificates to trust in place of those of Node */
    ca?: string | undefined;
    /** milliseconds for all of it */
    timeout?: number;
}

/** The host of a URL, without the brackets of IPv6. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Whether something may be sent to a URL, as far as can be told without looking up a name. */
export function mayBeAllowed(text: string, rule: AddressRule): boolean {
    if (!URL.canParse(text)) {
        return false;
    }

    const url = new URL(text);
    const [host, isEncrypted] = [hostOf(url), url.protocol === 'https:'];
    return isIP(host) === 0 ? isEncrypted || rule.hasNetworks : rule.allows(host, isEncrypted);
}

/** Those addresses of a host that may be asked. @throws NotSent if there are none */
async function addressesOf(url: URL, { rule, resolve }: PostOptions, signal: AbortSignal): Promise<string[]> {
    const host = hostOf(url);
    const found = isIP(host) === 0 ? await unlessAborted(resolve(host), signal) : [host];
    if (found.length === 0) {
        throw new NotSent('The name of the host has no address.');
    }

    const allowed = found.slice(0, MAX_ADDRESSES).filter((address) => rule.allows(address, url.protocol === 'https:'));
    if (allowed.length === 0) {
        throw new NotSent('The address is not on the public internet, or it is not https.');
    }

    return allowed;
}

/** The result, or the reason of the signal if that comes first. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
        void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
}

/**
 * Sends a body to an address that a user chose. The connection goes to an address that was checked, whatever the name leads to a moment later; redirects are
 * not followed; and of the answer only the status counts, of which a bounded part is read, within a bounded time.
 * @param ending ends it early
 * @throws NotSent, or the reason of the signal `ending`
 */
export async function post(url: URL, headers: Readonly<Record<string, string>>, body: string, options: PostOptions, ending: AbortSignal): Promise<Answer> {
    const timeout = AbortSignal.timeout(options.timeout ?? WEBHOOK_SECONDS * 1000);
    const signal = AbortSignal.any([timeout, ending]);
    try {
        const addresses = await addressesOf(url, options, signal);
        return await exchange(url, { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body, addresses, options.ca, signal);
    }
    catch (error) {
        throw ending.aborted ? ending.reason : timeout.aborted ? new NotSent('There was no answer in time.') : error instanceof NotSent ? error : new NotSent(`The connection failed: ${codeOf(error)}.`);
    }
}

const codeOf = (error: unknown): string => String(fieldOf(error, 'code') ?? 'no answer');

function exchange(url: URL, headers: Record<string, string>, body: string, addresses: readonly string[], ca: string | undefined, signal: AbortSignal): Promise<Answer> {
    const checked = addresses.map((address) => ({ address, family: isIP(address) }));
    // An address in place of a name is not looked up, and is the one that was checked. Who tries several asks for all of them.
    const lookup: LookupFunction = (_name, _options, callback) => callback(null, checked);
    const how = { method: 'POST', agent: false, lookup, autoSelectFamily: true, headers, signal, ...ca !== undefined && { ca } };

    return new Promise((resolve, reject) => {
        const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
        const request = send(url, how);
        request.on('socket', (socket) => {
            const boundRead = (): void => {
                if (socket.bytesRead > MAX_WEBHOOK_ANSWER_BYTES) {
                    request.destroy(new NotSent(`The answer had more than ${inBytes(MAX_WEBHOOK_ANSWER_BYTES)}.`));
                }
            };

            request.on('information', boundRead).on('response', (response) => response.on('data', boundRead));
        });

        let answer: Answer | undefined;
        // However the body ends, the receiver has answered.
        const end = (error: unknown): void => (answer === undefined ? reject(error) : resolve(answer));
        request.on('error', end).on('close', () => end(new NotSent('The connection was closed without an answer.'))).on('response', (response) => {
            const after = Number(response.headers['retry-after']);
            answer = { status: Number(response.statusCode), retryAfter: Number.isSafeInteger(after) && after > 0 ? after : null };
            response.on('error', end);
        });
        request.end(body);
    });
}
