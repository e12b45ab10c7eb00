import { render } from 'preact';
import type { JSX } from 'preact';

import type { PageContext } from '../../src/site/context.js';
import { Comments } from '../../src/site/conversation.js';
import { Player, Publish } from '../../src/site/player.js';
import { client } from '../session.js';
import { loadTexts } from '../texts.js';
import { classNames } from '../ui/class-names.js';
import { hrefHere } from './href.js';

/** The player with a page of a project that is not for everybody; undefined if the project has no such page. */
async function playerOf(id: string, pageId: string | undefined): Promise<{ title: string; player: JSX.Element } | undefined> {
    const service = client();
    const project = await service.projects.get(id);
    const isOwn = project.user_id === service.session?.user.id;
    const ofClasses = isOwn || !document.documentElement.classList.contains('in-class') ? undefined : classNames(service);
    const [pages, names] = await Promise.all([service.projects.pages(project), ofClasses]);
    const places = pages.map(({ id: page, x, y }) => ({ id: page, x, y })).sort((a, b) => a.y - b.y || a.x - b.x);
    const shown = pages.find((page) => (pageId === undefined ? page.x === 0 && page.y === 0 : page.id === pageId)) ?? (pageId === undefined ? pages[0] : undefined);
    if (pageId !== undefined && shown === undefined) {
        return undefined;
    }

    const t = await loadTexts();
    const { lang, dir } = document.documentElement;
    const page: PageContext = {
        t,
        language: lang,
        direction: dir === 'rtl' ? 'rtl' : 'ltr',
        place: { name: '', rules: '', welcome: '' },
        announcements: [],
        origin: location.origin,
        path: location.pathname,
        href: hrefHere()
    };
    const { held, visibility } = project;
    const warning = held !== undefined && <p class="warning">{t('player.held', { reason: held.reason })}{isOwn
        && <> <a href={page.href('/account/decisions')}>{t('decisions.see_this')}</a></>}</p>;
    const publish = visibility !== 'public' && held === undefined && <Publish page={page} visibility={visibility} />;
    const author = { ...project.author, nameInClass: names?.get(project.user_id) };
    const stage = { page, project: { ...project, author }, places, shown: shown ?? null };
    return { title: project.title,
        player: <><Player {...stage} source={undefined} warning={warning} publish={publish} /><Comments {...stage} /></> };
}

/** Shows a project that is not for everybody to those who may see it. */
export async function showOwn(main: Element, id: string, pageId: string | undefined): Promise<void> {
    const found = await playerOf(id, pageId);
    if (found !== undefined) {
        main.replaceChildren();
        render(found.player, main);
        document.title = found.title;
    }
}

/** The stage of a page alone. */
export async function ownStage(id: string, pageId: string | undefined): Promise<Element | null> {
    const found = await playerOf(id, pageId);
    const box = document.createElement('div');
    render(found?.player ?? null, box);
    return box.querySelector('.stage');
}
