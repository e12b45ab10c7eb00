import { defined } from '../../api/errors/defined';
import { MAX_TERMS } from '../../limits';

/*
 * The words of texts in any script, for the index of the search and for what is asked of it. Both are made here, so that they agree
 * whatever the locale of the database is.
 */

/** Marks that a search ignores: accents of Latin, Greek and Cyrillic; vowel signs of Hebrew and Arabic. Those of other scripts, such as the vowels of Thai, are letters to their readers. */
const accents = /[\u0300-\u036F\u0483-\u0487\u0591-\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06ED\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/gu;

/** Letters with a stroke and joined letters, which Unicode does not decompose. */
const letters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', þ: 'th', æ: 'ae', œ: 'oe', ı: 'i', ς: 'σ' };
const strokes = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu');

/** Most characters of a text that are looked at once they are decomposed: more than any title or description has, but for letters that stand for whole words, such as ﷺ for 18. */
const MAX_FOLDED = 4096;

/** A text without the differences that a search ignores: case, accents, forms of the same letter, and invisible characters. */
const folded = (text: string): string => text.normalize('NFKD').slice(0, MAX_FOLDED).toWellFormed().replace(accents, '').replace(/\p{Cf}/gu, '').normalize('NFKC')
    .toUpperCase().toLowerCase().replace(strokes, (letter) => defined(letters[letter]));

/** A run of letters, marks and digits, either of scripts that put blanks between words, or of scripts that do not. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}`;
const word = String.raw`[\p{L}\p{M}\p{N}]`;
const runs = new RegExp(`(?:(?![${unspaced}])${word})+|(?:(?=[${unspaced}])${word})+`, 'gu');
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u');

/** Maximum characters of a word; further ones are ignored. */
const MAX_LETTERS = 32;

/** Characters of each part into which a run without blanks is divided. */
const PART = 3;

const partsAt = (characters: readonly string[], from: number): string => characters.slice(from, from + PART).join('');

/**
 * The words of a text, each once, as the index holds them. A run without blanks has a part of three characters at each place, so that any
 * piece of it is found: a short one as the beginning of a part, a longer one by all of its parts.
 */
export function wordsOf(text: string): Set<string> {
    const words = new Set<string>();
    for (const [run] of folded(text).matchAll(runs)) {
        const characters = [...run];
        if (isUnspaced.test(run)) {
            characters.forEach((_character, at) => words.add(partsAt(characters, at)));
        }
        else {
            words.add(characters.slice(0, MAX_LETTERS).join(''));
        }
    }

    return words;
}

/** A word that is asked for. */
export interface Term {
    text: string;
    /** whether it is also found where a word only begins with it */
    begins: boolean;
    /** whether a word that goes on is a worse match than one that does not */
    isWord: boolean;
}

/** The words of a question, each once, the first ones of a long one. */
export function termsOf(question: string): Term[] {
    const terms = new Map<string, Term>();
    for (const [run] of folded(question).matchAll(runs)) {
        const characters = [...run];
        if (!isUnspaced.test(run)) {
            const text = characters.slice(0, MAX_LETTERS).join('');
            // Too many words begin with the same letter.
            terms.set(text, { text, begins: characters.length > 1, isWord: true });
        }
        else if (characters.length < PART) {
            terms.set(run, { text: run, begins: true, isWord: false });
        }
        else {
            for (let at = 0; at + PART <= characters.length; ++at) {
                const text = partsAt(characters, at);
                terms.set(text, { text, begins: false, isWord: false });
            }
        }
    }

    return [...terms.values()].slice(0, MAX_TERMS);
}
