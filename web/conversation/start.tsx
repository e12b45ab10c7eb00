import { render } from 'preact';

import { KitContext } from '../ui/kit';
import { client } from '../session';
import { loadTexts } from '../texts';
import { Conversation } from './conversation';

/** Milliseconds for which an element is pointed at. */
const SHOWN = 4000;

/** Shows where on the page an element is that a comment is about. */
function pointAt(id: string): void {
    const element = document.querySelector(`.stage [data-element="${CSS.escape(id)}"]`);
    element?.scrollIntoView({ block: 'center' });
    element?.classList.add('pointed-at');
    setTimeout(() => element?.classList.remove('pointed-at'), SHOWN);
}

/** Fills the place of the comments below the player. */
export async function startConversation(place: HTMLElement): Promise<void> {
    const t = await loadTexts();
    const { project = '', owner = '', page, pages = '' } = place.dataset;
    const box = document.createElement('div');
    place.append(box);
    render(
        <KitContext.Provider value={{ t, client: client(), language: document.documentElement.lang, say: () => undefined }}>
            <Conversation project={{ id: project, owner }} page={page} pages={pages.split(' ')} about={{}} point={pointAt} />
        </KitContext.Provider>, box
    );
}
