import { centredOf } from '../../client/src/render/webmaker';
import type { Translate } from '../../src/site/text-options';
import { itemOf } from './document.js';
import type { Doc, Fields, Item, Piece, Sheet } from './document.js';
import type { View } from './placing.js';
import type { Saving } from './saving.js';
import { inItsWords, inOurWords } from './webmaker.js';

/** The editor, as used here. */
interface Edited {
    readonly saving: Saving;
    readonly doc: Doc;
    readonly page: Sheet | undefined;
    readonly canEdit: boolean;
    readonly view: View;
    readonly t: Translate;
    readonly say: (message: string) => void;
}

/** The elements that are chosen, and what is done to all of them. */
export class ElementSelection {
    /** ids of the elements that are chosen */
    ids: ReadonlySet<string> = new Set();
    readonly #editor: Edited;
    readonly #changed: () => void;

    /** @param changed called when others are chosen */
    constructor(editor: Edited, changed: () => void) {
        this.#editor = editor;
        this.#changed = changed;
    }

    /** what is chosen, as it is stored */
    get stored(): Item[] {
        return this.#editor.page?.elements.filter(({ id }) => this.ids.has(id)) ?? [];
    }

    /** what is chosen, in the words of this editor */
    get items(): Item[] {
        return this.stored.map((item) => this.inOurWords(item));
    }

    inOurWords(item: Item): Item {
        return inOurWords(item, () => this.#editor.view.sizeOf(item.id));
    }

    /** Whether it is sized by a scale, as what Webmaker's client made. */
    scales(id: string): boolean {
        return centredOf(itemOf(this.#editor.doc, id)?.styles) !== undefined;
    }

    select(ids: Iterable<string>): void {
        this.ids = new Set(ids);
        this.#changed();
    }

    toggle(id: string): void {
        this.select(this.ids.has(id) ? [...this.ids].filter((one) => one !== id) : [...this.ids, id]);
    }

    /** Lets go of what is not on the page any more. */
    check(): void {
        const there = new Set(this.#editor.page?.elements.map(({ id }) => id));
        if ([...this.ids].some((id) => !there.has(id))) {
            this.ids = new Set([...this.ids].filter((id) => there.has(id)));
        }
    }

    /** New values for all of them. */
    change(attributes: Fields, styles: Fields): void {
        for (const id of this.#editor.canEdit ? this.ids : []) {
            this.#draft(id, attributes, styles);
        }
    }

    changeOne(id: string, styles: Fields): void {
        if (this.#editor.canEdit) {
            this.#draft(id, {}, styles);
        }
    }

    /** Drafts new values, which are in the words of this editor. */
    #draft(id: string, attributes: Fields, styles: Fields): void {
        const item = itemOf(this.#editor.doc, id);
        if (item !== undefined) {
            const changed = inItsWords(item, () => this.#editor.view.sizeOf(id), { attributes, styles });
            this.#editor.saving.draft(id, changed.attributes, changed.styles);
        }
    }

    remove(): void {
        const { saving, canEdit, say, t } = this.#editor;
        const removed = canEdit ? this.stored : [];
        if (removed.length > 0) {
            saving.edit(removed.map((item) => ({ type: 'elements', method: 'remove', base: saving.base(item) })));
            say(t('editor.removed', { count: removed.length }));
        }
    }

    copy(): Piece[] {
        const pieces = this.stored.map(({ type, attributes, styles }) => ({ type, attributes, styles }));
        if (pieces.length > 0) {
            this.#editor.say(this.#editor.t('editor.copied', { count: pieces.length }));
        }

        return pieces;
    }
}
