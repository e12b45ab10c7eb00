import { indexedDbQueue } from '../../client/dist/pagewright.js';
import { conflict } from './conflict.js';
import { fill } from './draw.js';
import { refresh } from './live.js';
import { $, act, click, draw, state, submit } from './state.js';

// ---- Every edit goes through a queue, which keeps it while there is no connection. All tabs share one.

/** the service's ids of new things, by their temporary ids */
export const made = new Map();

export const openQueue = () => {

    state.queue = state.client.queue({ storage: indexedDbQueue(`pagewright-editor ${$('api').value}`), onSaved: ({ ids }) => ids.forEach((id, temporary) => made.set(temporary, id)) });
    state.queue.subscribe(() => {
        const { state: now, failure } = state.queue.status;
        if (now === 'failed') {
            conflict(failure);
        }
        else {
            // Perhaps it was resolved in another tab.
            $('conflict').close();
        }

        if (now === 'idle') {
            refresh();
        }

        draw();
    });
    if (state.queue.status.failure) {
        conflict(state.queue.status.failure);
    }
};

export const closeQueue = () => state.queue?.close();

/** Waits until what was edited is saved, or cannot be at present. @returns the words for it */
export const settled = (done) => new Promise((resolve) => {

    const check = () => {
        switch (state.queue.status.state) {
            case 'idle':
                stop();
                refresh().then(() => resolve(done));
                break;
            case 'failed':
                stop();
                resolve(state.queue.status.failure.error.code === 'revision_conflict' ? 'Somebody else saved first: nothing was saved.' : 'This could not be saved.');
                break;
            case 'offline':
            case 'signed-out':
                stop();
                resolve('Kept. It is sent as soon as there is a connection.');
        }
    };

    const stop = state.queue.subscribe(check);
    check();
});

/** Saves changes; what is on the screen counts as saved from now on. */
const save = async (changes, done) => {

    await state.queue.add(changes);
    changes.forEach(({ base }) => state.dirty.delete(base?.id));
    return settled(done);
};

const update = (element) => ({ type: 'elements', method: 'update', base: state.dirty.get(element.id) ?? { ...element }, data: { attributes: element.attributes, styles: element.styles } });

/** Edits an element on the screen. */
export const change = (element, attributes, styles) => {

    if (!state.dirty.has(element.id)) {
        state.dirty.set(element.id, { ...element });
    }

    Object.assign(element, { attributes: { ...element.attributes, ...attributes }, styles: { ...element.styles, ...styles } });
    draw();
};

const create = (type, data, more) => {

    const id = `new-${crypto.randomUUID()}`;
    return { change: { type, method: 'create', id, data }, thing: { ...data, id, revision: 0, attributes: {}, styles: {}, ...data, ...more } };
};

submit('page-form', () => act('Adding a page', null, () => {

    const { change: creation, thing } = create('pages', { projectId: state.project.id, x: Number($('page-x').value), y: Number($('page-y').value), styles: { backgroundColor: '#ffffff' } }, { elements: [] });
    state.pages.push(thing);
    Object.assign(state, { page: thing, element: null });
    return save([creation], 'Added the page.');
}));

/** Whether there is a page that can be edited. */
export const onPage = () => Boolean(state.page) && !state.past;

/** Adds an element to the page, and chooses it. */
export const add = (data, done) => {

    const { change: creation, thing } = create('elements', data);
    state.page.elements.push(thing);
    state.element = thing;
    fill();
    return save([creation], done);
};

submit('text-form', () => act('Adding', null, () => {

    const text = $('new-text').value;
    $('new-text').value = '';
    return add({ pageId: state.page.id, type: 'text', attributes: { text }, styles: { left: 20, top: 20 + state.page.elements.length * 40, width: 280, fontSize: 18 } }, 'Added the text.');
}));
submit('element-form', () => act('Saving', null, () => save([update(state.element)], 'Saved.')));
click('delete-element', () => act('Deleting', null, () => {

    const { element, page } = state;
    page.elements = page.elements.filter((one) => one !== element);
    state.element = null;
    return save([{ type: 'elements', method: 'remove', base: state.dirty.get(element.id) ?? element }], 'Deleted.');
}));
click('delete-page', () => act('Deleting', null, () => {

    const { page } = state;
    state.pages = state.pages.filter((one) => one !== page);
    Object.assign(state, { page: state.pages[0] ?? null, element: null });
    page.elements.forEach(({ id }) => state.dirty.delete(id));
    return save([{ type: 'pages', method: 'remove', base: page }], 'Deleted the page. It is in the trash.');
}));
click('save-all', () => act('Saving all', null, () => {

    const changes = state.pages.flatMap(({ elements }) => elements).filter(({ id }) => state.dirty.has(id)).map(update);
    const title = $('project-title').value;
    if (title !== state.project.title) {
        changes.push({ type: 'projects', method: 'update', base: { ...state.project }, data: { title } });
        state.project.title = title;
    }

    return save(changes, `Saved ${changes.length} ${changes.length === 1 ? 'change' : 'changes'} at once.`);
}));
for (const id of ['element-text', 'element-left', 'element-top', 'element-size']) {
    $(id).addEventListener('input', () => change(state.element, { text: $('element-text').value }, { left: Number($('element-left').value), top: Number($('element-top').value), fontSize: Number($('element-size').value) || 16 }));
}

$('project-title').addEventListener('input', draw);
