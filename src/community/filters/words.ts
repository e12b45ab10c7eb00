import { createHash } from 'node:crypto';

import { readingsOf, skeletonOf } from './look-alikes';

/** Most letters of a word. */
export const MAX_WORD = 64;

/** Characters that are looked at in one turn of the event loop: about a millisecond. */
const AT_ONCE = 4096;

/** How far before the end of a part a place between two words is looked for. */
const LONGEST_WORD = 1024;

/** Scripts that put no spaces between words, so that a word of theirs is found inside of others. */
const spaceless = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;

const between = /[^\p{L}\p{M}\p{N}$@!|€]/u;
const parts = /[\p{L}\p{M}\p{N}$@!|€]+/gu;

/** Words by their characters, one after the other. */
interface Branch {
    /** the word that ends here, as the file has it */
    word?: string;
    next: Map<number, Branch>;
}

/** Whether something can be a word of the list: letters, marks and digits alone. */
export const isWord = (text: string): boolean => text.length <= MAX_WORD && /^[\p{L}\p{M}\p{N}]+$/u.test(skeletonOf(text));

/** The words that the operators of a site block (`BLOCKED_WORDS`). */
export class BlockedWords {
    /** Changes when the words do. */
    readonly version: string;
    readonly #whole = new Map<string, string>();
    readonly #within: Branch = { next: new Map() };

    constructor(words: readonly string[]) {
        for (const word of words) {
            const skeleton = skeletonOf(word);
            if (spaceless.test(skeleton)) {
                this.#insert(skeleton, word);
            }
            else {
                this.#whole.set(skeleton, word);
            }
        }

        this.version = createHash('sha256').update([...this.#whole.keys(), ...words.filter((word) => spaceless.test(word))].sort().join('\n')).digest('hex').slice(0, 16);
    }

    /** Whether no word is blocked. */
    get isEmpty(): boolean {
        return this.#whole.size === 0 && this.#within.next.size === 0;
    }

    /**
     * The first blocked word in a short text, as the file has it; undefined if there is none.
     * @param except words that are not looked for
     */
    find(text: string, except?: ReadonlySet<string>): string | undefined {
        if (this.isEmpty) {
            return undefined;
        }

        const skeleton = skeletonOf(text);
        for (const [part] of skeleton.matchAll(parts)) {
            for (const reading of readingsOf(part)) {
                const word = this.#whole.get(reading);
                if (word !== undefined && except?.has(word) !== true) {
                    return word;
                }
            }
        }

        return this.#within.next.size === 0 ? undefined : this.#findWithin(skeleton, except);
    }

    /**
     * Looks for blocked words in a text of any length, a part at a time.
     * @yields the first word of each part, or undefined if it has none
     */
    * findAll(text: string, except?: ReadonlySet<string>): Generator<string | undefined> {
        for (let from = 0; from < text.length;) {
            const to = endOfPart(text, from);
            yield this.find(text.slice(beginOfPart(text, from), to), except);
            from = to;
        }
    }

    #insert(skeleton: string, word: string): void {
        let at = this.#within;
        for (let n = 0; n < skeleton.length; n++) {
            const code = skeleton.charCodeAt(n);
            const next = at.next.get(code) ?? { next: new Map<number, Branch>() };
            at.next.set(code, next);
            at = next;
        }

        at.word = word;
    }

    #findWithin(skeleton: string, except?: ReadonlySet<string>): string | undefined {
        for (let from = 0; from < skeleton.length; from++) {
            let at = this.#within.next.get(skeleton.charCodeAt(from));
            for (let n = from + 1; at !== undefined; n++) {
                if (at.word !== undefined && except?.has(at.word) !== true) {
                    return at.word;
                }

                at = at.next.get(skeleton.charCodeAt(n));
            }
        }

        return undefined;
    }
}

/** The begin of a part: in a script without spaces a little before its place, so that a word is found that was cut there. */
function beginOfPart(text: string, from: number): number {
    let at = from;
    while (at > Math.max(from - MAX_WORD, 0) && spaceless.test(text.charAt(at - 1))) {
        at--;
    }

    return at;
}

/** The end of a part that begins at a place: between two words if there is one near enough. */
function endOfPart(text: string, from: number): number {
    const most = from + AT_ONCE;
    if (most >= text.length) {
        return text.length;
    }

    for (let at = most; at > most - LONGEST_WORD; at--) {
        if (between.test(text.charAt(at))) {
            return at;
        }
    }

    return most;
}

export const noWords = new BlockedWords([]);
