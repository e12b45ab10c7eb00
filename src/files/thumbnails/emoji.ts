import { svgTag } from './svg';
import type { PreparedPage } from './svg';

/** A piece of a line: an emoji that is shown in colours, or what is between two of them. */
export interface Piece {
    text: string;
    isEmoji: boolean;
}

/** Emoji of a page that are drawn in colours, and how many of them differ. The others are drawn as letters. */
const MAX_EMOJI = 100;
const MAX_KINDS = 50;

/** UTF-16 units of the longest emoji, with room to spare. */
const LONGEST = 40;

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** An emoji by itself, or by the selector that makes one of a letter. */
const shownInColours = /\p{Emoji_Presentation}|\uFE0F/u;

/** A line in pieces. */
export function splitAtEmoji(line: string): Piece[] {
    if (!shownInColours.test(line)) {
        return [{ text: line, isEmoji: false }];
    }

    const pieces: Piece[] = [];
    for (const { segment } of letters.segment(line)) {
        const isEmoji = segment.length <= LONGEST && shownInColours.test(segment);
        const last = pieces.at(-1);
        if (last === undefined || isEmoji || last.isEmoji) {
            pieces.push({ text: segment, isEmoji });
        }
        else {
            last.text += segment;
        }
    }

    return pieces;
}

/** The pictures of the emoji of a page: each is in the drawing once. */
export class EmojiPictures {
    readonly definitions: string[] = [];
    readonly #draw: (text: string) => Promise<PreparedPage | undefined>;
    /** null for one that has no picture */
    readonly #ids = new Map<string, string | null>();
    #count = 0;

    constructor(draw: (text: string) => Promise<PreparedPage | undefined>) {
        this.#draw = draw;
    }

    /** @returns the id of the picture of an emoji, which is drawn around its middle; null if it has to be drawn as a letter */
    async next(text: string): Promise<string | null> {
        if (++this.#count > MAX_EMOJI) {
            return null;
        }

        const known = this.#ids.get(text);
        if (known !== undefined || this.#ids.size === MAX_KINDS) {
            return known ?? null;
        }

        const made = await this.#draw(text);
        const id = made === undefined ? null : `e${this.definitions.length}`;
        this.#ids.set(text, id);
        if (made !== undefined) {
            this.definitions.push(svgTag('image', { id: `e${this.definitions.length}`, x: -made.width / 2, y: -made.height / 2, width: made.width, height: made.height, href: made.href }));
        }

        return id;
    }
}
