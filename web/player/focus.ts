/** A page is turned by a link, which loads another document. The focus goes on there, as if it had stayed. */

/** Which link of the pages around was followed; empty for another one, and for an arrow key while nothing of that had the focus. */
const FOLLOWED = 'pagewright turned by';

const links = '.stage a[href]';

/** The key of the focused link to a page around; empty for another one, and for none. */
export const followedBy = (link: HTMLAnchorElement): string => (link === document.activeElement ? link.dataset.key ?? '' : '');

/** Gives the focus to the link that was followed if it is here too, and else to the page itself, whose number is read out. */
export function focusAfter(key: string): void {
    const link = key === '' ? null : document.querySelector<HTMLElement>(`.way[data-key="${key}"]`);
    if (link === null) {
        document.querySelector<HTMLElement>('.sheet')?.focus({ preventScroll: true });
    }
    else {
        link.focus();
    }
}

/** Notes for the next page what is followed. A frame of another site may have no storage: there the focus begins anew. */
function note(link: HTMLAnchorElement): void {
    try {
        sessionStorage.setItem(FOLLOWED, followedBy(link));
    }
    catch {
        // Nothing is noted.
    }
}

function noted(): string | null {
    try {
        const key = sessionStorage.getItem(FOLLOWED);
        sessionStorage.removeItem(FOLLOWED);
        return key;
    }
    catch {
        return null;
    }
}

/** Whether a link leads to a page of the player, in this window. */
const staysHere = ({ origin, pathname, target }: HTMLAnchorElement): boolean => target === '' && origin === location.origin && pathname.startsWith('/p/');

/** Lets the focus go on where it was on the page before. */
export function keepFocus(): void {
    const key = noted();
    if (key !== null && (document.activeElement === null || document.activeElement === document.body)) {
        focusAfter(key);
    }

    document.querySelector('.stage')?.addEventListener('click', (event) => {
        const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(links) : null;
        const { ctrlKey = false, metaKey = false, shiftKey = false } = event instanceof MouseEvent ? event : {};
        if (link !== null && staysHere(link) && !(ctrlKey || metaKey || shiftKey)) {
            note(link);
        }
    });
}
