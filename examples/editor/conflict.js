import { $, act, draw, state } from './state.js';
import { settled } from './saving.js';

// ---- What could not be saved: both versions side by side, and the author decides

const show = ({ attributes = {}, styles = {}, title, x, y }) => title ?? (x === undefined
    ? `${attributes.text ?? attributes.alt ?? ''} (${styles.left ?? '?'}, ${styles.top ?? '?'}), size ${styles.fontSize ?? '?'}`
    : `The page at ${x}, ${y}`);

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Puts what the author has changed into what is there now. */
const onTop = ({ base, data }, current) => Object.fromEntries(Object.entries(data).map(([name, mine]) => {

    if (name !== 'attributes' && name !== 'styles') {
        return [name, mine];
    }

    const changed = Object.entries(mine).filter(([key, value]) => !same(value, base[name]?.[key]));
    return [name, { ...current[name], ...Object.fromEntries(changed) }];
}));

/** Shows a failure of the queue, which waits for the decision. */
export const conflict = ({ changes, error }) => {

    const { change: mine, index, current, conflicts = [], changedBy } = error;
    const isConflict = error.code === 'revision_conflict' && current !== undefined;
    $('conflict-title').textContent = isConflict ? 'Somebody was faster' : 'This could not be saved';
    $('conflict-what').textContent = isConflict
        ? `${changedBy?.username ?? 'Another tab, or somebody else,'} changed the same${conflicts.length > 0 ? ` (${conflicts.map((pointer) => pointer.split('/').at(-1)).join(', ')})` : ''} since you read it. Nothing of yours was written.`
        : `${error.message} Until you decide, nothing that comes after it is saved.`;
    $('conflict-sides').hidden = !isConflict;
    $('keep-mine').hidden = !isConflict;
    $('take-theirs').textContent = isConflict ? 'Take what is there' : 'Discard mine';
    $('conflict-theirs').textContent = isConflict ? show(current) : '';
    $('conflict-mine').textContent = isConflict && mine.method === 'update' ? show(mine.data) : 'Deleted';

    $('take-theirs').onclick = () => {
        $('conflict').close();
        act('Taking theirs', null, async () => {
            const others = index === undefined ? [] : changes.toSpliced(index, 1);
            await state.queue.resolve(others.length === 0 ? null : others);
            const shown = [state.project, ...state.pages, ...state.pages.flatMap(({ elements }) => elements)].find((one) => current && one?.id === current.id && 'x' in one === 'x' in current && 'title' in one === 'title' in current);
            Object.assign(shown ?? {}, current);
            $('project-title').value = state.project?.title ?? '';
            draw();
            return settled('Took their version.');
        });
    };

    $('keep-mine').onclick = () => {
        $('conflict').close();
        act('Saving', null, async () => {
            const again = mine.method === 'update' ? { ...mine, base: current, data: onTop(mine, current) } : { ...mine, base: current };
            await state.queue.resolve(changes.with(index, again));
            return settled('Saved your version.');
        });
    };

    if (!$('conflict').open) {
        $('conflict').showModal();
    }
};
