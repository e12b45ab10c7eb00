import { h } from 'preact';
import type { ComponentChild, JSX } from 'preact';

import { pageWidth, renderPage, toComponents } from '../../client/src/render';
import type { LinkTarget } from '../../client/src/render';
import type { Translate } from './text-options';
import type { ShownPage } from './shown';

/** Widths of scaled pictures that the service makes. */
const widths = [160, 320, 640, 1280];

/** Pixels of a screen for one unit of a page. */
const PIXELS = 2;

/** The address of an asset: of a picture about as large as it is shown. @param width undefined for a sound or a video */
export function assetUrl(hash: string, width: number | undefined, scale: number): string {
    const fitting = width === undefined ? undefined : widths.find((each) => each >= width * PIXELS * scale);
    return fitting === undefined ? `/assets/${hash}` : `/assets/${hash}?width=${fitting}`;
}

interface SheetProps {
    page: ShownPage;
    t: Translate;
    /** as in `RenderOptions`; without it, nothing on the page can be pressed */
    linkUrl?: (target: LinkTarget) => string | undefined;
    /** how many times larger than 320 pixels it may be shown */
    scale?: number;
    /** the address of an asset, if it is not the service that has it */
    assetAt?: (hash: string, width: number | undefined) => string;
}

/** A page as its author made it, as wide as there is room. */
export function Sheet({ page, t, linkUrl, scale = 1, assetAt = (hash, width) => assetUrl(hash, width, scale) }: SheetProps): JSX.Element {
    const tree = renderPage(page, { assetUrl: (hash, width = pageWidth, kind) => assetAt(hash, kind === 'image' ? width : undefined), linkUrl, still: linkUrl === undefined, fluid: true, words: { pictureAt: (host) => t('player.picture_at', { host }) } });
    return <>{toComponents<ComponentChild>(tree, (tag, attributes, ...children) => h(tag, attributes, ...children))}</>;
}
