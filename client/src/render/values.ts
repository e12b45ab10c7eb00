/**
 * Single values of `styles`, each checked against what may be shown. Each function returns undefined for what it does not know, which is then left out.
 * Nothing here returns text that could end a declaration, call `url()` or grow without bound.
 */

import { fonts } from './fonts';

/** A number, or text with a number, perhaps in `px`. */
export function numberOf(value: unknown, least: number, most: number): number | undefined {
    const text = typeof value === 'string' && value.length <= 32 ? /^\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(?:px)?\s*$/.exec(value)?.[1] : undefined;
    const number = typeof value === 'number' ? value : Number(text ?? Number.NaN);
    // Adding 0 makes 0 of -0.
    return Number.isFinite(number) ? Math.min(Math.max(number, least), most) + 0 : undefined;
}

/** `#rgb`, `#rrggbb` (with or without alpha), a name, or a function such as `rgb(0 0 0 / 50%)`. */
export function colourOf(value: unknown): string | undefined {
    if (typeof value !== 'string' || value.length > 64) {
        return undefined;
    }

    const colour = value.trim().toLowerCase();
    return /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|[a-z]{3,24}|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\([\d\s.,%/+-]+(?:deg[\d\s.,%/+-]*)?\))$/.test(colour) ? colour : undefined;
}

/** One of these words. */
export function wordOf(...words: readonly string[]): (value: unknown) => string | undefined {
    return (value) => (typeof value === 'string' && words.includes(value) ? value : undefined);
}

/** Names of one element that are used. */
const MAX_FONTS = 8;

/** The font of the site that a general name of CSS stands for; undefined for any other name. */
const standIn = (name: string): string | undefined => fonts.find(({ generic }) => generic?.includes(name))?.family;

/** The fonts for letters that the named fonts lack. */
const last = fonts.filter(({ generic }, index) => index === 0 || generic === null).map(({ family }) => family);

/** Names of fonts, quoted anew, and after them those that have the letters which they lack. */
export function fontsOf(value: unknown): string | undefined {
    if (typeof value !== 'string' || value.length > 500) {
        return undefined;
    }

    const names = value.split(',').map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((name) => /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _-]{0,59}$/u.test(name));
    if (names.length === 0) {
        return undefined;
    }

    const kept = names.slice(0, MAX_FONTS);
    const families = new Set([...kept.map((name) => standIn(name) ?? name), ...last]);
    return [...[...families].map((name) => `'${name}'`), kept.filter((name) => standIn(name) !== undefined).at(-1) ?? 'sans-serif'].join(', ');
}

/** `normal`, `bold`, or a number from 1 to 1000. */
export function weightOf(value: unknown): string | undefined {
    const weight = numberOf(value, 1, 1000);
    return weight === undefined ? wordOf('normal', 'bold')(value) : String(Math.round(weight));
}

/** A number of units, or a number of letter heights as text: `0.1em`. */
export function spacingOf(value: unknown): number | string | undefined {
    const inLetters = typeof value === 'string' && value.endsWith('em') ? numberOf(value.slice(0, -2), -1, 5) : undefined;
    return inLetters === undefined ? numberOf(value, -100, 100) : `${inLetters}em`;
}

/** Degrees clockwise, less than one turn: a number, or `rotate(12deg)` as `transform` has it. */
export function degreesOf(value: unknown): number | undefined {
    const inside = typeof value === 'string' && value.length <= 64 ? /^\s*rotate\(\s*([^()]*?)(?:deg)?\s*\)\s*$/.exec(value)?.[1] : undefined;
    const degrees = numberOf(inside ?? value, -1e6, 1e6);
    return degrees === undefined ? undefined : degrees % 360 + 0;
}

export interface Border {
    width: number;
    style: string;
    colour: string;
}

/** A border as in CSS: `2px solid #333`, in any order. */
export function borderOf(value: unknown): Border | undefined {
    if (typeof value !== 'string' || value.length > 100) {
        return undefined;
    }

    // A colour may have spaces between its brackets.
    const parts = value.match(/[^\s(]+(?:\([^)]*\))?/g) ?? [];
    const border: Partial<Border> = {};
    for (const part of parts) {
        const [width, style, colour] = [numberOf(part, 0, 100), wordOf('solid', 'dashed', 'dotted', 'double', 'none')(part), colourOf(part)];
        Object.assign(border, width !== undefined ? { width } : style !== undefined ? { style } : colour !== undefined ? { colour } : {});
    }

    return border.style === undefined || border.style === 'none' ? undefined : { width: border.width ?? 3, style: border.style, colour: border.colour ?? 'currentcolor' };
}
