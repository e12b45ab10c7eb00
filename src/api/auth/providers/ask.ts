import { MAX_PROVIDER_BYTES } from '../../../limits';
import { isObject } from '../../json/is-object';

/** The provider does not respond, or its response is invalid, so a token can be neither accepted nor rejected. */
export class ProviderFailure extends Error {
    /** seconds after which to ask again */
    readonly retryAfter: number;

    /** @param cause undefined if no request was sent, because the circuit breaker is open */
    constructor(retryAfter: number, cause?: unknown) {
        super('The identity provider could not be asked', { cause });
        this.name = 'ProviderFailure';
        this.retryAfter = retryAfter;
    }
}

/**
 * Sends a request to the provider. Redirects are not followed, so that requests only go to addresses in the configuration or in the provider's metadata.
 * @param signal aborts the request, also while its body is read
 * @throws Error if there is no response, it has no body, or it is too large
 */
export async function ask(url: string, signal: AbortSignal, init: RequestInit = {}): Promise<{ status: number; headers: Headers; text: string }> {
    const { status, headers, body } = await fetch(url, { ...init, headers: { accept: 'application/json', ...init.headers }, redirect: 'error', signal });
    if (body === null) {
        throw new Error(`${url} answered without a body, with the status ${status}`);
    }

    return { status, headers, text: await textOf(body, url) };
}

/** Asks for a JSON object. @throws Error also if the response is another one, or its status is not 200 */
export async function askJson(url: string, signal: AbortSignal, init?: RequestInit): Promise<Readonly<Record<string, unknown>>> {
    const { status, text } = await ask(url, signal, init);
    if (status !== 200) {
        throw new Error(`${url} answered with the status ${status}`);
    }

    const answer: unknown = JSON.parse(text);
    if (!isObject(answer)) {
        throw new Error(`${url} answered something else than a JSON object`);
    }

    return answer;
}

/** Allows any https address, because large providers have more than one host. Plain http is allowed only at the issuer's own address, on this machine. @throws Error */
export function mayAsk(url: string, issuer: string): string {
    const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
    if (protocol !== 'https:' && origin !== new URL(issuer).origin) {
        throw new Error(`The provider's metadata names the address ${JSON.stringify(url)}, which has to be an https:// address`);
    }

    return url;
}

async function textOf(body: ReadableStream<Uint8Array>, url: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    // Throwing inside the loop also aborts the request.
    for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > MAX_PROVIDER_BYTES) {
            throw new Error(`${url} answered more than ${MAX_PROVIDER_BYTES} bytes`);
        }

        chunks.push(chunk);
    }

    return Buffer.concat(chunks).toString();
}

