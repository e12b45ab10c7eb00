import './player.css';

import { reportReasons } from '../../src/community/report-reasons.js';
import { askForRemix, takeRemixAskedFor } from '../sign-in/remix-wanted.js';
import { client, currentSession } from '../session.js';
import { keepFocus } from './focus.js';
import { offerFullScreen } from './full-screen.js';
import { followKeysAndSwipes } from './keys.js';
import { showLatePage } from './late.js';

/** Makes a remix, which is private until it is published, and goes on in the editor. */
async function remix(id: string): Promise<void> {
    const service = client();
    const made = await service.projects.remix(await service.projects.get(id), { visibility: 'private' });
    location.assign(`/edit/${made.id}`);
}

/** Whether others let the user edit this project. */
async function mayEdit(id: string): Promise<boolean> {
    const service = client();
    for await (const shared of service.members.shared({ count: 100 })) {
        if (shared.id === id) {
            const members = await service.members.list(shared);
            return members.some(({ user, role }) => user.id === service.session?.user.id && role === 'editor');
        }
    }

    return false;
}

function tell(name: 'failed' | 'published' | 'released' | 'remixing' | 'reported'): void {
    const told = document.querySelector<HTMLElement>('.told');
    if (told !== null) {
        told.textContent = told.dataset[name] ?? '';
        // What had the focus is gone, if it was in what is done.
        if (document.activeElement === document.body) {
            told.focus();
        }
    }
}

/** Lets those who are signed in remix, edit and publish what is theirs, and report what is not. */
function showActions(): void {
    const session = currentSession();
    const actions = document.querySelector<HTMLElement>('.actions');
    const { project = '', author = '' } = actions?.dataset ?? {};
    const remixes = actions?.querySelector('[data-action="remix"]');
    /** Whoever may edit it mostly wants to do that. */
    const show = (role: 'own' | 'member', is: boolean): void => {
        actions?.classList.toggle(role, is);
        remixes?.classList.toggle('quiet', is);
    };

    show('own', session?.user.id === author);
    if (session !== null && session.user.id !== author) {
        void mayEdit(project).then((may) => show('member', may), () => undefined);
    }

    const publish = document.querySelector('.publish');
    publish?.querySelector('button')?.addEventListener('click', () => {
        client().api.PATCH('/users/{user}/projects/{project}', { params: { path: { user: 'me', project } }, body: { visibility: 'public' } }).then(() => {
            publish.remove();
            tell('published');
            void offerAddress(project);
        }, () => tell('failed'));
    });
    let isBusy = false;
    const remixNow = (): void => {
        if (!isBusy) {
            isBusy = true;
            tell('remixing');
            remix(project).catch(() => tell('failed')).finally(() => {
                isBusy = false;
            });
        }
    };

    remixes?.addEventListener('click', (event) => {
        if (currentSession() !== null) {
            event.preventDefault();
            remixNow();
        }
        else if (remixes instanceof HTMLAnchorElement) {
            askForRemix(remixes, String(document.querySelector('.player h1')?.textContent));
        }
    });
    if (takeRemixAskedFor() && currentSession() !== null) {
        remixNow();
    }

    const release = document.querySelector<HTMLElement>('[data-action="release"]');
    release?.addEventListener('click', () => {
        client().moderation.release({ id: project }).then(() => {
            release.remove();
            document.querySelector('.player .warning')?.remove();
            tell('released');
        }, () => tell('failed'));
    });
    const form = document.querySelector<HTMLFormElement>('form[data-report]');
    form?.addEventListener('submit', (event) => {
        event.preventDefault();
        const text = form.querySelector('textarea')?.value;
        const reason = reasonOf(form.querySelector('select')?.value);
        const sent = currentSession() === null ? client().api.POST('/projects/{project}/guest-reports', { params: { path: { project } }, body: { reason, text } }) : client().report({ id: project }, reason, text);
        sent.then(() => {
            form.closest('details')?.remove();
            tell('reported');
        }, () => tell('failed'));
    });
}

/** Shows the address of a project that is published now, to be given to others. */
async function offerAddress(project: string): Promise<void> {
    const place = document.querySelector('.told');
    if (place !== null) {
        await import('./address.js').then(({ showAddress }) => showAddress(place, project));
    }
}

type Reason = Parameters<ReturnType<typeof client>['report']>[1];

const reasonOf = (value: string | undefined): Reason => reportReasons.find((reason) => reason === value) ?? 'other';

/** Counts a view, once a day for each viewer. It may fail without harm. */
function count(project: string): void {
    client().api.POST('/view-project/{project}', { params: { path: { project } } }).catch(() => undefined);
}

/** Whether the whole project is to be there without a network, not only the pages that are looked at: people who are signed in, or have installed the site, come back to it. */
const isKept = (): boolean => 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null && (currentSession() !== null || matchMedia('(display-mode: standalone)').matches);

/** Keeps a copy of the project with all its pages on this device, once in each tab. It may fail without harm. */
async function keepWhole(id: string): Promise<void> {
    const key = `pagewright kept-whole ${id}`;
    if (isKept() && navigator.onLine && sessionStorage.getItem(key) === null) {
        sessionStorage.setItem(key, 'yes');
        await import('./whole.js').then(({ loadWhole }) => loadWhole(id));
    }
}

/** Loads something of the page when it is about to be seen, so that it does not make the rest wait. */
function whenNear(place: Element, load: () => Promise<void>): void {
    const watching = new IntersectionObserver((entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) {
            watching.disconnect();
            // Without a connection it is missing; the project plays all the same.
            void load().catch(() => undefined);
        }
    }, { rootMargin: '300px' });
    watching.observe(place);
}

/** Lets people say what they think of a project: a heart, and comments. */
function showConversation(): void {
    const like = document.querySelector<HTMLButtonElement>('[data-action="like"]');
    const comments = document.querySelector<HTMLElement>('.conversation');
    if (like !== null && currentSession() !== null) {
        void import('./like.js').then(({ showLike }) => showLike(like)).catch(() => undefined);
    }

    if (comments !== null) {
        const load = (): Promise<void> => import('../conversation/start.js').then(({ startConversation }) => startConversation(comments));
        // A notice leads to a comment.
        void (location.hash.startsWith('#comment') ? load().catch(() => undefined) : whenNear(comments, load));
    }
}

async function begin(): Promise<void> {
    // Without a network, a page may be there that the service does not know yet.
    const [, id, pageId] = /^\/p\/(\d+)(?:\/(\d+|new-[\w-]+))?$/.exec(location.pathname) ?? [];
    const main = document.querySelector('main');
    const isOffline = document.querySelector('[data-nothing-kept]') !== null;
    if (document.querySelector('.player') === null && (currentSession() !== null || isOffline) && main !== null && id !== undefined) {
        // If it is not theirs to see, the page stays as it is.
        await import('./own.js').then(({ showOwn }) => showOwn(main, id, pageId)).catch(() => undefined);
    }

    // It is nobody's here, or there is nothing.
    document.querySelector('.finding')?.remove();
    document.querySelector('.message[hidden]')?.removeAttribute('hidden');

    showLatePage();
    showActions();
    followKeysAndSwipes();
    keepFocus();
    offerFullScreen();
    if (id !== undefined && document.querySelector('.player') !== null) {
        count(id);
        void keepWhole(id).catch(() => undefined);
        showConversation();
    }
}

void begin();
