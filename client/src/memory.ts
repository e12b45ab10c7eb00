import type { Send } from './retries.js';

/** A response body and its entity tag. */
interface Remembered {
    tag: string;
    text: string;
}

const MAX_ANSWERS = 200;

/** Limits in characters, for all responses together and for one: a single large one must not push out all others. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const LARGEST = MAX_CHARACTERS / 4;

/**
 * Requests what has been read before with `If-None-Match`, and returns the remembered body if it is unchanged (RFC 9110
 * section 13.1.2). If a browser hides the tag from other origins, its own cache does the same.
 */
export function remembering(send: Send): Send {
    const answers = new Map<string, Remembered>();
    let characters = 0;

    const forget = (key: string): void => {
        characters -= answers.get(key)?.text.length ?? 0;
        answers.delete(key);
    };

    const remember = (key: string, answer: Remembered): void => {
        forget(key);
        // Sorted by last use: the first ones are removed first.
        answers.set(key, answer);
        characters += answer.text.length;
        for (const [oldest] of answers) {
            if (answers.size <= MAX_ANSWERS && characters <= MAX_CHARACTERS) {
                break;
            }

            forget(oldest);
        }
    };

    return async (request) => {
        if (request.method !== 'GET') {
            return await send(request);
        }

        // A user must not get what another one read.
        const key = `${request.headers.get('Authorization') ?? ''} ${request.url}`;
        const known = answers.get(key);
        if (known !== undefined && !request.headers.has('If-None-Match')) {
            request.headers.set('If-None-Match', known.tag);
        }

        const response = await send(request);
        const { headers, status, statusText } = response;
        if (known !== undefined && status === 304 && request.headers.get('If-None-Match') === known.tag) {
            remember(key, known);
            return new Response(known.text, { status: 200, headers: { ...Object.fromEntries(headers), 'Content-Type': 'application/json' } });
        }

        const tag = headers.get('ETag');
        if (status !== 200 || tag === null) {
            return response;
        }

        const text = await response.text();
        forget(key);
        if (text.length <= LARGEST) {
            remember(key, { tag, text });
        }

        return new Response(text, { status, statusText, headers });
    };
}
