import { fill } from './draw.js';
import { refresh } from './live.js';
import { listProjects, open } from './projects.js';
import { $, act, click, draw, line, onDraw, say, state, wordsOf } from './state.js';

// ---- Undo and redo: each is a new change, which the history has too

/** Changes that were undone, newest last: the change, and the one that took it back. */
let undone = [];
/** What to undo instead of a change that was undone and redone: the change that brought it back, by revision. */
const redone = new Map();
let project = null;

const authored = new Set(['edit', 'bulk', 'restore', 'pull']);

/** The author's own last change that is not undone. */
const lastChange = () => state.changes.find(({ kind, revision, author }) => authored.has(kind) && author?.id === state.user?.id && !undone.some((one) => one.revision === revision));

const takeBack = async (revision) => {

    const { change } = await state.client.history.undo(state.project, revision);
    await refresh();
    await listChanges();
    return change;
};

const undo = () => act('Undoing', 'Undone.', async () => {

    const { revision } = lastChange();
    const change = await takeBack(redone.get(revision) ?? revision);
    undone.push({ revision, by: change?.revision });
});
const redo = () => act('Redoing', 'Done again.', async () => {

    const { revision, by } = undone.at(-1);
    const change = await takeBack(by);
    undone.pop();
    redone.set(revision, change?.revision);
});
click('undo', undo);
click('redo', redo);
addEventListener('keydown', (event) => {

    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !event.target.closest('input, textarea')) {
        event.preventDefault();
        $(event.shiftKey ? 'redo' : 'undo').click();
    }
});

// ---- History

const MOST = 30;

/** Reads the newest changes. */
export const listChanges = async () => {

    const { client } = state;
    const of = state.project;
    if (project !== of?.id) {
        project = of?.id;
        undone = [];
        redone.clear();
    }

    const changes = [];
    try {
        for await (const change of client.history.list(of, { count: MOST })) {
            changes.push(change);
            if (changes.length === MOST) {
                break;
            }
        }
    }
    catch (error) {
        say(wordsOf(error), true);
        return;
    }

    if (state.project === of) {
        // An edit after an undo ends what can be redone.
        const newest = changes.find(({ kind }) => authored.has(kind));
        undone = undone.filter(({ by }) => !(newest?.author?.id === state.user?.id && newest.revision > by));
        state.changes = changes;
        draw();
    }
};

const words = { create: 'made it', edit: 'edited', bulk: 'saved', feature: 'featured it', restore: 'restored', undo: 'undid a change', remix: 'remixed it', import: 'imported it', pull: 'pulled changes' };

/** What a change did, such as “eva saved (1 added, 2 changed)”. */
const wordsOfChange = ({ author, kind, counts: { pages, elements, project: own }, label }) => {

    const parts = [['added', pages.created + elements.created], ['changed', pages.updated + elements.updated + Number(own)], ['removed', pages.removed + elements.removed]];
    const counted = parts.filter(([, count]) => count > 0).map(([word, count]) => `${count} ${word}`).join(', ');
    return `${author?.username ?? 'Somebody'} ${words[kind]}${counted && kind !== 'create' ? ` (${counted})` : ''}${label ? ` – ${label}` : ''}`;
};

const look = ({ revision, at }) => act('Looking back', `This is how it was at ${new Date(at).toLocaleString()}.`, async () => {

    const { pages } = await state.client.history.at(state.project, revision);
    state.past = { revision, at, pages, page: pages.find(({ id }) => id === state.page?.id) ?? pages[0] ?? null };
    state.element = null;
});
const restore = (pages) => act('Restoring', 'Restored. What was there before is in the history.', async () => {

    await state.client.history.restore(state.project, state.past.revision, { pages });
    state.past = null;
    await refresh();
});
click('restore', () => restore());
click('restore-page', () => restore([state.past.page.id]));
click('back', () => {

    state.past = null;
    fill();
    draw();
});

// ---- Trash

export const listTrash = async () => {

    const entries = [];
    for await (const entry of state.client.trash.list({ count: MOST })) {
        entries.push(entry);
        if (entries.length === MOST) {
            break;
        }
    }

    state.trash = entries;
    draw();
};

const bringBack = (entry) => act('Restoring', 'Restored.', async () => {

    const { trash } = state.client;
    await trash.restore(entry).catch((error) => {
        if (error.code !== 'coordinates_taken') {
            throw error;
        }

        // The next free column.
        return trash.restore(entry, { x: Math.max(...state.pages.map(({ x }) => x), entry.thing.x) + 1, y: entry.thing.y });
    });
    if (entry.type === 'project') {
        await listProjects();
        await open(entry.thing);
        return;
    }

    await refresh();
    await listTrash();
});
const deleteForGood = (entry) => act('Deleting', 'Deleted for good.', async () => {

    await state.client.trash.delete(entry);
    await listTrash();
});

const nameOf = ({ type, thing, project: { title } }) => ({ project: `“${title}”`, page: `page ${thing.x}, ${thing.y} of “${title}”`, element: `“${thing.attributes?.text ?? thing.type}” of “${title}”` })[type];

onDraw(() => {

    const isIdle = state.queue?.status.state === 'idle' && !state.past;
    $('undo').disabled = !isIdle || !lastChange();
    $('redo').disabled = !isIdle || undone.length === 0;
    $('changes').replaceChildren(...(state.project ? state.changes : []).map((one) => line(`${new Date(one.at).toLocaleTimeString()} ${wordsOfChange(one)}`, ['Look', () => look(one), `look-${one.revision}`])));
    $('entries').replaceChildren(...state.trash.map((entry) => line(nameOf(entry), ['Restore', () => bringBack(entry), `bring-back-${entry.type}-${entry.thing.id}`], ['Delete for good', () => deleteForGood(entry)])));
    $('past').hidden = !state.past;
    $('past-what').textContent = state.past ? `How it was at ${new Date(state.past.at).toLocaleString()}. You are looking back: nothing can be edited here.` : '';
    $('restore-page').hidden = !state.past?.page;
});
