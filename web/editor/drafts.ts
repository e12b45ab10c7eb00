import { mergeWords } from '../../client/src/index.js';
import { isSame, itemOf, withItem, without } from './document.js';
import type { Doc, Fields, Item } from './document.js';

/** An edit that was typed or dragged and is not in the queue yet: the element as it was before, and the fields that are different now. */
interface Draft {
    base: Item;
    /** id of its page */
    pageId: string;
    attributes: Fields;
    styles: Fields;
}

/** The fields of an element that a draft has changed, as the service takes them. */
export interface DraftedEdit {
    base: Item;
    pageId: string;
    data: { attributes?: Record<string, unknown>; styles?: Record<string, unknown> };
}

/** Milliseconds without a further edit until drafts are saved, and after which they are saved anyway. */
const PAUSE = 500;
const LONGEST = 2000;

/** Edits that are typed or dragged just now, by element. They are shown at once, and become saves after a short pause. */
export class Drafts {
    readonly #drafts = new Map<string, Draft>();
    readonly #due: () => void;
    #timer: ReturnType<typeof setTimeout> | undefined;
    #oldest = 0;

    /** @param due called after the pause */
    constructor(due: () => void) {
        this.#due = due;
    }

    get size(): number {
        return this.#drafts.size;
    }

    /** Adds to the draft of an element. A field that is undefined is removed. @returns the project with that; undefined if the element is not there */
    add(doc: Doc, id: string, attributes: Fields, styles: Fields): Doc | undefined {
        const page = doc.pages.find(({ elements }) => elements.some((item) => item.id === id));
        const before = itemOf(doc, id);
        if (page === undefined || before === undefined) {
            return undefined;
        }

        const draft = this.#drafts.get(id) ?? { base: before, pageId: page.id, attributes: {}, styles: {} };
        this.#drafts.set(id, { ...draft, attributes: { ...draft.attributes, ...attributes }, styles: { ...draft.styles, ...styles } });
        const now = Date.now();
        this.#oldest = this.#timer === undefined ? now : this.#oldest;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(this.#due, Math.max(0, Math.min(PAUSE, this.#oldest + LONGEST - now)));
        return withItem(doc, id, (item) => patched(item, attributes, styles));
    }

    /** The element is gone. */
    drop(id: string): void {
        this.#drafts.delete(id);
    }

    /** The project without drafts, which the page shows already: they are no part of what a draft is made of. */
    without(doc: Doc): Doc {
        return [...this.#drafts].reduce((now, [id, { base }]) => withItem(now, id, () => base), doc);
    }

    /** The project with the drafts, after others have changed it. */
    onto(doc: Doc): Doc {
        this.#drafts.forEach((draft, id) => this.#drafts.set(id, rebased(draft, itemOf(doc, id))));
        return [...this.#drafts].reduce((now, [id, { attributes, styles }]) => withItem(now, id, (item) => patched(item, attributes, styles)), doc);
    }

    /** Takes all drafts. One that was taken back by hand is none. */
    take(): DraftedEdit[] {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        const edits = [...this.#drafts.values()].map(({ base, pageId, attributes, styles }): DraftedEdit => {
            const mine = patched(base, attributes, styles);
            const changed = (part: 'attributes' | 'styles'): DraftedEdit['data'] => (isSame(mine[part], base[part]) ? {} : { [part]: { ...mine[part] } });
            return { base, pageId, data: { ...changed('attributes'), ...changed('styles') } };
        });
        this.#drafts.clear();
        return edits.filter(({ data }) => Object.keys(data).length > 0);
    }
}

const patched = (item: Item, attributes: Fields, styles: Fields): Item => ({ ...item, attributes: without({ ...item.attributes, ...attributes }), styles: without({ ...item.styles, ...styles }) });

/** The draft on what somebody else has made of the element meanwhile. It stays as it is if both have changed the same: then the author is asked once it is saved. */
function rebased(draft: Draft, now: Item | undefined): Draft {
    const attributes: Record<string, unknown> = { ...draft.attributes };
    const isMine = (part: 'attributes' | 'styles', name: string): boolean => isSame(draft.base[part][name], now?.[part][name]) || isSame(draft[part][name], now?.[part][name]);
    for (const name of Object.keys(attributes).filter((one) => !isMine('attributes', one))) {
        const [was, mine, is] = [draft.base.attributes[name], attributes[name], now?.attributes[name]];
        const merged = typeof was === 'string' && typeof mine === 'string' && typeof is === 'string' ? mergeWords(was, mine, is) : undefined;
        if (merged === undefined) {
            return draft;
        }

        attributes[name] = merged;
    }

    return now === undefined || !Object.keys(draft.styles).every((name) => isMine('styles', name)) ? draft : { ...draft, base: now, attributes };
}
