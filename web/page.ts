import { fieldOf, isObject } from '../src/api/json/is-object';
import { isBounded } from '../src/classes/publish-levels';
import { canStore } from './storage';

/** The script of all pages: the language that was chosen before, and who is signed in. It must stay small, so it does not load the client. */

const KEY = 'pagewright language';

/** Goes on in the language that was chosen earlier, if the address names none. */
function keepLanguage(): void {
    const address = new URL(location.href);
    const chosen = address.searchParams.get('lang');
    const before = localStorage.getItem(KEY);
    const offered = document.documentElement.dataset.languages?.split(' ') ?? [];
    const isOffered = (language: string | null): language is string => language !== null && offered.includes(language);
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
const sessionKey = `pagewright ${location.origin}`;

function sessionKept(): { id: string; username: string; token: string } | undefined {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(sessionKey) ?? 'null');
        const token = fieldOf(kept, 'token');
        const user = fieldOf(kept, 'user');
        const [id, username] = [fieldOf(user, 'id'), fieldOf(user, 'username')];
        return typeof id === 'string' && typeof username === 'string' && typeof token === 'string' ? { id, username, token } : undefined;
    }
    catch {
        return undefined;
    }
}

/** Reports that are counted; there may be more. */
const MAX_COUNTED = 100;

/** Asks the service with a token. @returns undefined if it refuses */
async function ask(path: string, token: string): Promise<unknown> {
    const response = await fetch(path, { headers: { authorization: `token ${token}` } });
    return response.ok ? response.json() : undefined;
}

/** Rights to more than everybody has: `moderator`, `staff`, `classes` for teachers and pupils whom a class manages, `managed` for the latter, and `bounded` if they can show others nothing. */
async function rightsOf(token: string): Promise<readonly string[]> {
    const user = fieldOf(await ask('/users/me', token), 'user');
    const has = (permission: string): boolean => fieldOf(fieldOf(user, 'permissions'), permission) === true;
    const managed = fieldOf(user, 'managed');
    const isManaged = isObject(managed);
    const ofClass = { managed: isManaged, bounded: isBounded(fieldOf(managed, 'publish')) };
    const rights = { moderator: has('moderator'), staff: has('staff'), classes: has('teacher') || isManaged, ...ofClass };
    return Object.entries(rights).flatMap(([right, is]) => (is ? [right] : []));
}

/** Shows what leads to more than everybody has. @param count how many reports nobody has decided about */
function showRights(rights: readonly string[], count = 0): void {
    for (const [name, right] of [['moderator', 'moderator'], ['staff', 'staff'], ['in-class', 'classes'], ['managed', 'managed'], ['bounded', 'bounded']] as const) {
        document.documentElement.classList.toggle(name, rights.includes(right));
    }

    // The editor has a bar of its own.
    if (nav === null) {
        return;
    }

    const { admin = '', adminLabel = '', moderation = '', moderationLabel = '', classes = '', classesLabel = '', moreLabel = '' } = nav.dataset;
    nav.querySelectorAll('[data-right]').forEach((one) => one.remove());
    const withCount = (label: string): string => (count === 0 ? label : `${label} (${count === MAX_COUNTED ? `${MAX_COUNTED}+` : count})`);
    const links = [['moderator', moderation, withCount(moderationLabel)], ['staff', admin, adminLabel], ['classes', classes, classesLabel]] as const;
    more.textContent = withCount(moreLabel);
    menu.prepend(...links.filter(([right]) => rights.includes(right)).map(([right, address, text]) => {
        const anchor = link(address, text);
        anchor.dataset.right = right;
        return anchor;
    }));
}

/** Leads people of classes there, staff to the pages of whoever runs the place, and moderators to the reports. What was so on the page before is shown until the service has answered. @param isCurrent whether the same user is still shown */
async function findRights(token: string, isCurrent: () => boolean): Promise<void> {
    const key = `pagewright rights ${token.slice(-8)}`;
    const kept = (sessionStorage.getItem(key) ?? '').split(' ');
    showRights(kept);
    const rights = await rightsOf(token);
    sessionStorage.setItem(key, rights.join(' '));
    const projects = rights.includes('moderator') ? fieldOf(await ask(`/moderation/reports?count=${MAX_COUNTED}`, token), 'reports') : undefined;
    if (isCurrent()) {
        showRights(rights, Array.isArray(projects) ? projects.length : 0);
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

/** The links but that to the account. On a phone, people of classes, moderators and staff have too many for a row: a button opens them. */
const menu = document.createElement('div');
const more = document.createElement('button');

function toggleMenu(isOpen: boolean): void {
    more.ariaExpanded = String(isOpen);
}

function prepareMenu(): void {
    menu.className = 'menu';
    menu.id = 'session-menu';
    more.type = 'button';
    more.className = 'quiet';
    more.setAttribute('aria-controls', menu.id);
    toggleMenu(false);
    more.addEventListener('click', () => toggleMenu(more.ariaExpanded === 'false'));
    nav?.addEventListener('keydown', ({ key }) => {
        if (key === 'Escape' && more.ariaExpanded === 'true') {
            toggleMenu(false);
            more.focus();
        }
    });
    for (const type of ['pointerdown', 'focusin']) {
        addEventListener(type, ({ target }) => target instanceof Node && nav?.contains(target) === false && toggleMenu(false));
    }
}

let times = 0;

/** Ends what tells of the notices of whoever was signed in. */
let ringing = new AbortController();

function showSession(): void {
    const time = ++times;
    const session = sessionKept();
    const username = session?.username;
    document.documentElement.classList.toggle('signed-in', username !== undefined);
    if (nav !== null) {
        const { account = '', accountLabel, feed = '', feedLabel = '', new: create = '', newAddress = '' } = nav.dataset;
        const fed = link(feed, feedLabel);
        // On a phone there is no room: the account leads there.
        fed.className = 'where-room';
        menu.replaceChildren(fed, link(newAddress, create));
        const own = link(account, username ?? '', accountLabel);
        // Where it is cut, it keeps its beginning.
        own.dir = 'auto';
        nav.replaceChildren(...username === undefined ? forGuests : [more, menu, own]);
    }

    ringing.abort();
    ringing = new AbortController();
    if (session !== undefined) {
        void findRights(session.token, () => time === times).catch(() => undefined);
        const { signal } = ringing;
        const bell = nav?.parentElement?.querySelector<HTMLElement>('.bell') ?? null;
        // What a guest does not need is loaded for those alone who are signed in.
        void (bell !== null && import('./bell.js').then(({ ring }) => ring(bell, session, signal)).catch(() => undefined));
    }
}

/** Removes what somebody has left on this device who is not signed in any more, if the page where they signed out was left too soon. */
async function cleanUp(): Promise<void> {
    const session = sessionKept();
    const left: unknown = JSON.parse(localStorage.getItem('pagewright device') ?? 'null');
    if (left !== null && fieldOf(left, 'id') !== session?.id) {
        await import('./offline/device.js').then(({ settle }) => settle(session ?? null));
    }
}

/** Says that there is no network, or that the page is a copy that this device has kept. */
function showNetwork(): void {
    const told = document.querySelector<HTMLElement>('.network');
    const isCopy = document.documentElement.dataset.copy !== undefined;
    if (told !== null) {
        told.textContent = isCopy || !navigator.onLine ? told.dataset.words ?? '' : '';
    }
}

/** Lets the pages open without a network, and makes them an app that can be installed. Frames of other sites need neither. */
function workOffline(): void {
    const { serviceWorker: workers } = navigator;
    if (!('serviceWorker' in navigator) || window !== window.top) {
        return;
    }

    if (workers.controller === null) {
        // What was loaded until now has to be kept too.
        workers.addEventListener('controllerchange', () => workers.controller?.postMessage([location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)]), { once: true });
    }

    addEventListener('load', () => void workers.register('/service-worker.js').catch(() => undefined));
}

if (canStore()) {
    keepLanguage();
    prepareMenu();
    showSession();
    void cleanUp().catch(() => undefined);
    // Tabs tell each other more by that: it is no other session, and would ask the service again.
    addEventListener('storage', ({ key }) => (key === null || key === sessionKey) && showSession());
    // A script of the page has signed somebody in or out.
    addEventListener('pagewright:session', showSession);
}

showNetwork();
workOffline();
addEventListener('online', showNetwork);
addEventListener('offline', showNetwork);
