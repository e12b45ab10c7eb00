import { NotJson } from './tokens';

const [QUOTE, BACKSLASH] = [0x22, 0x5C];

/**
 * Blanks that a text may have outside of strings, and how many more for each other byte: one that is written with four spaces for each level has less than three.
 */
const FREE = 1024 * 1024;
const FOR_A_BYTE = 4;

export const isBlank = (unit: number | undefined): boolean => unit === 0x20 || unit === 0x0A || unit === 0x0D || unit === 0x09;

/** The place after the blanks that begin at a place. */
export function afterBlanks(chunk: Buffer, start: number): number {
    let at = start;
    while (isBlank(chunk[at])) {
        ++at;
    }

    return at;
}

/**
 * Passes a JSON text on, as long as it is not mostly blanks: they cost nothing to send, as they are compressed.
 * @throws NotJson
 */
export async function* withFewBlanks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let [before, blanks] = [0, 0];
    let [inText, escaped] = [false, false];
    for await (const chunk of chunks) {
        for (let at = 0; at < chunk.length; ++at) {
            if (escaped) {
                escaped = false;
            }
            else if (inText) {
                inText = chunk[at] !== QUOTE;
                escaped = chunk[at] === BACKSLASH;
            }
            else if (chunk[at] === QUOTE) {
                inText = true;
            }
            else if (isBlank(chunk[at])) {
                ++blanks;
            }
        }

        before += chunk.length;
        if (blanks > FREE + FOR_A_BYTE * (before - blanks)) {
            throw new NotJson(before, `more than ${FOR_A_BYTE} spaces and line breaks for each other byte (write it without them)`);
        }

        yield chunk;
    }
}
