import { centredAt, centredOf, htmlOf, isHtml, wordsOf } from '../../client/src/render/webmaker';
import type { Fields, Item } from './document.js';

/*
 * Elements that Webmaker's client made (docs/format.md) are edited like all others, in the words of this editor: `text`, `left`, `top`, `width`,
 * `height` and `rotate`. What is written is in the words that the element has: never both in one element.
 */

/** Units that an element is wide and high before it is scaled. */
export interface Size {
    width: number;
    height: number;
}

type Parts = Pick<Item, 'attributes' | 'styles'>;

const itsWords = new Set(['x', 'y', 'scale', 'angle']);

/** An element in the words of this editor. @param size only called if they are not its own */
export function inOurWords<Thing extends Parts>(thing: Thing, size: () => Size): Thing {
    const [centred, { attributes, styles }] = [centredOf(thing.styles), thing];
    const { innerHTML: _, ...others } = attributes;
    const shown = isHtml(attributes) ? { ...thing, attributes: { ...others, text: wordsOf(attributes) } } : thing;
    if (centred === undefined) {
        return shown;
    }

    const [width, height] = [size().width * centred.scale, size().height * centred.scale];
    const ours = { left: centred.left - width / 2, top: centred.top - height / 2, width, height, rotate: centred.degrees };
    return { ...shown, styles: { ...Object.fromEntries(Object.entries(styles).filter(([name]) => !itsWords.has(name))), ...ours } };
}

/** New values of some fields, in the words of the element that they are for. @param changed in the words of this editor */
export function inItsWords(item: Parts, size: () => Size, changed: Parts): Parts {
    const { text, ...others } = changed.attributes;
    const attributes = typeof text === 'string' && isHtml(item.attributes) ? { ...others, innerHTML: htmlOf(text) } : changed.attributes;
    const centred = centredOf(item.styles);
    if (centred === undefined) {
        return { attributes, styles: changed.styles };
    }

    const { left: _left, top: _top, width: _width, height: _height, rotate, ...styles } = changed.styles;
    const [moves, sizes, turns] = [['left', 'top', 'width', 'height'], ['width', 'height'], ['rotate']].map((names) => names.some((name) => name in changed.styles));
    const { x, y, scale, angle } = centredAt({ ...moves ? placed(item, size(), changed.styles, centred.scale) : centred, degrees: unitsOf(rotate) ?? 0 });
    return { attributes, styles: { ...styles, ...moves ? { x, y } : {}, ...sizes ? { scale } : {}, ...turns ? { angle } : {} } };
}

const unitsOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** A new place. The element keeps its proportions, and covers the box that is wanted. */
function placed(item: Parts, { width, height }: Size, changed: Fields, before: number): { left: number; top: number; scale: number } {
    const [wide, high] = [unitsOf(changed.width), unitsOf(changed.height)];
    const scales = [...wide === undefined || width === 0 ? [] : [wide / width], ...high === undefined || height === 0 ? [] : [high / height]];
    const scale = scales.length > 0 ? Math.max(...scales) : 'width' in changed || 'height' in changed ? 1 : before;
    const now = inOurWords(item, () => ({ width, height })).styles;
    const [left, top] = [unitsOf(changed.left) ?? unitsOf(now.left) ?? 0, unitsOf(changed.top) ?? unitsOf(now.top) ?? 0];
    return { left: left + (wide ?? width * scale) / 2, top: top + (high ?? height * scale) / 2, scale };
}

/** Where an element begins, or has its middle if that is what its `styles` say. */
export const anchorOf = (styles: Fields): { left: number; top: number } => centredOf(styles) ?? { left: unitsOf(styles.left) ?? 0, top: unitsOf(styles.top) ?? 0 };

/** The `styles` of an element whose anchor is there. */
export function anchoredAt(styles: Fields, { left, top }: { left: number; top: number }): Fields {
    const centred = centredOf(styles);
    if (centred === undefined) {
        return { ...styles, left, top };
    }

    const { x, y } = centredAt({ ...centred, left, top });
    return { ...styles, x, y };
}
