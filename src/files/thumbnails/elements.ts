import { pageHeight, pageWidth } from '../../../client/src/render';
import type { Style, TreeNode } from '../../../client/src/render';
import { colourEmojiFont } from '../../../client/src/render/fonts';
import { EmojiPictures, splitAtEmoji } from './emoji';
import { linesOf } from './lines';
import type { Measure } from './lines';
import { escaped } from '../../../client/src/render/writers';
import { svgTag } from './svg';
import type { Attributes, PreparedPage } from './svg';

/** The font of pages that emoji in colours have there. Here they are pictures, and what is left of it would be drawn without its colours. */
const ofPages = `'${colourEmojiFont.family}', `;

/** How letters look; the family as in CSS. */
export interface Font {
    family: string;
    weight: string;
    style: string;
}

export interface DrawingTools {
    /** A function that measures text of a font in a size. */
    measure(font: Font, size: number): Measure;
    /** The picture of an emoji, in parts of the height of the letters beside it; undefined if there is none. */
    emoji(text: string): Promise<PreparedPage | undefined>;
    /** The picture of a `src`, about so many units wide and high; undefined if it cannot be shown. */
    picture(src: string, size: { width: number | undefined; height: number | undefined; pixelated: boolean }): Promise<PreparedPage | undefined>;
}

interface Box {
    left: number;
    top: number;
    width: number;
    height: number;
}

/** UTF-16 units of a text, and of all texts of a page, that are drawn: more than a page has room for. To draw each takes time, and all wait in one line. */
const MAX_OF_TEXT = 2000;
const MAX_LETTERS = 8000;

/** Height of the middle of an emoji above the base line, in parts of the size of letters. */
const EMOJI_MIDDLE = 0.342;

/** Heights above and below the base line of the font that is shown where none is chosen, in parts of its size. */
const [ASCENT, DESCENT] = [1.069, 0.293];

const rightToLeft = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const numberIn = (style: Style, name: string): number | undefined => {
    const value = style[name];
    return typeof value === 'number' ? value : undefined;
};

const textIn = (style: Style, name: string, otherwise: string): string => String(style[name] ?? otherwise);

const nodesIn = ({ children }: TreeNode): TreeNode[] => children.filter((child) => typeof child !== 'string');

/** All text of a node. */
const wordsOf = ({ children }: TreeNode): string => children.map((child) => (typeof child === 'string' ? child : wordsOf(child))).join('');

/** A rectangle with the corners that a style says, or the triangle of a shape. */
function shape({ left, top, width, height }: Box, style: Style, paint: Attributes): string {
    if (style.clipPath !== undefined) {
        return svgTag('path', { d: `M${left + width / 2} ${top}L${left + width} ${top + height}L${left} ${top + height}Z`, ...paint });
    }

    const isRound = style.borderRadius === '50%';
    const radius = Math.min(numberIn(style, 'borderRadius') ?? 0, width / 2, height / 2);
    return svgTag('rect', { x: left, y: top, width, height, rx: isRound ? width / 2 : radius, ry: isRound ? height / 2 : radius, ...paint });
}

/** How a box is turned, moved and scaled, from its middle. */
function transformOf(style: Style, { left, top, width, height }: Box): string | undefined {
    const [, degrees, scale, isCentred] = /^rotate\((-?[\d.e-]+)deg\)(?: scale\(([\d.e-]+)\)( translate\(-50%, -50%\)))?$/.exec(textIn(style, 'transform', '')) ?? [];
    const [x, y] = isCentred === undefined ? [left + width / 2, top + height / 2] : [left, top];
    return degrees === undefined ? undefined : `translate(${x} ${y}) rotate(${degrees}) scale(${scale ?? 1}) translate(${-left - width / 2} ${-top - height / 2})`;
}

/** A page as SVG: what `renderPage` makes of it, drawn as browsers do. It refers to nothing but the pictures inside of it. */
export class PageDrawing {
    readonly #tools: DrawingTools;
    readonly #definitions: string[] = [];
    readonly #emoji: EmojiPictures;
    #lettersLeft = MAX_LETTERS;

    constructor(tools: DrawingTools) {
        this.#tools = tools;
        this.#emoji = new EmojiPictures((text) => tools.emoji(text));
    }

    /** @param page with `still`, and not `fluid` */
    async draw(page: TreeNode, scale: number): Promise<string> {
        const pieces: string[] = [];
        for (const layer of nodesIn(page)) {
            for (const child of nodesIn(layer)) {
                pieces.push(await this.#element(child, { ...page.style, ...layer.style }));
            }
        }

        const sheet = svgTag('rect', { width: pageWidth, height: pageHeight, fill: page.style.backgroundColor });
        return svgTag('svg', { xmlns: 'http://www.w3.org/2000/svg', width: pageWidth * scale, height: pageHeight * scale, viewBox: `0 0 ${pageWidth} ${pageHeight}` },
            `${svgTag('defs', {}, [...this.#definitions, ...this.#emoji.definitions].join(''))}${sheet}${pieces.join('')}`);
    }

    async #element(node: TreeNode, inherited: Style): Promise<string> {
        const { style } = node;
        const [left, top] = [Number(style.left), Number(style.top)];
        if (top > pageHeight || left > pageWidth) {
            return '';
        }

        const edge = (numberIn(style, 'padding') ?? 0) + (numberIn(style, 'borderWidth') ?? 0);
        const drawn = node.tag === 'img' ? await this.#image(node, { left, top }, edge) : await this.#text(node, inherited, { left, top }, edge);
        if (drawn === undefined) {
            return '';
        }

        const { box, inside } = drawn;
        const background = style.backgroundColor === undefined ? '' : shape(box, style, { fill: style.backgroundColor });
        return svgTag('g', { opacity: style.opacity, transform: transformOf(style, box) }, background + inside + border(box, style, textIn(style, 'color', textIn(inherited, 'color', ''))));
    }

    async #image({ attributes: { src = '' }, style }: TreeNode, place: { left: number; top: number }, edge: number): Promise<{ box: Box; inside: string } | undefined> {
        const [width, height] = [numberIn(style, 'width'), numberIn(style, 'height')];
        const picture = await this.#tools.picture(src, { width, height, pixelated: style.imageRendering === 'pixelated' });
        if (picture === undefined) {
            return undefined;
        }

        const ratio = picture.width / picture.height;
        const box = { ...place, width: width ?? (height === undefined ? picture.width : height * ratio), height: height ?? (width === undefined ? picture.height : width / ratio) };
        const inner = { left: box.left + edge, top: box.top + edge, width: Math.max(box.width - 2 * edge, 0), height: Math.max(box.height - 2 * edge, 0) };
        const fit = { contain: 'xMidYMid meet', cover: 'xMidYMid slice' }[textIn(style, 'objectFit', 'fill')] ?? 'none';
        const clip = `c${this.#definitions.length}`;
        this.#definitions.push(svgTag('clipPath', { id: clip }, shape(inner, style, {})));
        const image = svgTag('image', { x: inner.left, y: inner.top, width: inner.width, height: inner.height, preserveAspectRatio: fit, href: picture.href, 'clip-path': `url(#${clip})` });
        return { box, inside: image };
    }

    async #text(node: TreeNode, inherited: Style, { left, top }: { left: number; top: number }, edge: number): Promise<{ box: Box; inside: string }> {
        const style = { ...inherited, ...node.style };
        const size = Number(style.fontSize);
        const line = size * Number(style.lineHeight);
        const font = { family: textIn(style, 'fontFamily', 'sans-serif').replace(ofPages, ''), weight: textIn(style, 'fontWeight', 'normal'), style: textIn(style, 'fontStyle', 'normal') };
        const spacing = spacingOf(style, size);
        const bare = this.#tools.measure(font, size);
        const measure: Measure = async (text) => await bare(text) + spacing * [...text].length;
        const space = textIn(style, 'whiteSpace', 'normal');
        const given = numberIn(node.style, 'width');
        const words = wordsOf(node).slice(0, Math.min(MAX_OF_TEXT, this.#lettersLeft));
        this.#lettersLeft -= words.length;
        const lines = words === '' ? [] : await linesOf(words, {
            width: space === 'nowrap' || space === 'pre' ? Infinity : Math.max((given ?? (style.maxWidth === undefined ? pageWidth - left : pageWidth)) - 2 * edge, 1), collapse: space === 'normal' || space === 'nowrap',
            most: Math.ceil((pageHeight - Math.min(top, 0)) / line) + 1
        }, measure);
        const widths = await Promise.all(lines.map(({ text }) => measure(text)));
        const box = { left, top, width: given ?? Math.max(0, ...widths) + 2 * edge, height: numberIn(node.style, 'height') ?? lines.length * line + 2 * edge };
        const written: string[] = [];
        for (const [n, { text, paragraph }] of lines.entries()) {
            written.push(await this.#line(text, {
                style, paragraph, node, size, font, spacing, measure, inner: { left: left + edge, right: left + box.width - edge }, base: top + edge + n * line + (line - (ASCENT + DESCENT) * size) / 2 + ASCENT * size
            }));
        }

        return { box, inside: written.join('') };
    }

    /** One line of text. Its emoji leave room among the letters, and their pictures are laid there. */
    async #line(line: string, { style, paragraph, node, size, font, spacing, measure, inner: { left, right }, base }: {
        style: Style; paragraph: string; node: TreeNode; size: number; font: Font; spacing: number; measure: Measure; inner: { left: number; right: number }; base: number;
    }): Promise<string> {
        const { isRight, side, anchor } = alignmentOf(style, node, paragraph);
        const x = side === 'center' ? (left + right) / 2 : side === 'left' ? left : right;
        const pieces = splitAtEmoji(line);
        const widths = pieces.some(({ isEmoji }) => isEmoji) ? await Promise.all(pieces.map(({ text }) => measure(text))) : [];
        const width = widths.reduce((sum, one) => sum + one, 0);
        let place = (side === 'center' ? x - width / 2 : side === 'left' ? x : x - width) + (isRight ? width : 0);
        const [letters, pictures]: [string[], string[]] = [[], []];
        for (const [n, { text, isEmoji }] of pieces.entries()) {
            const wide = (widths[n] ?? 0) * (isRight ? -1 : 1);
            const picture = isEmoji ? await this.#emoji.next(text) : null;
            if (picture === null) {
                letters.push(escaped(text));
            }
            else {
                letters.push(svgTag('tspan', { fill: 'none' }, escaped(text)));
                pictures.push(svgTag('use', { href: `#${picture}`, transform: `translate(${place + wide / 2} ${base - EMOJI_MIDDLE * size}) scale(${size})` }));
            }

            place += wide;
        }

        return svgTag('text', {
            x, 'y': base, 'text-anchor': anchor, 'direction': isRight ? 'rtl' : 'ltr', 'fill': style.color, 'font-size': size, 'font-family': font.family,
            'font-weight': font.weight, 'font-style': font.style, 'letter-spacing': spacing === 0 ? undefined : spacing, 'text-decoration': style.textDecoration, 'xml:space': 'preserve'
        }, letters.join('')) + pictures.join('');
    }
}

function spacingOf(style: Style, size: number): number {
    const spacing = style.letterSpacing;
    return typeof spacing === 'string' ? Number.parseFloat(spacing) * size : spacing ?? 0;
}

interface Alignment {
    isRight: boolean;
    side: 'left' | 'right' | 'center';
    anchor: 'start' | 'middle' | 'end';
}

/** Where the lines of a paragraph begin, and in which direction they go: if the text says none, in that of the paragraph's first letter. */
function alignmentOf(style: Style, node: TreeNode, paragraph: string): Alignment {
    const { dir } = node.attributes;
    const said = style.direction ?? (dir === 'auto' ? undefined : dir);
    const isRight = said === undefined ? rightToLeft.test(/\p{L}/u.test(paragraph) ? paragraph : wordsOf(node)) : said === 'rtl';
    const align = textIn(style, 'textAlign', 'start');
    const side = align === 'center' || align === 'left' || align === 'right' ? align : (align === 'end') === isRight ? 'left' : 'right';
    return { isRight, side, anchor: side === 'center' ? 'middle' : (side === 'right') === isRight ? 'start' : 'end' };
}

/** The border of a box, inside of it. */
function border({ left, top, width, height }: Box, style: Style, colour: string): string {
    const line = numberIn(style, 'borderWidth');
    if (line === undefined) {
        return '';
    }

    const inner = { left: left + line / 2, top: top + line / 2, width: Math.max(width - line, 0), height: Math.max(height - line, 0) };
    const said = textIn(style, 'borderColor', colour);
    return shape(inner, style, {
        fill: 'none', stroke: said === 'currentcolor' ? colour : said, 'stroke-width': line,
        'stroke-dasharray': { dashed: `${2 * line} ${2 * line}`, dotted: `0 ${2 * line}` }[textIn(style, 'borderStyle', 'solid')], 'stroke-linecap': style.borderStyle === 'dotted' ? 'round' : undefined
    });
}
