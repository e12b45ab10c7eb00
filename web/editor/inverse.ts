import type { Change } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { creationOf, itemOf } from './document.js';
import type { Doc, Ids, Item, Kind, Sheet } from './document.js';

/** Makes a new temporary id for a thing that has the other one. */
export type Renew = (kind: Kind, id: string) => string;

const elementOf = (ids: Ids, renew: Renew, pageId: string, item: Item): Change => creationOf(ids.there(pageId), item, renew('elements', item.id));

const picked = (thing: object, names: readonly string[]): Record<string, unknown> => Object.fromEntries(names.map((name) => [name, fieldOf(thing, name)]));

const remake = (ids: Ids, renew: Renew, projectId: string, { id: was, x, y, styles, elements }: Sheet): Change[] => {
    const id = renew('pages', was);
    return [{ type: 'pages', method: 'create', id, data: { projectId, x, y, styles: { ...styles } } }, ...elements.map((item) => elementOf(ids, renew, id, item))];
};

/** The changes that take back changes. What was removed is made anew, with an id that `renew` makes of the one it had. @param before the project before them @param after the project with them */
export function inverseOf(changes: readonly Change[], before: Doc, after: Doc, ids: Ids, renew: Renew): Change[] {
    const removed = new Set(changes.flatMap((change) => (change.method === 'create' && change.type === 'pages' ? [change.id] : [])));
    const withId = <Thing extends { readonly id: string }>(thing: Thing): Thing => ({ ...thing, id: ids.there(thing.id) });
    const pageOf = (doc: Doc, id: string): Sheet | undefined => doc.pages.find((page) => page.id === ids.here('pages', id));
    return [...changes].reverse().flatMap((change): Change[] => {
        switch (change.type) {
            case 'projects':
                return change.method === 'update' ? [Object.assign({}, change, { base: after.project, data: picked(before.project, Object.keys(change.data)) })] : [];
            case 'pages': {
                const [was, is] = [pageOf(before, change.method === 'create' ? '' : change.base.id), pageOf(after, change.method === 'create' ? change.id : change.base.id)];
                if (change.method === 'create') {
                    const removal: Change = { type: 'pages', method: 'remove', base: { id: change.id, revision: 0 } };
                    return is === undefined ? [] : [Object.assign(removal, { base: { ...withId(is), elements: is.elements.map(withId) } })];
                }

                return was === undefined ? [] : change.method === 'remove' ? remake(ids, renew, before.project.id, was) : [Object.assign({}, change, { base: withId({ ...is ?? was, elements: undefined }), data: picked(was, Object.keys(change.data)) })];
            }

            case 'elements': {
                if (change.method === 'create') {
                    const is = itemOf(after, change.id);
                    return is === undefined || removed.has(String(change.data.pageId)) ? [] : [{ type: 'elements', method: 'remove', base: withId(is) }];
                }

                const id = ids.here('elements', change.base.id);
                const [was, is, page] = [itemOf(before, id), itemOf(after, id), before.pages.find(({ elements }) => elements.some((item) => item.id === id))];
                if (was === undefined || page === undefined) {
                    return [];
                }

                return change.method === 'remove' ? [elementOf(ids, renew, page.id, was)] : [Object.assign({}, change, { base: withId({ ...is ?? was, page_id: ids.there(page.id) }), data: picked(was, Object.keys(change.data)) })];
            }
        }
    });
}
