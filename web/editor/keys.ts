/** Signs by the place of their key, as far as shortcuts need them. */
const signs: Readonly<Record<string, string>> = { BracketLeft: '[', BracketRight: ']' };

/**
 * A key's meaning in shortcuts, in small letters. A key that says a Latin letter or a sign goes by what it says, wherever it lies; one of another script by its place, where Latin
 * keyboards have these letters.
 */
export function shortcutKey({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
    const isOther = key === 'Dead' || key === 'Unidentified' || (/^.$/u.test(key) && /[^\p{Script=Latin}\p{Script=Common}]/u.test(key));
    return isOther ? /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? signs[code] ?? '' : key.toLowerCase();
}
