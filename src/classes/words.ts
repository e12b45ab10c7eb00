import { randomInt } from 'node:crypto';

import { defined } from '../api/errors/defined';

/*
 * Words for pass-phrases and usernames, of the lists of BIP 39: 2,048 common words of a language each, of which no two begin with the same four letters.
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

/** Words that a child should not find on a slip of paper: those that lists of rude words name (`naughty-words` 1.2, `cuss` 2.2), and what frightens or is of drugs, weapons and illness. */
const unfit: ReadonlySet<string> = new Set(`
    abuse addict adult afraid alcohol amateur angry anxiety army assault attack banana black blind blood body bomb brain bullet cigar coconut color crack crash crime cruel crush cry damage danger deposit destroy
    disease divorce dumb enemy evil execute faith fat fatal female fire fruit ghost guard guilt gun hole horn horror hospital hurt illegal insane jealous kid kiss knife latin lonely mad man mistake nasty obscure
    orphan panic patient penalty pill pistol poverty prison rebel reject rifle riot scare shoot sick sister slim smoke suffer swallow sword toilet tongue tragic trap trouble ugly unable useless vicious virus vote
    weapon wine wreck wrong
    asno chancla coger cola comer conejo copa crimen cuchara culpa dolor droga ebrio feo forro gordo guerra hueco huevo leche malo matar miedo mojar morir muerte odio paquete pata pisar plomo polvo puchero sangre
    sexo tonto tumba tumor veneno vino yegua
    amador aranha arma cachorro cerveja frango galinha macaco nudez orgasmo pancada piranha sangue veado vibrador
    cerise envoyer glisser graine limer nuisible sauter tirelire tuyau
    biga montato mora patacca sbattere squillo tromba uccello vangare`.trim().split(/\s+/));

const isListed = (language: string): language is Listed => Object.hasOwn(load, language);

/** The words of a language, of which any keyboard has the letters; of English if it has no list here. @param language a tag, such as `pt-BR` */
export async function wordsOf(language: string): Promise<readonly string[]> {
    const primary = language.split('-', 1).join('').toLowerCase();
    const { wordlist } = await load[isListed(primary) ? primary : 'en']();
    return wordlist.filter((word) => /^[a-z]{3,8}$/.test(word) && !unfit.has(word));
}

const drawn = (words: readonly string[], count: number): string[] => Array.from({ length: count }, () => defined(words[randomInt(words.length)]));

/** A new pass-phrase, of 40 bits and more, to be typed with blanks between its words. */
export const newPassphrase = (words: readonly string[]): string => drawn(words, WORDS).join(' ');

/** A new username, in which nothing tells of who it is for: two words and two digits. */
export const newUsername = (words: readonly string[]): string => `${drawn(words, 2).join('-')}-${randomInt(10, 100)}`;
