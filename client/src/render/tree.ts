/** Tags that the tree of a page can have, and no others. */
export type Tag = 'div' | 'span' | 'bdi' | 'a' | 'img' | 'audio' | 'video' | 'details' | 'summary';

/** Attributes that the tree of a page can have, besides its style. None of them runs anything. */
export type AttributeName =
    'alt' | 'aria-label' | 'class' | 'controls' | 'data-element' | 'decoding' | 'dir' | 'href' | 'lang' | 'loading' | 'playsinline' | 'preload' | 'referrerpolicy' | 'rel' | 'role' | 'src' | 'target' | 'title';

/** Styles by their names in JavaScript. A number is in pixels, but for `lineHeight` and `opacity`, which have no unit. */
export type Style = Readonly<Record<string, string | number>>;

/** A piece of a page: plain data that writers turn into HTML text, nodes or components. */
export interface TreeNode {
    tag: Tag;
    attributes: Readonly<Partial<Record<AttributeName, string>>>;
    style: Style;
    children: readonly (TreeNode | string)[];
}

export const node = (tag: Tag, attributes: TreeNode['attributes'], style: Style, ...children: TreeNode['children']): TreeNode => ({ tag, attributes, style, children });
