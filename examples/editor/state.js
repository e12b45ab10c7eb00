/** What the editor shows, and what its parts share. */
export const state = {
    client: null,
    /** saves that wait for a connection */
    queue: null,
    user: null,
    /** the iterator of the list of projects; null at its end */
    list: null,
    projects: [],
    project: null,
    pages: [],
    page: null,
    element: null,
    /** elements with edits that were not saved: as they were before, by id */
    dirty: new Map(),
    /** the revision of the project up to which the screen shows its changes */
    seen: 0,
    /** an older point of the project that is shown instead of it */
    past: null,
    /** the newest changes of the project */
    changes: [],
    trash: [],
    busy: false
};

export const $ = (id) => document.getElementById(id);

export const say = (words, bad = false) => {

    $('message').textContent = words;
    $('message').classList.toggle('bad', bad);
};

const listeners = new Set();

/** Draws the screen again. */
export const draw = () => listeners.forEach((listener) => listener());

export const onDraw = (listener) => listeners.add(listener);

export const wordsOf = ({ message, details = [] }) => {

    const faults = details.map(({ path, message: fault }) => `${path}: ${fault}`).join('; ');
    return faults || (/fetch|network/i.test(message) ? `No response from ${$('api').value}, or the browser does not let this page read it.` : message);
};

/** Does one thing at a time, and shows the result in the header. */
export const act = async (doing, done, work) => {

    if (state.busy) {
        return;
    }

    state.busy = true;
    say(`${doing} …`);
    try {
        say(await work() ?? done);
    }
    catch (error) {
        say(wordsOf(error), true);
    }
    finally {
        state.busy = false;
        draw();
    }
};

export const click = (id, handler) => $(id).addEventListener('click', handler);

export const submit = (id, handler) => $(id).addEventListener('submit', (event) => {

    event.preventDefault();
    handler();
});

export const node = (tag, properties, data) => {

    const made = Object.assign(document.createElement(tag), properties);
    Object.assign(made.dataset, data);
    return made;
};

/** A line of a list: words and buttons. */
export const line = (words, ...buttons) => {

    const item = node('li');
    item.append(node('span', { textContent: words }), ...buttons.map(([textContent, onclick, id]) => node('button', { type: 'button', textContent, onclick, id: id ?? '' })));
    return item;
};
