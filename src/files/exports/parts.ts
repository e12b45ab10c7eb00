import { pauses } from '../../api/concurrency/yielding';

/** Characters of a part. To look at all of them takes about a millisecond. */
export const PART = 64 * 1024;

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

/** Texts in small parts, between which other requests go on: an element alone can have four million characters. No letter is cut. */
export async function* inParts(texts: AsyncIterable<string>): AsyncGenerator<string> {
    const pause = pauses();
    for await (const text of texts) {
        for (let from = 0, to = 0; from < text.length; from = to) {
            to = from + PART;
            to += Number(isFirstHalf(text.charCodeAt(to - 1)));
            yield text.slice(from, to);
            await pause();
        }
    }
}
