import { readFile, stat } from 'node:fs/promises';

import { errorMessage } from '../../database/statements/error-message';
import { BlockedWords, MAX_WORD, isWord, noWords } from './words';

/** Most bytes and words of the file. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_WORDS = 20_000;

/**
 * Reads the file of blocked words: one a line; what follows a `#` is a remark.
 * @param path null if no words are blocked
 * @throws Error with one sentence for an operator
 */
export async function readBlockedWords(path: string | null): Promise<BlockedWords> {
    if (path === null) {
        return noWords;
    }

    try {
        const { size } = await stat(path);
        if (size > MAX_BYTES) {
            throw new Error(`it has ${size} bytes, and may have ${MAX_BYTES}`);
        }

        return new BlockedWords(wordsIn(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))));
    }
    catch (error) {
        throw new Error(`BLOCKED_WORDS cannot be used. ${path}: ${errorMessage(error)}`, { cause: error });
    }
}

/** The words of the file. @throws Error that says which line is wrong */
function wordsIn(text: string): string[] {
    const words: string[] = [];
    text.split(/\r?\n/).forEach((line, n) => {
        const word = line.replace(/#.*/, '').trim();
        if (word !== '' && !isWord(word)) {
            throw new Error(`line ${n + 1} has to be one word of letters and digits, ${MAX_WORD} at most`);
        }

        if (word !== '') {
            words.push(word);
        }
    });
    if (words.length > MAX_WORDS) {
        throw new Error(`it has ${words.length} words, and may have ${MAX_WORDS}`);
    }

    return words;
}
