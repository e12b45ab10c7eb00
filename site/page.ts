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
        location.replace(address);
    }
}

/** The name of who is signed in, as the client keeps it. */
function usernameKept(): string | undefined {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(`pagewright ${location.origin}`) ?? 'null');
        const username: unknown = Reflect.get(Object(Reflect.get(Object(kept), 'user')), 'username');
        return typeof username === 'string' ? username : undefined;
    }
    catch {
        return undefined;
    }
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
    const username = usernameKept();
    document.documentElement.classList.toggle('signed-in', username !== undefined);
    if (nav !== null) {
        const { account = '', accountLabel, new: create = '', newAddress = '' } = nav.dataset;
        nav.replaceChildren(...username === undefined ? forGuests : [link(newAddress, create), link(account, username, accountLabel)]);
    }
}

keepLanguage();
showSession();
addEventListener('storage', showSession);
// A script of the page has signed somebody in or out.
addEventListener('pagewright:session', showSession);
