import { fieldOf } from '../../src/api/json/is-object';

/** A remix that somebody asked for who was not signed in. It is made when they come back to the address that names it, in the same tab, so that no link of others makes one. */
const KEY = 'pagewright remix';

interface Wanted {
    /** what the address of the project names it by */
    name: string;
    title: string;
}

function wanted(): Wanted | undefined {
    try {
        const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
        const [name, title] = [fieldOf(kept, 'name'), fieldOf(kept, 'title')];
        return typeof name === 'string' && typeof title === 'string' ? { name, title } : undefined;
    }
    catch {
        return undefined;
    }
}

const nameIn = (address: string): string | null => (URL.canParse(address, location.origin) ? new URL(address, location.origin).searchParams.get('remix') : null);

/** Lets a link to the sign-in page come back to a remix. */
export function askForRemix(link: HTMLAnchorElement, title: string): void {
    const to = new URL(link.href);
    const back = new URL(to.searchParams.get('back') ?? location.pathname, location.origin);
    const name = crypto.getRandomValues(new Uint32Array(2)).join('');
    try {
        sessionStorage.setItem(KEY, JSON.stringify({ name, title }));
    }
    catch {
        // Without storage, one asks again after signing in.
        return;
    }

    back.searchParams.set('remix', name);
    to.searchParams.set('back', back.pathname + back.search);
    link.href = to.href;
}

/** The title of the project that is to be remixed after signing in; undefined if one signs in for something else. */
export function remixAskedFor(search = location.search): string | undefined {
    const asked = wanted();
    const back = new URLSearchParams(search).get('back');
    return asked !== undefined && back !== null && nameIn(back) === asked.name ? asked.title : undefined;
}

/** Whether this page was come back to for a remix. It is, once. */
export function takeRemixAskedFor(): boolean {
    const name = nameIn(location.href);
    if (name === null) {
        return false;
    }

    const isAsked = wanted()?.name === name;
    const here = new URL(location.href);
    here.searchParams.delete('remix');
    history.replaceState(history.state, '', here);
    if (isAsked) {
        sessionStorage.removeItem(KEY);
    }

    return isAsked;
}
