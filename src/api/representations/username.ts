import { MAX_USERNAME } from '../../limits';

/*
 * The rules of usernames, for the API, the site (in browsers too), the commands of operators, and accounts of identity providers. They follow UAX #31
 * (characters of identifiers) and UTS #39 (section 5.2, restriction level "highly restrictive"): a name is in one script, or in Latin together with Chinese,
 * Japanese or Korean. What no script owns, such as digits 0-9, "_" and "-", goes with any.
 */

/** Scripts in which one language is written, and Latin, which goes with each of them. */
const together = ['Latn Hani Hira Kana', 'Latn Hani Bopo', 'Latn Hani Hang'];

/** The other scripts in use today: tables 5 and 7 of UAX #31. Those of the past count as one. */
const alone = `Adlm Arab Armn Bali Bamu Batk Beng Cakm Cans Cham Cher Cyrl Deva Ethi Geor Grek Gujr Guru Hebr Hmnp Java Kali Khmr Knda Lana Laoo Lepc Limb Lisu
    Mand Mlym Mong Mtei Mymr Newa Nkoo Olck Orya Osge Plrd Rohg Saur Sinh Sund Sylo Syrc Tale Talu Taml Tavt Telu Tfng Thaa Thai Tibt Vaii Wcho Yiii`.split(/\s+/);

/** Parts of a character class, one per script. Some characters are of several. */
const among = (scripts: string): string => scripts.replace(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`);

const ofOneScript = new RegExp(`^(?:${[...together, ...alone].map((scripts) => `[${among(`Zyyy Zinh ${scripts}`)}]*`).join('|')}|[^${among([...together, ...alone].join(' '))}]*)$`, 'u');

const characters = /^[\p{L}\p{Mn}\p{Mc}\p{Nd}_-]+$/u;

/** Marks follow a letter, and each letter is of a script. Fillers and the like are letters that nobody sees. */
const letters = /^(?:(?!\p{scx=Zyyy}|\p{DI})\p{L}(?:(?!\p{DI})\p{M})*|[\p{Nd}_-])+$/u;

/** More marks on a letter than any language has, or the same one twice, which looks like one (UTS #39, section 5.4). */
const crowded = /\p{Mn}{5}|(\p{Mn})\1/u;

/** Most characters of a name that is sent: each that is left in the normal form was up to four. */
export const MAX_SENT = 4 * MAX_USERNAME;

/** A name as it is kept and shown: in the normal form NFC (UAX #15), so that it is the same text however it was composed. */
export const normalUsername = (name: string): string => name.normalize('NFC');

/**
 * The key of a name. Two names have the same one if they differ only in case, width or composition: no two users have the same key, and a user is found by
 * it. It folds case in full (ß is ss), and makes no difference between i, I, İ and ı, as those look alike in capitals or in small letters.
 */
export const usernameKey = (name: string): string => name.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase()
    .replace(/\p{Soft_Dotted}\p{M}+/gu, (dotted) => dotted.replaceAll('\u0307', '')).normalize('NFKC');

/** A fault of a name. */
export type UsernameFault = 'length' | 'characters' | 'scripts';

/** The fault of a text that is given as the name of somebody; undefined if it can be one. */
export function notUsername(text: string): UsernameFault | undefined {
    if ([...normalUsername(text)].length > MAX_USERNAME) {
        return 'length';
    }

    return characters.test(text.normalize('NFKC')) ? undefined : 'characters';
}

/** The fault of a name that somebody wants; undefined if they can have it. What letters it has does not depend on their width, or on whether they are joined. */
export function usernameFault(text: string): UsernameFault | undefined {
    const fault = notUsername(text);
    if (fault !== undefined) {
        return fault;
    }

    const plain = text.normalize('NFKC');
    if (!characters.test(normalUsername(text)) || !letters.test(plain) || crowded.test(plain.normalize('NFD'))) {
        return 'characters';
    }

    return ofOneScript.test(plain) ? undefined : 'scripts';
}
