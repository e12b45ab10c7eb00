import { SaveError } from '../../client/src/index.js';
import type { Change, QueueFailure } from '../../client/src/index.js';
import { fieldOf, isObject } from '../../src/api/json/is-object';
import { creationOf, inOrder, newId } from './document.js';
import type { Doc, Ids, Piece } from './document.js';
import { anchorOf, anchoredAt } from './webmaker.js';

/** The differences, as far as people can read them. */
function shown(thing: object, conflicts: readonly string[]): string {
    return conflicts.map((pointer) => {
        const value = pointer.slice(1).split('/').reduce<unknown>((inside, key) => fieldOf(inside, key.replaceAll('~1', '/').replaceAll('~0', '~')), thing);
        return pointer === '/position' ? `${fieldOf(thing, 'x')}, ${fieldOf(thing, 'y')}` : typeof value === 'string' ? value : JSON.stringify(value) ?? '–';
    }).join('\n');
}

/** An element as a thing shows it, or its words as a text. */
function pieceOf(thing: object, conflicts: readonly string[]): Piece {
    const { type, attributes, styles }: Record<string, unknown> = { ...thing };
    return typeof type === 'string' && isObject(attributes) && isObject(styles) ? { type, attributes, styles } : { type: 'text', attributes: { text: shown(thing, conflicts) }, styles: { width: 280, fontSize: 20 } };
}

/** Something that could not be saved, as people decide about it. */
export interface Question {
    failure: QueueFailure;
    /** whether both sides have changed the same */
    isConflict: boolean;
    /** whether somebody has deleted the element that was changed */
    wasRemoved: boolean;
    /** the change that could not be saved, with the edits since; undefined if no single one is the reason */
    change: Change | undefined;
    /** the versions of what was changed, if it was */
    mine: Piece | undefined;
    theirs: Piece | undefined;
    /** what both sides have changed, as words; undefined for a removal */
    mineText: string | undefined;
    theirsText: string;
    /** the elements that were made where nothing can be made any more */
    made: readonly Piece[];
}

export function questionOf(failure: QueueFailure): Question {
    const { changes, error } = failure;
    const blamed = error instanceof SaveError ? error : undefined;
    const change = blamed === undefined ? undefined : changes[blamed.index];
    const updated = change?.method === 'update' ? { ...change.base, ...change.data } : undefined;
    return {
        failure, change, isConflict: error.code === 'revision_conflict' && blamed?.current !== undefined, wasRemoved: error.status === 404 && change?.method === 'update' && change.type === 'elements',
        made: changes.flatMap((one) => (one.method === 'create' && one.type === 'elements' ? [pieceOf(one.data, [])] : [])),
        mine: updated && pieceOf(updated, error.conflicts), theirs: blamed?.current && pieceOf(blamed.current, error.conflicts),
        mineText: updated && shown(updated, error.conflicts), theirsText: shown(blamed?.current ?? {}, error.conflicts)
    };
}

/** Units that a copy lies below what it is a copy of. */
const BESIDE = 48;

const below = (piece: Piece): Piece => {
    const { left, top } = anchorOf(piece.styles);
    return { ...piece, styles: anchoredAt(piece.styles, { left, top: top + BESIDE }) };
};

/** A change that makes a page behind all others. */
export function lastPage(doc: Doc): Extract<Change, { type: 'pages'; method: 'create' }> {
    const last = inOrder(doc.pages).at(-1);
    return { type: 'pages', method: 'create', id: newId('pages'), data: { projectId: doc.project.id, x: last === undefined ? 0 : last.x + 1, y: last?.y ?? 0, styles: { backgroundColor: '#ffffff' } } };
}

/** The page of an element, as the editor knows it. */
export function pageIdOf(change: Change | undefined, { here }: Ids): string | undefined {
    const id = change?.type !== 'elements' ? undefined : change.method === 'create' ? change.data.pageId : change.base.page_id;
    return id === undefined ? undefined : here('pages', String(id));
}

/** How both versions are kept. */
export interface BothKept {
    /** what is sent in place of what could not be saved */
    changes: Change[];
    /** where mine is, if it is in the project */
    place: 'beside' | 'again' | 'new page' | undefined;
    /** what is not in the project any more */
    givenUp: readonly Piece[];
}

/**
 * Keeps both: theirs stays, mine is made anew beside it, or where it was if they have deleted it, or on a page behind all others if its page is gone.
 * @param goneTo the page that was made for what was on a page that is gone
 * @returns undefined if it could not be saved for another reason, such as a limit
 */
export function keepingBoth({ failure: { changes, error }, isConflict, wasRemoved, change, mine, made }: Question, doc: Doc, ids: Ids, goneTo: (pageId: string) => string | undefined): BothKept | undefined {
    const was = pageIdOf(change, ids);
    const isThere = doc.pages.some(({ id }) => id === was);
    const others = changes.filter((one) => one !== change);
    if (isConflict) {
        return change?.type === 'elements' && mine !== undefined && was !== undefined && isThere ?
            { changes: [...others, creationOf(ids.there(was), below(mine))], place: 'beside', givenUp: [] } :
            { changes: others, place: undefined, givenUp: mine === undefined ? [] : [mine] };
    }

    if (error.status !== 404 || change?.type !== 'elements' || was === undefined || change.method === 'remove') {
        return undefined;
    }

    const pieces = wasRemoved && mine !== undefined ? [mine, ...made] : made;
    const page = isThere ? was : goneTo(was);
    const making = page === undefined ? lastPage(doc) : undefined;
    const target = making?.id ?? ids.there(page ?? '');
    return { changes: [...making === undefined ? [] : [making], ...pieces.map((piece) => creationOf(target, piece))], place: isThere ? 'again' : 'new page', givenUp: [] };
}
