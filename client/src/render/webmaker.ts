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
const MAX_LETTERS = 40_000;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ' };

/** Ends a line, unless it is the last one: no text of the service has this character. */
const LINE_END = '\0';

/** The text of some HTML: no tag and nothing else of it is shown. */
function textOf(html: string): string {
    const text = html.slice(0, MAX_LETTERS).replace(/<br[^<>]*>|<\/(?:div|p)>/gi, LINE_END).replace(/<[^<>]*>/g, '')
        .replace(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6}));/g, (_all, name?: string, code?: string) => (name === undefined ? String.fromCodePoint(Number(code)) : entities[name] ?? ''));
    return (text.endsWith(LINE_END) ? text.slice(0, -1) : text).replaceAll(LINE_END, '\n');
}

/** The `innerHTML` of a text. Webmaker's client shows it letter by letter, so it is the text itself wherever that reads the same as HTML. */
export const htmlOf = (text: string): string => (textOf(text) === text ? text : text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`));

/** Whether an element has its text in this dialect. */
export const isHtml = (attributes: unknown): boolean => own(attributes, 'text') === undefined && typeof own(attributes, 'innerHTML') === 'string';

/** The text of an element: its `text`, or else that of its `innerHTML`. */
export function wordsOf(attributes: unknown): unknown {
    return isHtml(attributes) ? textOf(String(own(attributes, 'innerHTML'))) : own(attributes, 'text');
}

/** The place of an element in this dialect. */
export interface Centred {
    /** of its middle, in units of the page */
    left: number;
    top: number;
    /** how many times larger it is drawn */
    scale: number;
    /** clockwise, less than one turn */
    degrees: number;
}

/** Where an element is, if `styles` are in this dialect. */
export function centredOf(styles: unknown): Centred | undefined {
    const [x, y] = [numberOf(own(styles, 'x'), -FAR, FAR), numberOf(own(styles, 'y'), -FAR, FAR)];
    if ((x === undefined && y === undefined) || own(styles, 'left') !== undefined || own(styles, 'top') !== undefined) {
        return undefined;
    }

    const degrees = (numberOf(own(styles, 'angle'), -1e4, 1e4) ?? 0) * 180 / Math.PI % 360;
    return { left: MIDDLE_X + (x ?? 0), top: MIDDLE_Y + (y ?? 0), scale: numberOf(own(styles, 'scale'), 0, 100) ?? 1, degrees: Number(degrees.toFixed(3)) };
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits)) + 0;

/** The `styles` for a place in this dialect. */
export const centredAt = ({ left, top, scale, degrees }: Centred): Record<'x' | 'y' | 'scale' | 'angle', number> => ({ x: rounded(left - MIDDLE_X, 2), y: rounded(top - MIDDLE_Y, 2), scale: rounded(scale, 4), angle: rounded(degrees * Math.PI / 180, 4) });

/** The width of the page, which its elements inherit, and pixels of a unit as CSS computes them: a picture without a width has as many units as pixels. */
export const PAGE_WIDTH = '--pagewright-width';
const UNIT = `tan(atan2(var(${PAGE_WIDTH}), ${WIDTH}px))`;

/** How an element is shown whose `styles` are in this dialect: it is turned and scaled around its middle, which is at `left` and `top`. @param isInPixels whether its size is in pixels, and not in units */
export function centredStyle(styles: unknown, length: (units: number) => number | string, isInPixels: boolean): Style | undefined {
    const place = centredOf(styles);
    const scale = place && String(rounded(place.scale, 4));
    return place && {
        left: length(place.left), top: length(place.top), maxWidth: isInPixels ? WIDTH : length(WIDTH),
        ...(own(styles, 'width') === undefined ? { width: 'max-content' } : {}),
        transform: `rotate(${place.degrees}deg) scale(${isInPixels ? `calc(${scale} * ${UNIT})` : scale}) translate(-50%, -50%)`, transformOrigin: '0 0'
    };
}
