import { fieldOf } from '../src/api/json/is-object';
/** The script of all pages: the language that was chosen before, and who is signed in. It must stay small, so it does not load the client. */

const KEY = 'pagewright language';

/** Goes on in the language that was chosen earlier, by a link of the footer, if the address names none. */
function keepLanguage(): void {
    const address = new URL(location.href);
    const chosen = address.searchParams.get('lang');
    const before = localStorage.getItem(KEY);
    const isOffered = (language: string | null): language is string => language !== null && document.querySelector(`[data-language="${CSS.escape(language)}"]`) !== null;
    if (isOffered(chosen)) {
        localStorage.setItem(KEY, chosen);
    }
    else if (isOffered(before) && before !== document.documentElement.lang) {
        address.searchParams.set('lang', before);
        document.documentElement.dataset.leaving = '';
        location.replace(address);
    }
}

/** Who is signed in, as the client keeps it. */
function sessionKept(): { username: string; token: string } | undefined {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(`pagewright ${location.origin}`) ?? 'null');
        const token = fieldOf(kept, 'token');
        const username = fieldOf(fieldOf(kept, 'user'), 'username');
        return typeof username === 'string' && typeof token === 'string' ? { username, token } : undefined;
    }
    catch {
        return undefined;
    }
}

/** Reports that are counted; there may be more. */
const MOST_COUNTED = 100;

/** Leads moderators to the reports that nobody has decided about. Whether somebody is one is asked once for each tab. */
async function showModeration(token: string): Promise<void> {
    const ask = async (path: string): Promise<unknown> => {
        const response = await fetch(path, { headers: { authorization: `token ${token}` } });
        return response.ok ? response.json() : undefined;
    };

    const key = `pagewright moderator ${token.slice(-8)}`;
    if (sessionStorage.getItem(key) === null) {
        const permissions = fieldOf(fieldOf(await ask('/users/me'), 'user'), 'permissions');
        sessionStorage.setItem(key, String(fieldOf(permissions, 'moderator') === true));
    }

    document.documentElement.classList.toggle('moderator', sessionStorage.getItem(key) === 'true');
    const { moderation = '', moderationLabel = '' } = nav?.dataset ?? {};
    if (sessionStorage.getItem(key) !== 'true' || nav === null) {
        return;
    }

    const projects = fieldOf(await ask(`/moderation/reports?count=${MOST_COUNTED}`), 'reports');
    const count = Array.isArray(projects) ? projects.length : 0;
    nav.prepend(link(moderation, count === 0 ? moderationLabel : `${moderationLabel} (${count === MOST_COUNTED ? `${MOST_COUNTED}+` : count})`));
}

function link(href: string, text: string, label?: string): HTMLAnchorElement {
    const anchor = document.createElement('a');
    anchor.href = href;
    anchor.textContent = text;
    if (label !== undefined) {
        anchor.title = label;
    }

    return anchor;
}

const nav = document.querySelector<HTMLElement>('nav.session');
const forGuests = [...nav?.childNodes ?? []];

function showSession(): void {
    const session = sessionKept();
    const username = session?.username;
    document.documentElement.classList.toggle('signed-in', username !== undefined);
    if (nav !== null) {
        const { account = '', accountLabel, new: create = '', newAddress = '' } = nav.dataset;
        nav.replaceChildren(...username === undefined ? forGuests : [link(newAddress, create), link(account, username, accountLabel)]);
    }

    if (session !== undefined) {
        void showModeration(session.token).catch(() => undefined);
    }
}

keepLanguage();
showSession();
addEventListener('storage', showSession);
// A script of the page has signed somebody in or out.
addEventListener('pagewright:session', showSession);
