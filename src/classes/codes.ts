import { randomInt } from 'node:crypto';

/** Without vowels, so that it is no word, and without what looks alike. */
const characters = '23456789bcdfghjkmnpqrstvwxz';

/** Characters of a code: 57 bits, which nobody guesses within the limit on joining. The constraint classes_code_length has the same number. */
const LENGTH = 12;

/** A new code to join a class by, as it is stored. */
export const newClassCode = (): string => Array.from({ length: LENGTH }, () => characters.charAt(randomInt(characters.length))).join('');

/** A code as it is stored, of one that somebody typed, in which case, blanks and hyphens do not matter. */
export const typedCode = (text: string): string => text.toLowerCase().replace(/[\s-]/g, '');

/** SQL for a code as it is shown: in groups of four. */
export const shownCode = (column: string): string => `substr(${column}, 1, 4) || '-' || substr(${column}, 5, 4) || '-' || substr(${column}, 9)`;
