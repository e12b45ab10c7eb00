import { pageHeight, pageWidth } from '../../client/src/render/index';

/** A place on the page, in its units. */
export interface Box {
    left: number;
    top: number;
    width: number;
    height: number;
}

/** Something on the page, and whether it has words, which are lost below something else. */
export interface Taken extends Box {
    hasWords: boolean;
}

/** Measures of the page on the screen. */
export interface View {
    /** of everything on the page but what fills it */
    boxes(): Taken[];
    /** the part of the page that is on the screen */
    visible(): Box;
    /** of an element before it is scaled */
    sizeOf(id: string): { width: number; height: number };
}

/** The view of a page that is not on the screen. */
export const unseen: View = { boxes: () => [], visible: () => ({ left: 0, top: 0, width: pageWidth, height: pageHeight }), sizeOf: () => ({ width: 0, height: 0 }) };

const STEP = 16;
const GAP = 4;
/** How many times worse it is to cover words than a picture. */
const WORDS = 8;

const within = (value: number, most: number): number => Math.round(Math.min(Math.max(value, 0), Math.max(0, most)));

/** The nearest place at which something lies on the page whole. */
export const onPage = ({ left, top, width, height }: Box): { left: number; top: number } => ({ left: within(left, pageWidth - width), top: within(top, pageHeight - height) });

const overlap = (one: Box, other: Box): boolean => one.left < other.left + other.width + GAP && other.left < one.left + one.width + GAP && one.top < other.top + other.height + GAP && other.top < one.top + one.height + GAP;

/** The area that two boxes share, with the gap around them. */
const shared = (one: Box, other: Box): number => (Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left) + GAP) * (Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top) + GAP);

/** Where something new lies: in the middle of what is on the screen, or as near to it as it covers nothing. If there is no such place, where it covers the least, and pictures rather than words. */
export function freePlace(size: { width: number; height: number }, { boxes, visible }: View): { left: number; top: number } {
    const seen = visible();
    const middle = { left: seen.left + (seen.width - size.width) / 2, top: seen.top + (seen.height - size.height) / 2 };
    const taken = boxes();
    const spots: Box[] = [];
    for (let left = middle.left - STEP * 20; left <= middle.left + STEP * 20; left += STEP) {
        for (let top = middle.top - STEP * 30; top <= middle.top + STEP * 30; top += STEP) {
            spots.push({ ...onPage({ left, top, ...size }), ...size });
        }
    }

    const distance = ({ left, top }: Box): number => Math.hypot(left - middle.left, top - middle.top);
    const isSeen = (spot: Box): boolean => spot.left >= seen.left - 1 && spot.top >= seen.top - 1 && spot.left + spot.width <= seen.left + seen.width + 1 && spot.top + spot.height <= seen.top + seen.height + 1;
    const covered = new Map(spots.map((spot) => [spot, taken.filter((box) => overlap(spot, box)).reduce((sum, box) => sum + shared(spot, box) * (box.hasWords ? WORDS : 1), 0)]));
    const better = (one: Box, other: Box): number => (covered.get(one) ?? 0) - (covered.get(other) ?? 0) || Number(isSeen(other)) - Number(isSeen(one)) || distance(one) - distance(other);
    const [{ left, top } = onPage({ ...middle, ...size })] = spots.sort(better);
    return { left, top };
}

/** Red, green and blue of any colour that CSS knows, 0 to 255. */
function rgbOf(colour: string): readonly number[] {
    const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
    if (context === null) {
        return [255, 255, 255];
    }

    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

/** Relative luminance (WCAG 2.2). */
function luminanceOf(colour: string): number {
    const [red = 0, green = 0, blue = 0] = rgbOf(colour).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: string, other: string): number {
    const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
}

/** The colour that is wanted if it can be read on the other (WCAG 2.2: 4.5), else black or white. */
export const readable = (wanted: string, on: string): string => [wanted, '#1a1a1a', '#ffffff'].find((colour) => contrast(colour, on) >= 4.5) ?? '#000000';
