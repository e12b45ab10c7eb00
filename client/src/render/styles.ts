import { own } from './own';
import type { Style } from './tree';
import { borderOf, colourOf, degreesOf, fontsOf, numberOf, spacingOf, weightOf, wordOf } from './values';
import { centredOf, centredStyle } from './webmaker';

/** A page is a sheet so many units wide and high. */
export const pageWidth = 320;
export const pageHeight = 480;

/** A picture that is not wider, in pixels, is taken for pixel art, as each of its pixels is seen. */
export const pixelArtWidth = 64;

/** How lengths are written: as numbers, or in parts of the width that the page is shown with. */
export type Length = (units: number) => number | string;

export const inPixels: Length = (units) => units;

export const inShares: Length = (units) => `${Number((units * 100 / pageWidth).toFixed(4))}cqw`;

/** Farthest place of an element, and its largest size, in units. What is outside of the page is not shown. */
const FAR = 10_000;

/** Styles whose values are lengths, with their bounds. */
const lengths: readonly (readonly [name: string, least: number, most: number])[] = [
    ['left', -FAR, FAR], ['top', -FAR, FAR], ['width', 0, FAR], ['height', 0, FAR], ['fontSize', 1, 1000], ['borderRadius', 0, FAR], ['padding', 0, 1000]
];

/** All other styles that are shown as they are. */
const others: readonly (readonly [name: string, check: (value: unknown) => number | string | undefined])[] = [
    ['color', colourOf],
    ['backgroundColor', colourOf],
    ['fontFamily', fontsOf],
    ['fontWeight', weightOf],
    ['fontStyle', wordOf('normal', 'italic', 'oblique')],
    ['textAlign', wordOf('left', 'center', 'right', 'start', 'end', 'justify')],
    ['textDecoration', wordOf('none', 'underline', 'line-through', 'overline')],
    ['textDecorationColor', colourOf],
    ['whiteSpace', wordOf('normal', 'nowrap', 'pre', 'pre-wrap', 'pre-line')],
    ['writingMode', wordOf('horizontal-tb', 'vertical-rl', 'vertical-lr')],
    ['direction', wordOf('ltr', 'rtl')],
    ['imageRendering', wordOf('auto', 'pixelated')],
    ['objectFit', wordOf('fill', 'contain', 'cover')],
    ['opacity', (value) => numberOf(value, 0, 1)],
    ['lineHeight', (value) => numberOf(value, 0.5, 10)]
];

/** The part of an element's `styles` that may be shown. @param isPicture whether it has a size of its own, in pixels */
export function styleOf(styles: unknown, where: Length, isPicture: boolean): Style {
    const isInPixels = isPicture && where === inShares && centredOf(styles) !== undefined && own(styles, 'width') === undefined && own(styles, 'height') === undefined;
    const length = isInPixels ? inPixels : where;
    const style: Record<string, string | number> = { position: 'absolute', left: length(0), top: length(0), margin: 0, boxSizing: 'border-box', overflowWrap: 'break-word' };
    const keep = (name: string, value: number | string | undefined): void => {
        if (value !== undefined) {
            style[name] = value;
        }
    };

    for (const [name, least, most] of lengths) {
        const units = numberOf(own(styles, name), least, most);
        keep(name, units === undefined ? undefined : length(units));
    }

    for (const [name, check] of others) {
        keep(name, check(own(styles, name)));
    }

    const spacing = spacingOf(own(styles, 'letterSpacing'));
    keep('letterSpacing', typeof spacing === 'number' ? length(spacing) : spacing);
    const border = borderOf(own(styles, 'border'));
    if (border !== undefined) {
        Object.assign(style, { borderWidth: length(border.width), borderStyle: border.style, borderColor: border.colour });
    }

    const degrees = degreesOf(own(styles, 'rotate')) ?? degreesOf(own(styles, 'transform'));
    keep('transform', degrees ? `rotate(${degrees}deg)` : undefined);
    return Object.assign(style, centredStyle(styles, where, isInPixels));
}

/** The place of an element in the order of layers; larger is above. */
export const layerOf = (styles: unknown): number => Math.round(numberOf(own(styles, 'zIndex'), -1e6, 1e6) ?? 0);

/** The part of a page's `styles` that may be shown. The page is a box of its own, which nothing in it leaves. */
export function pageStyleOf(styles: unknown, fluid: boolean): Style {
    return {
        position: 'relative',
        ...(fluid ? { width: '100%', aspectRatio: `${pageWidth} / ${pageHeight}`, containerType: 'inline-size' } : { width: pageWidth, height: pageHeight }),
        overflow: 'hidden',
        contain: 'strict',
        isolation: 'isolate',
        colorScheme: 'only light',
        backgroundColor: colourOf(own(styles, 'backgroundColor')) ?? '#ffffff',
        color: '#1a1a1a',
        fontFamily: fontsOf('sans-serif') ?? '',
        lineHeight: 1.4,
        textAlign: 'start'
    };
}
