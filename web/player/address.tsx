import { render } from 'preact';
import type { JSX } from 'preact';

import { PageAddress } from '../ui/page-address.js';
import { loadTexts } from '../texts.js';
import { hrefHere } from './href.js';

/** Shows the address of a project behind something. */
export async function showAddress(place: Element, project: string): Promise<void> {
    const t = await loadTexts();
    const box = document.createElement('div');
    place.after(box);
    const Shown = (): JSX.Element => <PageAddress t={t} address={new URL(hrefHere()(`/p/${project}`), location.origin).href} title={document.title} />;
    render(<Shown />, box);
}
