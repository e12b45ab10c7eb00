import type { Style, TreeNode } from './tree';

const unitless = new Set(['lineHeight', 'opacity']);

/** Styles as the text of a `style` attribute. */
export function cssText(style: Style): string {
    return Object.entries(style).map(([name, value]) => {
        return `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${typeof value === 'number' && value !== 0 && !unitless.has(name) ? `${value}px` : value}`;
    }).join(';');
}

/** Makes something else of a tree, from its leaves up. */
export function fold<Made>({ tag, attributes, style, children }: TreeNode, make: (tag: string, attributes: Record<string, string>, children: (Made | string)[]) => Made): Made {
    const css = cssText(style);
    return make(tag, css === '' ? { ...attributes } : { ...attributes, style: css }, children.map((child) => (typeof child === 'string' ? child : fold(child, make))));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' };

/** Text as it is in HTML and XML, also in attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Text that is HTML already. */
class Html {
    readonly text: string;

    constructor(text: string) {
        this.text = text;
    }
}

/** The tree as HTML text, everything in it escaped. */
export function toHtml(tree: TreeNode): string {
    return fold<Html>(tree, (tag, attributes, children) => {
        const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`).join('');
        const inside = children.map((child) => (typeof child === 'string' ? escaped(child) : child.text)).join('');
        return new Html(tag === 'img' ? `<img${written}>` : `<${tag}${written}>${inside}</${tag}>`);
    }).text;
}

/** The part of a document that `toNodes` uses. */
export interface Maker<Made> {
    createElement(tag: string): Made & { setAttribute(name: string, value: string): void; append(...children: (Made | string)[]): void };
}

/** The tree as nodes of a document. */
export function toNodes<Made>(tree: TreeNode, document: Maker<Made>): Made {
    return fold<Made>(tree, (tag, attributes, children) => {
        const made = document.createElement(tag);
        Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
        made.append(...children);
        return made;
    });
}

/** The tree as components, with Preact's `h` or another function that takes `style` as text. */
export function toComponents<Made>(tree: TreeNode, h: (tag: string, attributes: Record<string, string>, ...children: (Made | string)[]) => Made): Made {
    return fold<Made>(tree, (tag, attributes, children) => h(tag, attributes, ...children));
}
