import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

import type { Client, Session } from '../../client/src/index.js';
import type { Translate } from '../../src/site/text-options';
import { inRegion } from '../region';

/** The properties of every component of a page that a script fills in. */
export interface Kit {
    t: Translate;
    client: Client;
    /** of the page, such as `pt` */
    language: string;
    /** Tells what was done, also to screen readers. */
    say(text: string): void;
}

export const KitContext = createContext<Kit | undefined>(undefined);

export function useKit(): Kit {
    const kit = useContext(KitContext);
    if (kit === undefined) {
        throw new TypeError('A component was used outside of a page');
    }

    return kit;
}

/** Who is signed in; changes with it, also if another tab does it. */
export function useSession(): Session | null {
    const { client } = useKit();
    const [session, setSession] = useState(client.session);
    useEffect(() => client.subscribe(() => setSession(client.session)), [client]);
    return session;
}

/** The address of a page of the site, in the language that was chosen by the address of this one. */
export function href(path: string): string {
    const lang = new URLSearchParams(location.search).get('lang');
    const [address = '', fragment] = path.split('#');
    const chosen = lang === null ? address : `${address}${address.includes('?') ? '&' : '?'}lang=${encodeURIComponent(lang)}`;
    return fragment === undefined ? chosen : `${chosen}#${fragment}`;
}

export { timeIn } from '../region';

/** An hour of the API, in words of a language. */
export const hourIn = (language: string, time: string): string => new Intl.DateTimeFormat(inRegion(language), { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric' }).format(new Date(time));

/** The languages of the site, each with its own name, as the bottom of the page offers them. */
export const languagesOffered = (): [language: string, name: string][] => {
    return [...document.querySelectorAll<HTMLElement>('[data-language]')].map(({ dataset: { language = '' }, textContent }) => [language, String(textContent)]);
};
