import { cloneElement, createElement } from 'preact';
import type { JSX, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Client } from '../../client/src/index.js';
import { cssText, inLayers, renderElement, renderPage, toComponents } from '../../client/src/render/index';
import type { RenderOptions, TreeNode } from '../../client/src/render/index';
import type { Item, Sheet } from './document.js';
import { localAddress } from './uploads.js';

const components = (tree: TreeNode): VNode => toComponents<VNode>(tree, (tag, attributes, ...children) => createElement<object>(tag, attributes, ...children));

/** How pages are drawn here: nothing can be pressed, and pictures come as large as they are shown. @param density pixels for a unit of the page */
export const drawnWith = (client: Client, density: number): RenderOptions => ({
    assetUrl: (hash, width) => localAddress(hash) ?? client.assets.resolve(`asset:${hash}`, { width: Math.max(1, (width ?? 320) * density) }), fluid: true, still: true
});

interface ElementProps {
    item: Item;
    options: RenderOptions;
    /** what makes it something to choose; null in pictures of pages */
    chosen: boolean | null;
    label: string;
}

/** One element. It is drawn anew only if it has changed. */
function Element({ item, options, chosen, label }: ElementProps): VNode | null {
    const drawn = useMemo(() => {
        const tree = renderElement(item, options);
        return tree === null ? null : components(tree);
    }, [item, options]);
    return useMemo(() => (drawn === null || chosen === null ? drawn : cloneElement(drawn, { role: 'button', tabIndex: 0, 'aria-pressed': String(chosen), 'aria-label': label, title: undefined })), [drawn, chosen, label]);
}

interface PageProps {
    page: Sheet;
    options: RenderOptions;
    /** ids of what is chosen; null if nothing can be */
    selected: ReadonlySet<string> | null;
    nameOf: (item: Item) => string;
}

/** A page with its elements. */
export function Page({ page, options, selected, nameOf }: PageProps): JSX.Element {
    const { style, children: [inside] } = renderPage({ styles: page.styles, elements: [] }, options);
    return (
        <div class="pagewright-page" style={cssText(style)}>
            <div style={typeof inside === 'object' ? cssText(inside.style) : ''}>
                {inLayers(page.elements).map((item) => <Element key={item.id} item={item} options={options} chosen={selected === null ? null : selected.has(item.id)} label={selected === null ? '' : nameOf(item)} />)}
            </div>
        </div>
    );
}

const noName = (): string => '';

/** How far outside of the screen a picture of a page may be to be drawn, in pixels. */
const NEAR = 300;

/** A small picture of a page, for the eye only. It is drawn once it is on the screen, after the page that is edited, and anew only if the page has changed. */
export function Thumbnail({ page, options }: { page: Sheet; options: RenderOptions }): JSX.Element {
    const box = useRef<HTMLDivElement>(null);
    const [isNear, setNear] = useState(false);
    useEffect(() => {
        const observer = new IntersectionObserver((entries) => {
            if (entries.some(({ isIntersecting }) => isIntersecting)) {
                setNear(true);
                observer.disconnect();
            }
        }, { rootMargin: `${NEAR}px` });
        if (box.current !== null) {
            observer.observe(box.current);
        }

        return () => observer.disconnect();
    }, []);
    return useMemo(() => <div ref={box} class="thumbnail" aria-hidden="true">{isNear && <Page page={page} options={options} selected={null} nameOf={noName} />}</div>, [page, options, isNear]);
}
