import type { Send } from './retries.js';

/** An answer, and the entity tag it came with. */
interface Remembered {
    tag: string;
    text: string;
}

const MOST_ANSWERS = 200;

/** Characters of all answers together, and of one: a single large one must not push out all others. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const LARGEST = MOST_CHARACTERS / 4;

/**
 * Asks for what has been read before with `If-None-Match`, and answers what is remembered where it still holds (RFC 9110
 * section 13.1.2). Where a browser hides the tag from other origins, its own cache does the same out of sight.
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
        // Last used last: the first ones go first.
        answers.set(key, answer);
        characters += answer.text.length;
        for (const [oldest] of answers) {
            if (answers.size <= MOST_ANSWERS && characters <= MOST_CHARACTERS) {
                break;
            }

            forget(oldest);
        }
    };

    return async (request) => {
        if (request.method !== 'GET') {
            return await send(request);
        }

        // What one user may read is not another's.
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
