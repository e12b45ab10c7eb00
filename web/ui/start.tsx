import { render } from 'preact';
import type { ComponentType } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';

import type { Translate } from '../../src/site/text-options';
import { client } from '../session';
import { canStore } from '../storage';
import { loadTexts } from '../texts';
import { KitContext } from './kit';

/** Moves the focus to the heading if what had it is gone, so that whoever uses the keyboard does not start at the top again. The page stays where it is, so that whoever looks at it sees what came of it. */
function keepFocus(): void {
    const heading = document.querySelector<HTMLElement>('#root h1');
    if (document.activeElement === document.body && heading !== null) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
    }
}

/** Seconds for which a message stays on the screen. */
const SHOWN = 8;

function Page({ t, App }: { t: Translate; App: ComponentType }) {
    const [said, setSaid] = useState('');
    const timer = useRef<ReturnType<typeof setTimeout>>();
    const say = useCallback((text: string) => {
        clearTimeout(timer.current);
        setSaid(text);
        setTimeout(keepFocus);
        timer.current = setTimeout(() => setSaid(''), SHOWN * 1000);
    }, []);
    return (
        <KitContext.Provider value={{ t, client: client(), language: document.documentElement.lang, say }}>
            <App />
            <p class="said" role="status">{said}</p>
        </KitContext.Provider>
    );
}

/** Lets the links to other languages lead to this page with all of its address, which the server does not know. */
function keepAddress(): void {
    for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-language]')) {
        const address = new URL(location.href);
        address.searchParams.set('lang', String(link.dataset.language));
        link.href = address.href;
    }
}

/** Fills a page in. */
export async function startPage(App: ComponentType): Promise<void> {
    const root = document.querySelector('#root');
    if (root !== null && !canStore()) {
        // Who signs in could not stay so on the next page.
        const t = await loadTexts();
        root.replaceChildren(Object.assign(document.createElement('p'), { textContent: t('page.needs_storage') }));
    }
    else if (root !== null) {
        // The script of all pages shows who is signed in.
        client().subscribe(() => dispatchEvent(new Event('pagewright:session')));
        keepAddress();
        const t = await loadTexts();
        root.replaceChildren();
        render(<Page t={t} App={App} />, root);
    }
}
