import { fill } from './draw.js';
import { listChanges, listTrash } from './history.js';
import { made } from './saving.js';
import { $, draw, say, state } from './state.js';

// ---- Changes of other tabs and authors, as they happen

let watching = new AbortController();

export const stopWatching = () => watching.abort();

/** Shows what happens to the project from now on. */
export const watch = async () => {

    stopWatching();
    watching = new AbortController();
    const { signal } = watching;
    listChanges();
    for await (const { revision, author } of state.client.watch(state.project, { since: state.seen, signal })) {
        if (revision > state.seen && await refresh() && author?.id !== state.user?.id) {
            say(`${author?.username ?? 'Somebody'} changed this project.`);
        }
    }

    if (!signal.aborted) {
        say('This project was deleted. It is in the trash.', true);
        Object.assign(state, { project: null, pages: [], page: null, element: null });
        draw();
    }
};

let refreshing = Promise.resolve();

/** Takes over what has changed, once nothing of our own waits. @returns whether it has */
export const refresh = () => {

    refreshing = refreshing.then(async () => {
        const { client, project, queue } = state;
        if (project === null || queue.status.waiting > 0) {
            return false;
        }

        try {
            take(await client.history.since(project, state.seen), project);
            listChanges();
            listTrash();
            return true;
        }
        catch {
            // There will be another event, or the author reads anew.
            return false;
        }
    });
    return refreshing;
};

const take = (differences, project) => {

    // The author may have opened another project meanwhile, or edited something.
    if (state.project !== project || state.queue.status.waiting > 0) {
        return;
    }

    const find = (things, id) => things.find((one) => one.id === id || made.get(one.id) === id);
    if (differences.project) {
        if ($('project-title').value === project.title) {
            $('project-title').value = differences.project.title;
        }

        Object.assign(project, differences.project);
    }

    for (const page of differences.pages) {
        const known = find(state.pages, page.id);
        if (known) {
            Object.assign(known, page);
        }
        else {
            state.pages.push({ ...page, elements: [] });
        }
    }

    for (const element of differences.elements) {
        const page = find(state.pages, element.page_id);
        const known = find(page?.elements ?? [], element.id);
        if (!known) {
            page?.elements.push(element);
        }
        // What the author is editing stays, and is merged when it is saved.
        else if (!state.dirty.has(known.id)) {
            Object.assign(known, element);
        }
    }

    const removed = new Set([...differences.removed.pages, ...differences.removed.elements]);
    state.pages = state.pages.filter(({ id }) => !removed.has(id));
    state.pages.forEach((page) => {
        page.elements = page.elements.filter(({ id }) => !removed.has(id));
    });
    state.page = state.pages.includes(state.page) ? state.page : state.pages[0] ?? null;
    state.element = state.page?.elements.includes(state.element) ? state.element : null;
    removed.forEach((id) => state.dirty.delete(id));
    state.seen = differences.revision;
    if (!state.dirty.has(state.element?.id)) {
        fill();
    }

    draw();
};
