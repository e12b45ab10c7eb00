import { pageHeight, pageWidth } from '../../client/src/render/index';
import type { Box } from './placing.js';

export interface Point {
    x: number;
    y: number;
}

/** The outline of something that is drawn, without dents. One of a single point is that point. */
export type Outline = readonly Point[];

/** Units of what is drawn that stay on the page when it is dragged: what lies beside the page is not shown, and nobody can take hold of it again. */
const REACH = 10;

/** Parts of a unit that count as nothing. */
const NEARLY = 0.6;

/** Steps in which a place is looked for: each halves what is left of the way. */
const STEPS = 14;

/** Points of a rounded corner. */
const CORNER = 8;

export interface Form {
    /** clockwise, around the middle */
    degrees?: number;
    /** of round corners, in units */
    radius?: { x: number; y: number };
    isTriangle?: boolean;
}

/** The outline of a box, of a box with round corners (which may be an ellipse), or of the triangle in it. */
export function outlineOf({ left, top, width, height }: Box, { degrees = 0, radius = { x: 0, y: 0 }, isTriangle = false }: Form): Outline {
    const [x, y] = [Math.min(radius.x, width / 2), Math.min(radius.y, height / 2)];
    const corner = (middleX: number, middleY: number, from: number): Point[] => Array.from({ length: CORNER + 1 }, (_, n) => {
        const angle = (from + n * 90 / CORNER) * Math.PI / 180;
        return { x: middleX + x * Math.cos(angle), y: middleY + y * Math.sin(angle) };
    });
    const [right, bottom] = [left + width, top + height];
    const points = isTriangle ? [{ x: left + width / 2, y: top }, { x: right, y: bottom }, { x: left, y: bottom }] :
        x === 0 || y === 0 ? [{ x: left, y: top }, { x: right, y: top }, { x: right, y: bottom }, { x: left, y: bottom }] :
            [...corner(right - x, bottom - y, 0), ...corner(left + x, bottom - y, 90), ...corner(left + x, top + y, 180), ...corner(right - x, top + y, 270)];
    const [angle, middle] = [degrees * Math.PI / 180, { x: left + width / 2, y: top + height / 2 }];
    return points.map((point) => {
        const [across, down] = [point.x - middle.x, point.y - middle.y];
        return { x: middle.x + across * Math.cos(angle) - down * Math.sin(angle), y: middle.y + across * Math.sin(angle) + down * Math.cos(angle) };
    });
}

const sheet: Outline = [{ x: REACH, y: REACH }, { x: pageWidth - REACH, y: REACH }, { x: pageWidth - REACH, y: pageHeight - REACH }, { x: REACH, y: pageHeight - REACH }];

/** Whether two outlines meet: no line parts them. */
function meet(one: Outline, other: Outline): boolean {
    const ways = [one, other].flatMap((outline) => outline.map((point, index) => {
        const next = outline[(index + 1) % outline.length] ?? point;
        return { x: point.y - next.y, y: next.x - point.x };
    }));
    return ways.filter(({ x, y }) => x !== 0 || y !== 0).every(({ x, y }) => {
        const [places, others] = [one, other].map((outline) => outline.map((point) => (point.x * x + point.y * y) / Math.hypot(x, y)));
        return places !== undefined && others !== undefined && Math.min(...places) <= Math.max(...others) + NEARLY && Math.min(...others) <= Math.max(...places) + NEARLY;
    });
}

const moved = (outline: Outline, { x, y }: Point): Outline => outline.map((point) => ({ x: point.x + x, y: point.y + y }));

/** Whether some of what is drawn stays on the page when it is moved. */
const stays = (ink: readonly Outline[], way: Point): boolean => ink.some((outline) => meet(moved(outline, way), sheet));

/** The way that things go when they are dragged: so far that some of each stays on the page. @param inks what is drawn of each, in units of the page */
export function wayOnPage(inks: readonly (readonly Outline[])[], way: Point): Point {
    const kept = inks.filter((ink) => stays(ink, { x: 0, y: 0 }) || inks.length === 1);
    const within = (name: 'x' | 'y', most: number): number => {
        const spans = kept.map((ink) => ink.flat().map((point) => point[name])).map((places) => [Math.min(...places), Math.max(...places)] as const);
        const [back, forth] = [spans.map(([, end]) => Math.min(0, REACH - end)), spans.map(([start]) => Math.max(0, most - REACH - start))];
        return Math.min(Math.max(way[name], ...back), ...forth);
    };

    let near = { x: within('x', pageWidth), y: within('y', pageHeight) };
    if (kept.every((ink) => stays(ink, near))) {
        return { x: Math.round(near.x), y: Math.round(near.y) };
    }

    // From a place where all of it is seen, as near to where it is wanted as possible.
    const [only] = inks.length === 1 ? inks : [];
    const points = only?.[0] ?? [];
    const middle = (name: 'x' | 'y'): number => points.reduce((sum, point) => sum + point[name], 0) / Math.max(1, points.length);
    let there = only === undefined ? { x: 0, y: 0 } : { x: pageWidth / 2 - middle('x'), y: pageHeight / 2 - middle('y') };
    for (let step = 0; step < STEPS; ++step) {
        const between = { x: (near.x + there.x) / 2, y: (near.y + there.y) / 2 };
        if (kept.every((ink) => stays(ink, between))) {
            there = between;
        }
        else {
            near = between;
        }
    }

    return { x: Math.round(there.x), y: Math.round(there.y) };
}
