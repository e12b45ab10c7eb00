import { timeHere } from '../region.js';
import type { EditorCore } from './core.js';

/** Takes edits back, and looks at or restores what the project was. */
export class Earlier {
    readonly #editor: EditorCore;

    constructor(editor: EditorCore) {
        this.#editor = editor;
    }

    async undo(): Promise<void> {
        await this.#takeBack('undo', 'editor.undone', 'editor.nothing_to_undo');
    }

    async redo(): Promise<void> {
        await this.#takeBack('redo', 'editor.redone', 'editor.nothing_to_redo');
    }

    async #takeBack(which: 'undo' | 'redo', done: string, nothing: string): Promise<void> {
        if (!this.#editor.canEdit) {
            return;
        }

        this.#editor.saving.flush();
        await this.#editor.attempt(async () => {
            const isDone = (which === 'undo' && await this.#editor.deciding.giveUpLast()) || await this.#editor.undoing[which]();
            this.#editor.say(this.#editor.t(isDone ? done : nothing));
        });
    }

    async lookBack(revision: number, at: string): Promise<void> {
        await this.#editor.attempt(async () => {
            const { pages } = await this.#editor.client.history.at(this.#editor.doc.project, revision);
            this.#editor.past = { revision, at, pages };
            this.#editor.selection.ids = new Set();
            this.#editor.say(this.#editor.t('editor.looking_back', { when: timeHere(at) }));
        });
    }

    backToNow(): void {
        this.#editor.past = null;
        this.#editor.check();
        this.#editor.say(this.#editor.t('editor.now'));
    }

    /** Makes the project, or only one of its pages, what it was at a point. @returns whether it is */
    async restore(revision: number, pageId?: string): Promise<boolean> {
        return await this.#editor.attempt(async () => {
            await this.#editor.saving.settled();
            await this.#editor.client.history.restore(this.#editor.doc.project, revision, pageId === undefined ? {} : { pages: [this.#editor.saving.ids.there(pageId)] });
            await this.#editor.saving.refresh();
            this.#editor.past = null;
            this.#editor.check();
            this.#editor.say(this.#editor.t('editor.restored'));
        });
    }
}
