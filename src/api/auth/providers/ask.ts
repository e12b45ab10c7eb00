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

/** Maximum bytes of a response, also after decompression. */
const MOST_BYTES = 1024 * 1024;

/**
 * Requests a JSON object from the provider. Redirects are not followed, so that requests only go to addresses in the
 * configuration or in the provider's metadata.
 * @param signal aborts the request, also while its body is read
 * @throws Error if the response is not a JSON object with the status 200, or is too large
 */
export async function askJson(url: string, signal: AbortSignal, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(url, { ...init, headers: { accept: 'application/json', ...init.headers }, redirect: 'error', signal });
    const { body, status } = response;
    if (body === null || status !== 200) {
        await body?.cancel();
        throw new Error(`${url} answered with the status ${status}`);
    }

    const answer: unknown = JSON.parse(await textOf(body, url));
    if (!isObject(answer)) {
        throw new Error(`${url} answered something else than a JSON object`);
    }

    return answer;
}

async function textOf(body: ReadableStream<Uint8Array>, url: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    // Throwing inside the loop also aborts the request.
    for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) {
            throw new Error(`${url} answered more than ${MOST_BYTES} bytes`);
        }

        chunks.push(chunk);
    }

    return Buffer.concat(chunks).toString();
}

