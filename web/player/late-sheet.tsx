import { render } from 'preact';

import { SCALE, linksFrom } from '../../src/site/player.js';
import { Sheet } from '../../src/site/sheet.js';
import type { ShownPage } from '../../src/site/shown.js';
import { loadTexts } from '../texts.js';
import { hrefHere } from './href.js';

/** Shows a page that is too large for HTML. Everybody may read it, so it is asked for without a token. */
export async function showLate(sheet: HTMLElement): Promise<void> {
    const { late = '', project = '', suffix = '', failed = '' } = sheet.dataset;
    try {
        const [response, t] = await Promise.all([fetch(late), loadTexts()]);
        if (!response.ok) {
            throw new Error(`The page was answered with ${response.status}`);
        }

        const { page }: { page: ShownPage } = await response.json();
        sheet.replaceChildren();
        render(<Sheet page={page} t={t} linkUrl={linksFrom(project, suffix, hrefHere())} scale={SCALE} />, sheet);
    }
    catch {
        const told = sheet.querySelector('[role="status"]');
        if (told !== null) {
            told.textContent = failed;
        }
    }
}
