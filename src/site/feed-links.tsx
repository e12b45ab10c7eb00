import type { JSX } from 'preact';

import type { PageContext } from './context';
import { feedFormats } from './feeds';

interface FeedLinksProps {
    page: PageContext;
    /** the path that the feeds are below */
    address: string;
    title: string;
}

/** In the head of a page: where readers of feeds find what it lists. */
export function FeedLinks({ page: { place }, address, title }: FeedLinksProps): JSX.Element {
    return <>{feedFormats.map(({ ending, type }) => <link key={ending} rel="alternate" type={type} href={`${address}/feed.${ending}`} title={`${title} · ${place.name}`} />)}</>;
}
