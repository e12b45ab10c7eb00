import { own } from './own';
import { inPixels, inShares, layerOf, pageStyleOf, pageWidth, styleOf } from './styles';
import { node } from './tree';
import type { Style, TreeNode } from './tree';
import { PAGE_WIDTH, wordsOf } from './webmaker';

/** Where a link inside the service leads: what is null is not named. */
export interface LinkTarget {
    userId: string | null;
    projectId: string | null;
    pageId: string | null;
}

export interface RenderOptions {
    /** The address of an asset. `width` is the width of the picture in units of the page, undefined if it has none. Only pictures, whose `kind` is `image`, come in several widths. */
    assetUrl: (hash: string, width: number | undefined, kind: 'image' | 'audio' | 'video') => string;
    /** The address that a link inside the service leads to; without it, or if it returns undefined, such links are text. */
    linkUrl?: (target: LinkTarget) => string | undefined;
    /** Whether nothing can be pressed, as in thumbnails and editors: links, buttons, sounds and videos are boxes. */
    still?: boolean;
    /** Whether the page is as wide as there is room; otherwise it is 320 by 480 pixels. */
    fluid?: boolean;
    /** Words for people, in English if left out. */
    words?: { pictureAt: (host: string) => string };
}

export interface RenderableElement {
    id?: unknown;
    type: unknown;
    attributes: unknown;
    styles: unknown;
}

export interface RenderablePage {
    styles: unknown;
    elements: readonly RenderableElement[];
}

/** Elements of a page that are shown, and letters of one text. */
const MAX_ELEMENTS = 1000;
const MAX_LETTERS = 20_000;

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '').slice(0, MAX_LETTERS);

/** An id of the service, as a string or a number. */
function idOf(value: unknown): string | null {
    const text = stringOf(value);
    return /^[1-9]\d{0,18}$/.test(text) ? text : null;
}

/** An address of e-mail, and nothing that fills in the mail. */
const mail = /^mailto:([^\s?#&<>"'%,;:]{1,64}@[^\s?#&<>"'%,;:@/]{3,253})$/i;

/** An address that leads out, or undefined. `URL` reads it as browsers do, so no trick with its parts shows another host. */
function outside(value: unknown): URL | undefined {
    const url = typeof value === 'string' && value.length <= 2048 && URL.canParse(value) ? new URL(value) : undefined;
    return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** Whether a link to an address can be followed. */
export const leadsOut = (address: string): boolean => mail.test(address) || outside(address) !== undefined;

const external = { rel: 'noopener noreferrer nofollow', target: '_blank', referrerpolicy: 'no-referrer' } as const;

/** A host as it is written in addresses: letters of other scripts are shown as `xn--…`, so that none looks like another. */
const hostNote = (host: string): TreeNode => node('bdi', { dir: 'ltr' }, { fontSize: '0.75em', opacity: 0.8, overflowWrap: 'anywhere' }, ` (${host})`);

const embedded = /^data:(image|audio|video)\/[a-z0-9+.-]{1,40}(?:;[a-z0-9=.-]{1,40}){0,4},/i;

/** The kind of a `src`: an address that may be loaded, another host's address, or neither. */
function sourceOf(src: unknown, kind: 'image' | 'audio' | 'video', width: number | undefined, { assetUrl }: RenderOptions): string | URL | undefined {
    if (typeof src !== 'string') {
        return undefined;
    }

    const hash = /^asset:([0-9a-f]{64})$/i.exec(src)?.[1];
    if (hash !== undefined) {
        return assetUrl(hash.toLowerCase(), width, kind);
    }

    return embedded.exec(src)?.[1]?.toLowerCase() === kind ? src : outside(src);
}

/** The attributes of every element: its id for editors, its language and its direction. */
function common({ id, attributes }: RenderableElement): TreeNode['attributes'] {
    const [lang, dir] = [own(attributes, 'lang'), own(attributes, 'dir')];
    return {
        ...(typeof id === 'string' || typeof id === 'number' ? { 'data-element': String(id).slice(0, 64) } : {}),
        ...(typeof lang === 'string' && /^[a-z0-9-]{2,35}$/i.test(lang) ? { lang } : {}),
        dir: dir === 'ltr' || dir === 'rtl' ? dir : 'auto'
    };
}

type Draw = (element: RenderableElement, style: Style, options: RenderOptions) => TreeNode | null;

/** Each line of a text goes in its own direction, unless the element says one. */
const wordsIn = ({ attributes, styles }: RenderableElement): Style => ({
    whiteSpace: 'pre-wrap', ...own(styles, 'direction') === undefined && own(attributes, 'dir') !== 'ltr' && own(attributes, 'dir') !== 'rtl' ? { unicodeBidi: 'plaintext' } : {}
});

const text: Draw = (element, style) => node('div', common(element), { ...wordsIn(element), ...style }, stringOf(wordsOf(element.attributes)));

const image: Draw = (element, style, options) => {
    const { attributes, styles } = element;
    const width = own(styles, 'width');
    const alt = stringOf(own(attributes, 'alt'));
    const source = sourceOf(own(attributes, 'src'), 'image', typeof width === 'number' ? Math.min(Math.max(width, 0), pageWidth * 4) : undefined, options);
    const { dir: _, ...named } = common(element);
    if (typeof source === 'string') {
        return node('img', { ...named, src: source, alt, decoding: 'async' }, style);
    }

    return source === undefined ? node('div', common(element), { ...wordsIn(element), ...style }, alt) : elsewhere(element, style, source, alt, options);
};

/** A picture, sound or video of another host is not loaded: a link says where it is. */
const elsewhere = (element: RenderableElement, style: Style, { href, host }: URL, alt: string, { still, words: told }: RenderOptions): TreeNode => {
    const label = told?.pictureAt(host) ?? `Picture at ${host}`;
    const shown = { ...style, backgroundColor: '#eeeeee', color: '#333333', padding: style.padding ?? 4, overflow: 'hidden' };
    const children = [alt === '' ? label : `${alt}: ${label}`];
    return still ? node('div', common(element), shown, ...children) : node('a', { ...common(element), href, ...external }, shown, ...children);
};

const drawPlayer = (kind: 'audio' | 'video', element: RenderableElement, style: Style, options: RenderOptions): TreeNode => {
    const label = stringOf(own(element.attributes, 'alt'));
    const source = sourceOf(own(element.attributes, 'src'), kind, undefined, options);
    if (source instanceof URL) {
        return elsewhere(element, style, source, label, options);
    }

    if (options.still || source === undefined) {
        return node('div', common(element), { backgroundColor: '#eeeeee', color: '#333333', textAlign: 'center', overflow: 'hidden', ...style }, label === '' ? '▶' : `▶ ${label}`);
    }

    // React and Preact set `controls` as a property, for which an empty text is false.
    const named = { ...common(element), src: source, controls: 'controls', preload: 'metadata', ...(label === '' ? {} : { 'aria-label': label }) };
    return node(kind, kind === 'video' ? { ...named, playsinline: '' } : named, style);
};

const sound: Draw = (...drawn) => drawPlayer('audio', ...drawn);

const video: Draw = (...drawn) => drawPlayer('video', ...drawn);

const link: Draw = (element, style, { linkUrl, still }) => {
    const { attributes } = element;
    const label = stringOf(wordsOf(attributes));
    const look = { ...wordsIn(element), textDecoration: 'underline', color: 'inherit', ...style };
    const [userId, projectId, pageId] = ['targetUserId', 'targetProjectId', 'targetPageId'].map((name) => idOf(own(attributes, name)));
    const inner = still || !(userId || projectId || pageId) ? undefined : linkUrl?.({ userId: userId ?? null, projectId: projectId ?? null, pageId: pageId ?? null });
    if (inner !== undefined) {
        return node('a', { ...common(element), href: inner }, look, label);
    }

    const href = own(attributes, 'href');
    const address = userId || projectId || pageId || typeof href !== 'string' ? undefined : mail.exec(href)?.[1];
    if (address !== undefined) {
        return still ? node('div', common(element), look, label) : node('a', { ...common(element), href: `mailto:${address}`, title: address }, look, label);
    }

    const out = userId || projectId || pageId ? undefined : outside(href);
    if (out === undefined) {
        return node('div', common(element), look, label);
    }

    return still ? node('div', common(element), look, label, hostNote(out.host)) : node('a', { ...common(element), href: out.href, ...external, title: out.host }, look, label, hostNote(out.host));
};

/** Without a script: `details` shows one of two texts; `stylesheet` says which. */
const button: Draw = (element, style, { still }) => {
    const [label, reveals] = ['text', 'reveals'].map((name) => stringOf(own(element.attributes, name)));
    if (still) {
        return node('div', common(element), { ...wordsIn(element), ...style }, label ?? '');
    }

    return node('details', { ...common(element), class: 'pagewright-button' }, { ...wordsIn(element), ...style },
        node('summary', {}, { listStyle: 'none', cursor: 'pointer', ...wordsIn(element) }, node('span', { class: 'pagewright-closed' }, {}, label ?? ''), node('span', { class: 'pagewright-open' }, {}, reveals ?? '')));
};

/** The rules that buttons need. */
export const stylesheet = `@property ${PAGE_WIDTH}{syntax:"<length>";inherits:true;initial-value:320px}` + '.pagewright-button[open] .pagewright-closed,.pagewright-button:not([open]) .pagewright-open{display:none}.pagewright-button>summary::-webkit-details-marker{display:none}';

const shapes = new Map<unknown, Style>([['rectangle', {}], ['ellipse', { borderRadius: '50%' }], ['triangle', { clipPath: 'polygon(50% 0%, 100% 100%, 0% 100%)' }]]);

const shape: Draw = (element, style) => {
    const form = shapes.get(own(element.attributes, 'shape'));
    if (form === undefined) {
        return null;
    }

    const label = stringOf(own(element.attributes, 'alt'));
    const { dir: _, ...named } = common(element);
    return node('div', label === '' ? named : { ...named, role: 'img', 'aria-label': label }, { backgroundColor: '#cccccc', ...style, ...form });
};

const draws = new Map<unknown, Draw>([['text', text], ['image', image], ['sound', sound], ['video', video], ['link', link], ['button', button], ['shape', shape]]);

/** The nodes of one element; null for a type that is not known. */
export function renderElement(element: RenderableElement, options: RenderOptions): TreeNode | null {
    return draws.get(element.type)?.(element, styleOf(element.styles, options.fluid ? inShares : inPixels, element.type === 'image'), options) ?? null;
}

/** Elements in the order in which they are drawn: by `zIndex`, then by their order in the page. */
export function inLayers<E extends { styles: unknown }>(elements: readonly E[]): E[] {
    return [...elements].sort((one, other) => layerOf(one.styles) - layerOf(other.styles));
}

/**
 * The nodes of a page: a box of 320 by 480 units that nothing in it leaves. What it does not know, it leaves out. At most 1,000 elements, and 20,000 letters of one text, are shown.
 * @returns plain data of a few tags, attributes and styles, none of which runs anything or loads anything but assets and data URIs
 */
export function renderPage(page: RenderablePage, options: RenderOptions): TreeNode {
    const children = inLayers(page.elements.slice(0, MAX_ELEMENTS)).map((element) => renderElement(element, options)).filter((child) => child !== null);
    const size = options.fluid ? inShares(16) : 16;
    return node('div', { class: 'pagewright-page' }, pageStyleOf(page.styles, options.fluid === true), node('div', {}, { position: 'absolute', left: 0, top: 0, width: '100%', height: '100%', fontSize: size, ...options.fluid ? { [PAGE_WIDTH]: '100cqw' } : {} }, ...children));
}
