import { fonts } from '../../../client/src/render/fonts';

/** A file of a font of the site, and what it is for. */
export interface FontFile {
    family: string;
    weight: number;
    /** as `unicode-range` of CSS has it */
    letters: string;
    /** its name among the built files */
    file: string;
}

/** The names that authors may call a font by, in lower case. Those that stand in for letters that others lack are always used. */
const namesOf = new Map(fonts.map(({ family, generic }, index) => [family, index === 0 || generic === null ? null : [family, ...generic].map((name) => name.toLowerCase())]));

const UNITS = 0x10000;

/** The first half of a letter beyond U+FFFF in UTF-16. */
const highSurrogate = (letter: number): number => 0xd800 + ((letter - UNITS) >> 10);

/** The units of UTF-16 that a letter of a range begins with, as pairs of the first and the last one. */
function unitsOf(letters: string): [from: number, to: number][] {
    return letters.split(',').flatMap((range): [number, number][] => {
        const [from = 0, to = from] = range.trim().slice('U+'.length).split('-').map((letter) => parseInt(letter, 16));
        const within: [number, number][] = from < UNITS ? [[from, Math.min(to, UNITS - 1)]] : [];
        return to < UNITS ? within : [...within, [highSurrogate(Math.max(from, UNITS)), highSurrogate(to)]];
    });
}

/** Notes which letters and which fonts JSON texts use, so that a file takes along the fonts that it shows, and no others. It may take a few more. */
export class UsedFonts {
    readonly #units = new Uint8Array(UNITS);
    readonly #names = new Set<string>();

    /** Notes what is in a JSON text, or a part of it. */
    note(text: string): void {
        for (let at = 0; at < text.length; ++at) {
            this.#units[text.charCodeAt(at)] = 1;
        }

        for (const [, escaped = ''] of text.matchAll(/\\u([0-9a-f]{4})/gi)) {
            this.#units[parseInt(escaped, 16)] = 1;
        }

        const lower = text.toLowerCase();
        for (const name of [...namesOf.values()].flatMap((names) => names ?? [])) {
            if (lower.includes(name)) {
                this.#names.add(name);
            }
        }
    }

    /** Those of the files that are used. */
    of(files: readonly FontFile[]): FontFile[] {
        return files.filter(({ family, letters }) => {
            const names = namesOf.get(family);
            return (!names || names.some((name) => this.#names.has(name))) && unitsOf(letters).some(([from, to]) => this.#units.subarray(from, to + 1).includes(1));
        });
    }
}
