import { usernameKey } from '../../api/representations/username';

/*
 * Letters and signs that look like a letter from a to z. Those of other scripts are from the table of confusables of Unicode (UTS #39,
 * section 4), after folding case: letters of Latin, Cyrillic and Greek that look like one letter, without those that would make two letters
 * of their own script the same (as σ and ο, or rn and m), so that words of one script stay apart.
 */
const lookAlikes = {
    a: 'ɑαа', b: 'ƅꞵβв', c: 'ᴄс', d: 'ԁ', e: 'ꬲеҽε', f: 'ꬵꞙẝϝ', g: 'ɡᶃԍ', h: 'һн', i: 'ɪɩιі', j: 'ϳјʝ', k: 'κк', l: 'ǀӏ', m: 'μϻм', n: 'νη', o: 'ᴏᴑꬽοо', p: 'ρр', q: 'ԛ', r: 'ꭇꭈᴦг', s: 'ꜱƽѕ', t: 'τт',
    u: 'ꞟᴜꭎꭒʋυ', v: 'ᴠѵ', w: 'ɯᴡѡԝ', x: 'хꭓχ', y: 'ɣᶌʏỿꭚγуү', z: 'ᴢζ'
} as const;

const letterOf = new Map(Object.entries(lookAlikes).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)));
const others = new RegExp(`[${[...letterOf.keys()].join('')}]`, 'gu');

/**
 * A text in which nothing is left of case, width, composition, invisible characters and look-alikes. Diacritics stay as they are written.
 */
export const skeletonOf = (text: string): string => {
    return usernameKey(text.replace(/\p{DI}/gu, '')).replace(others, (letter) => letterOf.get(letter) ?? letter);
};

/** Digits and signs that are written for letters. 1, ! and | stand for two. */
const signs: Readonly<Record<string, string>> = { 0: 'o', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', 9: 'g', $: 's', '@': 'a', '€': 'e' };

const sign = /[\d$@!|€]/;
const noDigit = /[$@!|€]/;
const letter = /\p{L}/u;

const inLetters = (part: string, between: string): string => {
    return part.replace(/[!|]{1,8}$/, '').replace(/[\d$@!|€]/g, (each) => signs[each] ?? (/[1!|]/.test(each) ? between : each));
};

/** Readings of a part with a sign. A number is no word. */
const withLetters = (part: string): string[] => (!letter.test(part) ? [part] : /[1!|]/.test(part) ? [part, inLetters(part, 'i'), inLetters(part, 'l')] : [part, inLetters(part, '')]);

/**
 * The words that a part of a skeleton may be read as: as it is, without the signs around and in it, and with letters in place of signs and
 * digits.
 */
export function readingsOf(part: string): string[] {
    if (!sign.test(part)) {
        return [part];
    }

    return noDigit.test(part) ? [part, ...part.split(/[$@!|€]+/)].filter((one) => one !== '').flatMap(withLetters) : withLetters(part);
}
