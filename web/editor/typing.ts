import { hasWords } from './elements.js';
import type { Saving } from './saving.js';
import type { ElementSelection } from './selection.js';

/** The editor, as used here. */
interface Edited {
    readonly saving: Saving;
    readonly selection: ElementSelection;
    readonly canEdit: boolean;
    openPanel(open: boolean): void;
}

/** The text that is typed just now: on the page, or in the panel if the page does not show it. */
export class Typing {
    /** id of the element whose text is edited on the page */
    id: string | undefined;
    /** when a letter of it was typed last, in milliseconds since 1970 */
    at = 0;
    /** grows whenever the field with the text of what is chosen is to have the focus */
    asked = 0;
    /** the last of these that was done */
    seen = 0;
    readonly #editor: Edited;
    readonly #changed: () => void;

    constructor(editor: Edited, changed: () => void) {
        this.#editor = editor;
        this.#changed = changed;
    }

    /** Moves the focus to the text of what is chosen. */
    ask(): void {
        const { selection: { items: [item] }, canEdit } = this.#editor;
        if (canEdit && item !== undefined) {
            ++this.asked;
            this.id = hasWords.has(item.type) ? item.id : undefined;
            this.at = Date.now();
            this.#editor.openPanel(this.id === undefined);
        }
    }

    /** The text of what is chosen is another one now. */
    typed(text: string): void {
        this.at = Date.now();
        this.#editor.selection.change({ text }, {});
    }

    end(): void {
        this.id = undefined;
        this.#editor.saving.flush();
        this.#changed();
    }

    /** A text that is not chosen is not edited any more. */
    keepTo(ids: ReadonlySet<string>): void {
        this.id = this.id !== undefined && ids.has(this.id) ? this.id : undefined;
    }
}
