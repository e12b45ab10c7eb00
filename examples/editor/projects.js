import { createClient } from '../../client/dist/pagewright.js';
import { closeQueue, openQueue } from './saving.js';
import { listTrash } from './history.js';
import { fill } from './draw.js';
import { stopWatching, watch } from './live.js';
import { $, act, click, state, submit } from './state.js';

// ---- Signing in. The session is kept in `localStorage`, so other tabs and a reloaded page have it too.

const connect = () => {

    state.client = createClient($('api').value.replace(/\/+$/, ''), { store: localStorage, onSignedOut: leave });
};

const enter = async (user) => {

    state.user = user;
    $('password').value = '';
    openQueue();
    await listProjects();
};

const leave = () => {

    closeQueue();
    stopWatching();
    Object.assign(state, { user: null, list: null, project: null, pages: [], page: null, element: null, past: null, trash: [] });
    state.dirty.clear();
};

const credentials = () => ({ username: $('username').value, password: $('password').value });

submit('sign-in-form', () => act('Signing in', 'Signed in.', async () => {

    connect();
    await enter(await state.client.signIn({ ...credentials(), label: 'editor' }));
}));
click('open-account', () => $('sign-in-form').reportValidity() && act('Opening the account', 'Welcome!', async () => {

    connect();
    await enter(await state.client.signUp({ ...credentials(), language: navigator.language }));
}));
click('sign-out', () => act('Signing out', 'Signed out.', () => state.client.signOut().finally(leave)));

/** Goes on with the session of another tab, or from before the page was reloaded. */
export const resume = () => {

    connect();
    if (state.client.session !== null) {
        act('Signing in', 'Signed in.', () => enter(state.client.session.user));
    }
};

// ---- Projects

const AT_A_TIME = 20;

export const listProjects = async () => {

    Object.assign(state, { projects: [], list: state.client.projects.of(state.user.id, { count: AT_A_TIME }) });
    await moreProjects();
    await listTrash();
};

const moreProjects = async () => {

    for (let i = 0; i < AT_A_TIME; ++i) {
        const { value, done } = await state.list.next();
        if (done) {
            state.list = null;
            return;
        }

        state.projects.push(value);
    }
};

export const open = async ({ id }, pageId, elementId) => {

    const { projects } = state.client;
    state.project = await projects.get(id);
    state.pages = await projects.pages(state.project);
    state.seen = state.project.revision;
    state.past = null;
    state.dirty.clear();
    state.page = state.pages.find((page) => page.id === pageId) ?? state.pages[0] ?? null;
    state.element = state.page?.elements.find((element) => element.id === elementId) ?? null;
    $('project-title').value = state.project.title;
    fill();
    watch();
};

click('more-projects', () => act('Reading', 'That was more.', moreProjects));
click('reload', () => act('Reading', 'This is the saved version.', () => open(state.project, state.page?.id, state.element?.id)));
submit('create-form', () => act('Creating', 'Created.', async () => {

    const { project } = await state.client.projects.create({ title: $('new-title').value });
    $('new-title').value = '';
    await listProjects();
    await open(project);
}));
submit('remix-form', () => act('Remixing', null, async () => {

    const source = await state.client.projects.get($('remix-id').value);
    const project = await state.client.projects.remix(source);
    await listProjects();
    await open(project);
    return `Remixed “${source.title}” by ${source.author.username} as project ${project.id}.`;
}));
click('delete-project', () => act('Deleting', 'Deleted. It is in the trash.', async () => {

    const { id, user_id: user } = state.project;
    await state.client.api.DELETE('/users/{user}/projects/{project}', { params: { path: { user, project: id } } });
    stopWatching();
    Object.assign(state, { project: null, pages: [], page: null, element: null });
    state.dirty.clear();
    await listProjects();
}));
