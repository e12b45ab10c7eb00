/*
 * What a passage says is words, HTML and code of its story format. Readers of formats put LEFT_OUT where there was code, so that a line of which nothing is left is none.
 * Each takes time in proportion to the text: what is looked for in vain once is not looked for again.
 */

/** In the place of what is left out: a character that is in no file, as PostgreSQL does not store it. */
export const LEFT_OUT = '\0';

/** The text without what was left out: no empty line stays of a line of code, and one blank where there was one on both sides. */
export function withoutCode(text: string): string {
    const lines = text.split('\n').filter((line) => !line.includes(LEFT_OUT) || line.replaceAll(LEFT_OUT, '').trim() !== '');
    return lines.map((line) => (line.startsWith(LEFT_OUT) ? line.replace(/^[\0 ]+/, '') : line)).join('\n').replace(/ ?(?:\0 ?)+/g, (all) => (all.includes(' ') ? ' ' : ''));
}

/** Finds strings in a text, and notes which of them are not there any more. */
export class Finder {
    readonly #text: string;
    readonly #lower: string;
    readonly #gone = new Set<string>();
    /** by quotes, up to where a string that one begins does not end */
    readonly #open = new Map<string, number>();
    /** whether the end of a macro was looked for in vain, with regard to strings in it: then strings are not looked at any more */
    ignoresStrings = false;

    constructor(text: string) {
        this.#text = text;
        // Some letters become two in lower case, which would move all places.
        this.#lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    }

    /** The place after a string in lower case, from a place on, which is never before that of an earlier call for the same string; -1 if it is not there. */
    after(what: string, from: number): number {
        const at = this.#gone.has(what) ? -1 : this.#lower.indexOf(what, from);
        if (at < 0) {
            this.#gone.add(what);
        }

        return at < 0 ? -1 : at + what.length;
    }

    /** The place after the quote that ends a string; after the one that begins it, if none does in its line, as in the word "don't". */
    afterString(at: number): number {
        const quote = this.#text.charAt(at);
        const end = /[\n"'`\\]/g;
        for (end.lastIndex = at + 1; at >= (this.#open.get(quote) ?? 0);) {
            const found = end.exec(this.#text);
            if (found === null || (found[0] === '\n' && quote !== '`')) {
                this.#open.set(quote, found?.index ?? Infinity);
                break;
            }

            if (found[0] === quote) {
                return end.lastIndex;
            }

            end.lastIndex += found[0] === '\\' ? 1 : 0;
        }

        return at + 1;
    }
}

/** The words of a string of code that is one: `"It\'s"`. */
export const stringIn = (literal: string): string => literal.slice(1, -1).replace(/\\(.)/gs, '$1');

/** A string of code, between quotes. */
export const literal = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/.source;

/** A link as all formats write it, for what they write in other ways. */
export const linkTo = (text: string, target: string): string => `[[${text.replaceAll(/[[\]\n]/g, ' ')}->${target}]]`;

const escaped = (text: string): string => text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A picture in HTML. @param source an address, or the name of a passage that is a picture */
export const pictureOf = (source: string, alt: string): string => `<img data-source="${escaped(source)}" alt="${escaped(alt)}">`;
