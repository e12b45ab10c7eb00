/** The provider does not answer, or not as it should, so that nothing is known of a token. */
export class ProviderFailure extends Error {
    /** seconds after which to ask again */
    readonly retryAfter: number;

    /** Without a cause, the provider was not asked: it has failed before, and is left alone for a while. */
    constructor(retryAfter: number, cause?: unknown) {
        super('The identity provider could not be asked', { cause });
        this.name = 'ProviderFailure';
        this.retryAfter = retryAfter;
    }
}

/** Most bytes of an answer, also after decompression. */
const MOST_BYTES = 1024 * 1024;

/**
 * Asks the provider, and answers the JSON object it sends. Redirects are not followed: nothing is asked of an address
 * that the configuration, or the provider's own metadata, does not name.
 * @param signal ends the request, its body included
 * @throws Error where there is no such answer
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
    // Leaving the loop ends the request.
    for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) {
            throw new Error(`${url} answered more than ${MOST_BYTES} bytes`);
        }

        chunks.push(chunk);
    }

    return Buffer.concat(chunks).toString();
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);
