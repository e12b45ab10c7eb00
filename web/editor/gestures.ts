import { pageWidth } from '../../client/src/render/index';
import { isLocked } from './document.js';
import type { Item, Sheet } from './document.js';
import type { Editor } from './editor.js';
import { keepsShape } from './elements.js';
import { outlineOf, wayOnPage } from './ink.js';
import type { Outline, Point } from './ink.js';
import type { Box } from './placing.js';

/** The gestures of pointers, from down to up. */
export interface Gesture {
    /** @param x @param y units that the first pointer has moved @param free whether Shift is pressed */
    move: (x: number, y: number, free: boolean) => void;
    /** when it is up again. @param moved whether it has dragged */
    end: (moved: boolean) => void;
}

/** The page on the screen, where gestures are made. */
export interface Ground {
    editor: Editor;
    page: Sheet;
    /** pixels of a unit */
    scale: () => number;
    nodeOf: (id: string) => HTMLElement | null;
    frame: HTMLElement | null;
    showMarquee: (box: Box | null) => void;
}

/** Things that are dragged as layers of their own, which take memory. */
const MAX_LAYERS = 20;

/** Smallest size that a gesture makes, in units. */
const SMALLEST = 8;

/** Degrees from a quarter turn at which a turned thing stands straight. */
const NEARLY = 5;

/** Degrees of a step, if something is turned in steps. */
const TURN = 15;

export const unitsOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The box of a node, as large as it is shown, before it is turned. @param scale pixels of a unit */
export function boxOf(node: HTMLElement, scale: number): Box {
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = node;
    const { transform, transformOrigin } = getComputedStyle(node);
    const matrix = new DOMMatrix(transform);
    const [x = 0, y = 0] = transformOrigin.split(' ').map(Number.parseFloat);
    const middle = matrix.transformPoint({ x: offsetWidth / 2 - x, y: offsetHeight / 2 - y });
    const larger = Math.hypot(matrix.a, matrix.b);
    const [width, height] = [offsetWidth * larger, offsetHeight * larger];
    return { left: (offsetLeft + x + middle.x - width / 2) / scale, top: (offsetTop + y + middle.y - height / 2) / scale, width: width / scale, height: height / scale };
}

/** The outlines of what is drawn of a node, in units of the page: of a text without a ground, its lines. @param scale pixels of a unit */
function inkOf(node: HTMLElement, scale: number): Outline[] {
    const { backgroundColor, borderTopWidth, borderTopLeftRadius, clipPath } = getComputedStyle(node);
    const degrees = Number(/rotate\((-?[\d.e-]+)deg\)/.exec(node.style.transform)?.[1] ?? 0);
    const isBare = /^(?:transparent|rgba\(.*, 0\))$/.test(backgroundColor) && Number.parseFloat(borderTopWidth) === 0;
    const page = node.closest('.stage')?.getBoundingClientRect();
    const onPage = ({ left, top, width, height }: DOMRect): Box => ({ left: (left - (page?.left ?? 0)) / scale, top: (top - (page?.top ?? 0)) / scale, width: width / scale, height: height / scale });
    if (node.tagName !== 'IMG' && isBare && node.textContent.trim() !== '') {
        const range = document.createRange();
        range.selectNodeContents(node);
        const lines = Array.from(range.getClientRects(), onPage);
        // Around a line that is turned there is much that is empty, but its middle is not.
        return lines.filter(({ width }) => width > 0).map((box) => (degrees === 0 ? outlineOf(box, {}) : [{ x: box.left + box.width / 2, y: box.top + box.height / 2 }]));
    }

    const box = degrees === 0 ? onPage(node.getBoundingClientRect()) : boxOf(node, scale);
    const [across = '0', down = across] = borderTopLeftRadius.split(' ');
    const units = (value: string, whole: number): number => (value.endsWith('%') ? Number.parseFloat(value) * whole / 100 : Number.parseFloat(value) / scale);
    return [outlineOf(box, { degrees, radius: { x: units(across, box.width), y: units(down, box.height) }, isTriangle: clipPath.startsWith('polygon') })];
}

/** Lays a frame around a node of the page. */
export function layAround(frame: HTMLElement, node: HTMLElement): void {
    const { left, top, width, height } = boxOf(node, 1);
    Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`, transform: /rotate\([^()]*\)/.exec(node.style.transform)?.[0] ?? '' });
}

/** Shows things elsewhere. Until they are dropped, nothing is drawn anew and nothing is saved. */
function shower(nodes: readonly (HTMLElement | null)[]): (styles: { translate?: string; scale?: string; rotate?: string }) => void {
    // A browser moves these few without painting the page anew.
    const layer = nodes.length <= MAX_LAYERS + 1 ? 'translate' : '';
    return ({ translate = '', scale = '', rotate = '' }) => nodes.forEach((node) => {
        node?.style.setProperty('will-change', translate && layer);
        node?.style.setProperty('translate', translate);
        node?.style.setProperty('scale', scale);
        node?.style.setProperty('rotate', rotate);
    });
}

export function moving({ editor, scale, nodeOf, frame }: Ground, id: string, wasChosen: boolean): Gesture {
    const starts = editor.selection.items.filter((item) => !isLocked(item)).map((item) => ({ id: item.id, left: unitsOf(item.styles.left), top: unitsOf(item.styles.top) }));
    const unit = scale();
    let [right, down] = [0, 0];
    const inks = starts.flatMap((one) => nodeOf(one.id) ?? []).map((node) => inkOf(node, unit)).filter((ink) => ink.length > 0);

    const show = shower([...starts.map((one) => nodeOf(one.id)), frame]);
    return {
        move: (x, y) => {
            ({ x: right, y: down } = wayOnPage(inks, { x, y }));
            show({ translate: `${right * unit}px ${down * unit}px` });
        },
        end: (moved) => {
            show({});
            if (moved) {
                starts.forEach(({ id: one, left, top }) => editor.selection.changeOne(one, { left: left + right, top: top + down }));
            }
            else if (wasChosen && !editor.choosesSeveral) {
                editor.selection.select([id]);
            }
        }
    };
}

export function resizing({ editor, scale, nodeOf }: Ground, item: Item, corner: string): Gesture {
    const node = nodeOf(item.id);
    const { width: wide, height: high } = node === null ? { width: SMALLEST, height: SMALLEST } : boxOf(node, scale());
    const start = { left: unitsOf(item.styles.left), top: unitsOf(item.styles.top) };
    const hasHeight = typeof item.styles.height === 'number';
    const scales = editor.selection.scales(item.id);
    const angle = unitsOf(item.styles.rotate) * Math.PI / 180;
    return {
        move: (x, y, free) => {
            const [along, across] = [x * Math.cos(angle) + y * Math.sin(angle), y * Math.cos(angle) - x * Math.sin(angle)];
            let width = Math.max(SMALLEST, wide + (corner.endsWith('e') ? along : -along));
            let height = Math.max(SMALLEST, high + (corner.startsWith('s') ? across : -across));
            const keeps = scales || keepsShape.has(item.type) !== free;
            if (keeps) {
                const factor = Math.max(width / wide, height / high, SMALLEST / Math.min(wide, high));
                [width, height] = [wide * factor, high * factor];
            }

            [width, height] = [Math.round(width), Math.round(height)];
            const setsHeight = hasHeight || (keeps ? free : Math.abs(across) > 12);
            // It is turned around its middle, which moves as it grows: the corner on the other side stays where it is.
            const [more, higher] = [width - wide, setsHeight ? height - high : 0];
            const [outwards, downwards] = [corner.endsWith('e') ? more / 2 : -more / 2, corner.startsWith('s') ? higher / 2 : -higher / 2];
            const [right, down] = [outwards * Math.cos(angle) - downwards * Math.sin(angle), outwards * Math.sin(angle) + downwards * Math.cos(angle)];
            editor.selection.changeOne(item.id, {
                width, ...setsHeight ? { height } : {},
                ...angle !== 0 || corner.endsWith('w') ? { left: Math.round(start.left + right - more / 2) } : {},
                ...angle !== 0 || (corner.startsWith('n') && setsHeight) ? { top: Math.round(start.top + down - higher / 2) } : {}
            });
        },
        end: () => undefined
    };
}

/** Turns something around its middle, by a handle above it; with Shift in steps. @param from where the pointer went down, in units of the page */
export function turning({ editor, scale, nodeOf }: Ground, item: Item, from: { left: number; top: number }): Gesture {
    const node = nodeOf(item.id);
    const box = node === null ? { ...from, width: 0, height: 0 } : boxOf(node, scale());
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    const angleTo = (x: number, y: number): number => Math.atan2(y - middle.y, x - middle.x) * 180 / Math.PI;
    const [start, first] = [unitsOf(item.styles.rotate), angleTo(from.left, from.top)];
    return {
        move: (x, y, free) => {
            const wanted = (start + angleTo(from.left + x, from.top + y) - first + 900) % 360 - 180;
            const straight = Math.round(wanted / 90) * 90;
            editor.selection.changeOne(item.id, { rotate: free ? Math.round(wanted / TURN) * TURN : Math.round(Math.abs(wanted - straight) < NEARLY ? straight : wanted) });
        },
        end: () => undefined
    };
}

export function choosing({ editor, page, scale, nodeOf, showMarquee }: Ground, from: { left: number; top: number }, otherwise: readonly string[]): Gesture {
    let box: Box = { ...from, width: 0, height: 0 };
    return {
        move: (x, y) => {
            box = { left: Math.min(from.left, from.left + x), top: Math.min(from.top, from.top + y), width: Math.abs(x), height: Math.abs(y) };
            showMarquee(box);
        },
        end: (moved) => {
            showMarquee(null);
            editor.selection.select(moved ? page.elements.filter((item) => {
                const node = isLocked(item) ? null : nodeOf(item.id);
                const { left, top, width, height } = node === null ? { left: 0, top: 0, width: 0, height: 0 } : boxOf(node, scale());
                return node !== null && left < box.left + box.width && left + width > box.left && top < box.top + box.height && top + height > box.top;
            }).map(({ id }) => id) : otherwise);
        }
    };
}

const across = ([one, other]: readonly [Point, Point]): { distance: number; angle: number; x: number; y: number } => ({
    distance: Math.hypot(other.x - one.x, other.y - one.y), angle: Math.atan2(other.y - one.y, other.x - one.x) * 180 / Math.PI, x: (one.x + other.x) / 2, y: (one.y + other.y) / 2
});

/** Two fingers move, size and turn what is chosen. @param fingers where they are, in pixels */
export function pinching({ editor, scale, nodeOf, frame }: Ground, fingers: () => readonly [Point, Point]): Gesture {
    const items = editor.selection.items.filter((item) => !isLocked(item)).flatMap((item) => {
        const node = nodeOf(item.id);
        return node === null ? [] : [{ item, node, box: boxOf(node, scale()) }];
    });
    const start = across(fingers());
    const show = shower([...items.map(({ node }) => node), frame]);
    let [factor, turn, right, down] = [1, 0, 0, 0];
    const least = Math.max(0.05, ...items.map(({ box }) => SMALLEST / Math.max(1, Math.min(box.width, box.height))));
    return {
        move: () => {
            const now = across(fingers());
            factor = Math.min(Math.max(now.distance / Math.max(1, start.distance), Math.min(1, least)), 4 * pageWidth / Math.max(SMALLEST, ...items.map(({ box }) => box.width)));
            const [first] = items;
            const angle = unitsOf(first?.item.styles.rotate) + (now.angle - start.angle + 540) % 360 - 180;
            const straight = Math.round(angle / 90) * 90;
            turn = Math.round(Math.abs(angle - straight) < NEARLY ? straight : angle) - unitsOf(first?.item.styles.rotate);
            [right, down] = [now.x - start.x, now.y - start.y];
            show({ translate: `${right}px ${down}px`, scale: String(factor), rotate: `${turn}deg` });
        },
        end: (moved) => {
            show({});
            for (const { item: { id, styles }, box } of moved ? items : []) {
                const [width, height] = [box.width * factor, box.height * factor];
                editor.selection.changeOne(id, {
                    width: Math.round(width), ...typeof styles.height === 'number' ? { height: Math.round(height) } : {},
                    left: Math.round(box.left + (box.width - width) / 2 + right / scale()), top: Math.round(box.top + (box.height - height) / 2 + down / scale()),
                    ...typeof styles.fontSize === 'number' && !editor.selection.scales(id) ? { fontSize: Math.max(4, Math.round(styles.fontSize * factor)) } : {},
                    ...turn === 0 ? {} : { rotate: (unitsOf(styles.rotate) + turn) % 360 }
                });
            }
        }
    };
}
