import { SaveError } from '../../client/src/index.js';
import type { Change, QueueFailure } from '../../client/src/index.js';
import { fieldOf, isObject } from '../../src/api/json/is-object';
import { applied, isSame, itemOf, withItem, without } from './document.js';
import type { Doc, Fields, Ids } from './document.js';

/** The fields of an object; none if it is no object. */
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** The project with what waits for a decision, so that its author sees it: of what others have deleted, nothing. */
export function withFailed(doc: Doc, { changes }: QueueFailure, ids: Ids): Doc {
    return changes.reduce((now, change) => {
        if (change.method === 'create') {
            return applied(now, change, ids);
        }

        const id = change.type === 'projects' ? '' : ids.here(change.type, change.base.id);
        const is = change.type === 'elements' ? itemOf(now, id) : change.type === 'pages' ? now.pages.find((page) => page.id === id) : now.project;
        if (change.method === 'remove' || is === undefined) {
            return now;
        }

        const shown = applied(now, Object.assign({}, change, onTop(change, is), { base: change.base }), ids);
        // It was made of what was there before: the next edit is compared with that.
        return change.type === 'elements' ? withItem(shown, id, (item) => ({ ...item, revision: change.base.revision })) : shown;
    }, doc);
}

/** Puts the fields that a change has changed on what is there now. */
function onTop(change: Change, current: object): Change {
    if (change.method !== 'update') {
        return Object.assign({}, change, { base: current });
    }

    const data = Object.fromEntries(Object.entries(change.data).map(([name, mine]) => {
        const [was, is] = [fieldOf(change.base, name), fieldOf(current, name)];
        if (name !== 'attributes' && name !== 'styles') {
            return [name, mine];
        }

        const changed = Object.entries(fieldsOf(mine)).filter(([key, value]) => !isSame(value, fieldOf(was, key)));
        return [name, { ...fieldsOf(is), ...Object.fromEntries(changed) }];
    }));
    return Object.assign({}, change, { base: current, data });
}

/** Whether both sides changed only how something looks or where it is. */
export const isOnlyLooks = ({ error }: QueueFailure): boolean => error.code === 'revision_conflict' && error.conflicts.length > 0 && error.conflicts.every((pointer) => pointer.startsWith('/styles/') || pointer === '/position');

/** The failed save with one's own version of what both sides changed, made against what is there now. */
export function keepingMine({ changes, error }: QueueFailure): Change[] {
    return error instanceof SaveError && error.current !== undefined ? changes.with(error.index, onTop(error.change, error.current)) : [...changes];
}

/** The failed save without what both sides changed: all else of it stays. */
export function takingTheirs({ changes, error }: QueueFailure): Change[] {
    const change = error instanceof SaveError ? changes[error.index] : undefined;
    if (!(error instanceof SaveError) || error.current === undefined || change?.method !== 'update') {
        return error instanceof SaveError ? changes.toSpliced(error.index, 1) : [];
    }

    const { current, conflicts, index } = error;
    const mine: Change = onTop(change, current);
    const isLost = (pointer: string): boolean => conflicts.includes(pointer);
    const data = Object.entries('data' in mine ? mine.data : {}).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
        const is = fieldOf(current, name);
        if (name !== 'attributes' && name !== 'styles') {
            return isLost(name === 'x' || name === 'y' ? '/position' : `/${name}`) ? [] : [[name, value]];
        }

        const kept = Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, one]) => [key, isLost(`/${name}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`) ? fieldOf(is, key) : one]));
        return isSame(kept, is) ? [] : [[name, without(kept)]];
    });
    return data.length === 0 ? changes.toSpliced(index, 1) : changes.with(index, Object.assign({}, mine, { data: Object.fromEntries(data) }));
}
