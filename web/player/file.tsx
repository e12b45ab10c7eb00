import i18next from 'i18next';
import { render } from 'preact';
import texts from 'player-texts';

import type { PageContext } from '../../src/site/context.js';
import { EmbeddedPlayer, Stage } from '../../src/site/player.js';
import type { ShownPage } from '../../src/site/shown.js';
import { textOptions } from '../../src/site/text-options.js';
import { focusAfter, followedBy } from './focus.js';
import { followKeysAndSwipes } from './keys.js';

/*
 * The player in an HTML file that plays one project, from any place and without a network: see src/files/exports/html-file.ts. Which page is shown
 * is in the fragment of the address, so that the back button works. A file of an archive has more around the player, in the language of the archive, and
 * says where other projects are: see src/site/archive/.
 */

interface ProjectFile {
    origin: { author: string };
    project: { id: string; title: string };
    pages: (ShownPage & { x: number; y: number })[];
}

/** Where the links of a file of an archive lead. */
interface Linked {
    /** by the ids of projects */
    projects: Readonly<Record<string, string>>;
    /** instead of all others */
    missing: string;
}

const textIn = (selector: string): string => document.querySelector(selector)?.textContent ?? '';

/** Gives the browser the fonts that the file has. It reads one when a letter of it is shown. */
function addFonts(): void {
    for (const { dataset: { family = '', weight = '', letters = '' }, textContent } of document.querySelectorAll<HTMLElement>('script[data-family]')) {
        document.fonts.add(new FontFace(family, `url(data:font/woff2;base64,${textContent}) format('woff2')`, { weight, unicodeRange: letters, display: 'swap' }));
    }
}

/** The texts in the first of the languages that has some. */
async function textsIn(languages: readonly string[]): Promise<{ t: PageContext['t']; language: string }> {
    const language = languages.map((each) => each.slice(0, 2)).find((each) => Object.hasOwn(texts, each)) ?? 'en';
    const instance = i18next.createInstance();
    await instance.init({ ...textOptions, lng: language, resources: { [language]: { translation: { ...texts.en, ...texts[language] } } } });
    return { t: (key, values) => instance.t(key, values), language };
}

async function begin(root: HTMLElement): Promise<void> {
    addFonts();
    const place: { origin: string; name: string } = JSON.parse(textIn('#place'));
    const file: ProjectFile = JSON.parse(textIn('#project'));
    const linked: Linked | null = JSON.parse(textIn('#linked') || 'null');
    const { t, language } = await textsIn(linked === null ? navigator.languages : [document.documentElement.lang]);
    const direction = language === 'ar' ? 'rtl' : 'ltr';
    Object.assign(document.documentElement, { lang: language, dir: direction });

    const { id } = file.project;
    const project = { ...file.project, user_id: '', author: { username: file.origin.author } };
    const places = [...file.pages].sort((a, b) => a.y - b.y || a.x - b.x);
    const pages = new Map(file.pages.map((page) => [page.id, page]));
    const first = file.pages.find(({ x, y }) => x === 0 && y === 0) ?? file.pages[0];
    const assetAt = (hash: string): string => `data:${document.querySelector<HTMLElement>(`script[data-asset="${hash}"]`)?.dataset.type ?? ''};base64,${textIn(`script[data-asset="${hash}"]`)}`;
    const page: PageContext = {
        t,
        language,
        direction,
        place: { name: place.name, rules: '', welcome: '' },
        announcements: [],
        origin: place.origin,
        path: '',
        href: (path) => {
            const [, to = '', onPage] = /^\/p\/(\d+)(?:\/(\d+))?(?:\/embed)?$/.exec(path) ?? [];
            const own = onPage ?? first?.id ?? '';
            if (to === id && pages.has(own)) {
                return `#${own}`;
            }

            if (linked === null) {
                return place.origin + path.replace(/\/embed$/, '');
            }

            const other = linked.projects[to];
            return other === undefined ? linked.missing : `${other}${onPage === undefined ? '' : `#${onPage}`}`;
        }
    };
    const show = (): void => {
        const shown = pages.get(location.hash.slice(1)) ?? first ?? null;
        const stage = { page, project, places, shown, assetAt };
        render(linked === null ? <EmbeddedPlayer key={shown?.id} {...stage} /> : <Stage key={shown?.id} {...stage} />, root);
    };

    root.replaceChildren();
    show();
    let followed = '';
    root.addEventListener('click', ({ target }) => {
        const link = target instanceof Element ? target.closest<HTMLAnchorElement>('.stage a[href^="#"]') : null;
        followed = link === null ? '' : followedBy(link);
    });
    addEventListener('hashchange', () => {
        show();
        focusAfter(followed);
        followed = '';
    });
    followKeysAndSwipes(root);
}

const root = document.getElementById('root');
if (root !== null) {
    void begin(root);
}
