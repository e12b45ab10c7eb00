/** Plays a project as large as the screen. Its links load the next page into this one then, as another document would end it. */

import { currentSession } from '../session.js';
import { focusAfter, followedBy } from './focus.js';
import { showLatePage } from './late.js';

const root = document.documentElement;

const isFull = (): boolean => root.classList.contains('full-screen');

/** Shows the page of a link in the place of the one that is there. @returns false if it cannot be loaded */
async function turnTo(link: HTMLAnchorElement): Promise<boolean> {
    const key = followedBy(link);
    const response = await fetch(link.href);
    const [, , id = '', page] = link.pathname.split('/');
    const found = response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('.stage')
        : currentSession() === null ? null : await import('./own.js').then(({ ownStage }) => ownStage(id, page));
    const stage = document.querySelector('.stage');
    if (found === null || stage === null) {
        return false;
    }

    stage.replaceChildren(...found.childNodes);
    history.replaceState(history.state, '', link.href);
    showLatePage();
    focusAfter(key);
    return true;
}

/** Whether a link leads to another page of the project that is played. */
const isTurn = ({ origin, pathname, target }: HTMLAnchorElement): boolean => target === '' && origin === location.origin && pathname.split('/', 3).join('/') === location.pathname.split('/', 3).join('/');

/** Lets the button of the page fill the screen, and Escape end it. Where the browser cannot, as on some phones, the window is filled. */
export function offerFullScreen(): void {
    const button = document.querySelector<HTMLButtonElement>('[data-action="full-screen"]');
    const stage = document.querySelector('.stage');
    if (button === null || stage === null) {
        return;
    }

    const words = String(button.textContent);
    const ways = stage.parentElement;
    const home = button.parentElement;
    const set = (is: boolean): void => {
        root.classList.toggle('full-screen', is);
        button.textContent = is ? button.dataset.end ?? '' : words;
        // What ends it stays in reach.
        (is ? ways : home)?.append(button);
        button.focus({ preventScroll: true });
    };

    button.hidden = false;
    button.addEventListener('click', () => {
        const is = !isFull();
        set(is);
        void (is ? root.requestFullscreen?.() : document.fullscreenElement === null ? undefined : document.exitFullscreen())?.catch(() => undefined);
    });
    document.addEventListener('fullscreenchange', () => void (document.fullscreenElement === null && isFull() && set(false)));
    addEventListener('keydown', ({ key }) => void (key === 'Escape' && isFull() && set(false)));
    stage.addEventListener('click', (event) => {
        const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
        if (isFull() && link !== null && isTurn(link)) {
            event.preventDefault();
            turnTo(link).catch(() => false).then((isTurned) => isTurned || location.assign(link.href));
        }
    });
}
