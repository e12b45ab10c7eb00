import { randomInt } from 'node:crypto';

import { defined } from '../../api/errors/defined';
import { unfitWords } from './unfit-words';

/*
 * Words for pass-phrases and usernames, of the lists of BIP 39: 2,048 common words of a language each, of which no two begin with the same four letters. Without those of `unfit-words.ts`, they serve for both.
 */

/** As many words as a list has at least: four of them are 40 bits. */
export const FEWEST_WORDS = 1024;

/** Words in a pass-phrase. */
const WORDS = 4;

const load = {
    cs: () => import('@scure/bip39/wordlists/czech.js'),
    en: () => import('@scure/bip39/wordlists/english.js'),
    es: () => import('@scure/bip39/wordlists/spanish.js'),
    fr: () => import('@scure/bip39/wordlists/french.js'),
    it: () => import('@scure/bip39/wordlists/italian.js'),
    pt: () => import('@scure/bip39/wordlists/portuguese.js')
} as const;

type Listed = keyof typeof load;

/** The languages that have a list of their own. */
export const listedLanguages: readonly Listed[] = ['cs', 'en', 'es', 'fr', 'it', 'pt'];

const unfit: ReadonlyMap<Listed, ReadonlySet<string>> = new Map(listedLanguages.map((language) => [language, new Set(unfitWords[language].trim().split(/\s+/))]));

const isListed = (language: string): language is Listed => Object.hasOwn(load, language);

/** The words of a language, of which any keyboard has the letters; of English if it has no list here. @param language a tag, such as `pt-BR` */
export async function wordsOf(language: string): Promise<readonly string[]> {
    const primary = language.split('-', 1).join('').toLowerCase();
    const listed = isListed(primary) ? primary : 'en';
    const { wordlist } = await load[listed]();
    return wordlist.filter((word) => /^[a-z]{3,8}$/.test(word) && unfit.get(listed)?.has(word) !== true);
}

const drawn = (words: readonly string[], count: number): string[] => Array.from({ length: count }, () => defined(words[randomInt(words.length)]));

/** A new pass-phrase, of 40 bits and more, to be typed with blanks between its words. */
export const newPassphrase = (words: readonly string[]): string => drawn(words, WORDS).join(' ');

/** Two digits that mean nothing to anybody. */
const numbers = Array.from({ length: 80 }, (_, at) => String(at + 20)).filter((number) => number !== '69' && number !== '88');

/** A new username, in which nothing tells of who it is for: two words and two digits. */
export const newUsername = (words: readonly string[]): string => [...drawn(words, 2), ...drawn(numbers, 1)].join('-');
