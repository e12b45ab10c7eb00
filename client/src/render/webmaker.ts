/*
 * The dialect of pages that Webmaker's own client writes: a text is in `innerHTML`, and the middle of an element is `x` and `y` away from the middle
 * of a page of 320 by 440, with `scale`, and `angle` in radians.
 */
import { own } from './own';
import type { Style } from './tree';
import { numberOf } from './values';

const [MIDDLE_X, MIDDLE_Y, WIDTH] = [160, 220, 320];

const FAR = 10_000;

/** Letters of HTML that are read. */
const MOST_LETTERS = 40_000;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ' };

/** The text of some HTML: no tag and nothing else of it is shown. */
function textOf(html: string): string {
    return html.slice(0, MOST_LETTERS).replace(/<br[^<>]*>|<\/(?:div|p)>/gi, '\n').replace(/<[^<>]*>/g, '')
        .replace(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6}));/g, (_all, name?: string, code?: string) => (name === undefined ? String.fromCodePoint(Number(code)) : entities[name] ?? ''))
        .replace(/\n$/, '');
}

/** The text of an element: its `text`, or else that of its `innerHTML`. */
export function wordsOf(attributes: unknown): unknown {
    const [text, html] = [own(attributes, 'text'), own(attributes, 'innerHTML')];
    return text === undefined && typeof html === 'string' ? textOf(html) : text;
}

/** Where an element is, if `styles` are in this dialect: its middle is at `left` and `top`. */
export function centredStyle(styles: unknown, length: (units: number) => number | string): Style | undefined {
    const [x, y] = [numberOf(own(styles, 'x'), -FAR, FAR), numberOf(own(styles, 'y'), -FAR, FAR)];
    if ((x === undefined && y === undefined) || own(styles, 'left') !== undefined || own(styles, 'top') !== undefined) {
        return undefined;
    }

    const degrees = (numberOf(own(styles, 'angle'), -1e4, 1e4) ?? 0) * 180 / Math.PI % 360;
    const scale = numberOf(own(styles, 'scale'), 0, 100) ?? 1;
    return {
        left: length(MIDDLE_X + (x ?? 0)), top: length(MIDDLE_Y + (y ?? 0)), maxWidth: length(WIDTH),
        ...(own(styles, 'width') === undefined ? { width: 'max-content' } : {}),
        transform: `translate(-50%, -50%) rotate(${Number(degrees.toFixed(3))}deg) scale(${Number(scale.toFixed(4))})`
    };
}
