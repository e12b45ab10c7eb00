import type { Change } from '../../client/src/index.js';
import { lastPage } from './conflicts.js';
import { creationOf, inOrder, newId } from './document.js';
import type { Fields, Sheet } from './document.js';
import type { EditorCore } from './core.js';

/** Adds, moves and removes pages, and changes what is of the page or the project as a whole. */
export class Paging {
    readonly #editor: EditorCore;

    constructor(editor: EditorCore) {
        this.#editor = editor;
    }

    addPage(copyOf?: Sheet): void {
        const { page, doc } = this.#editor;
        if (!this.#editor.canEdit) {
            return;
        }

        const y = page?.y ?? 0;
        const taken = new Set(doc.pages.filter((one) => one.y === y).map(({ x }) => x));
        let x = page === undefined ? 0 : page.x + 1;
        while (taken.has(x)) {
            ++x;
        }

        const id = newId('pages');
        this.#editor.saving.edit([
            { type: 'pages', method: 'create', id, data: { projectId: doc.project.id, x, y, styles: { ...copyOf?.styles ?? { backgroundColor: '#ffffff' } } } },
            ...copyOf?.elements.map((item) => creationOf(id, item)) ?? []
        ]);
        this.#editor.showPage(id);
        this.#editor.say(this.#editor.t('editor.page_added', { number: inOrder(this.#editor.pages).findIndex((one) => one.id === id) + 1 }));
    }

    #moved(page: Sheet, data: { x: number; y: number }): Change {
        const { elements: _, ...base } = this.#editor.saving.base(page);
        return { type: 'pages', method: 'update', base, data };
    }

    #sayPlace(id: string): void {
        const page = this.#editor.doc.pages.find((one) => one.id === id);
        this.#editor.say(this.#editor.t('editor.page_moved', { number: page === undefined ? 0 : this.#editor.numberOfPage(page) }));
    }

    /** Moves the page by one place on the grid. A page that is there takes its place. */
    movePage(x: number, y: number): void {
        const { page, doc } = this.#editor;
        if (page !== undefined && this.#editor.canEdit) {
            const to = { x: page.x + x, y: page.y + y };
            const other = doc.pages.find((one) => one.x === to.x && one.y === to.y);
            this.#editor.saving.edit([this.#moved(page, to), ...other === undefined ? [] : [this.#moved(other, { x: page.x, y: page.y })]]);
            this.#sayPlace(page.id);
        }
    }

    /** Moves a page among all, in reading order: those between take the places of their neighbours. @param to its number then, from 1 */
    reorderPage(id: string, to: number): void {
        const pages = inOrder(this.#editor.doc.pages);
        const from = pages.findIndex((one) => one.id === id);
        const page = pages[from];
        if (page === undefined || !this.#editor.canEdit || to < 1 || to > pages.length || to === from + 1) {
            return;
        }

        const wanted = pages.toSpliced(from, 1).toSpliced(to - 1, 0, page);
        this.#editor.saving.edit(wanted.flatMap((one, index) => {
            const place = pages[index];
            return place === undefined || place.id === one.id ? [] : [this.#moved(one, { x: place.x, y: place.y })];
        }));
        this.#sayPlace(id);
    }

    /** Adds a page behind all others, without showing it. @returns its id */
    newPage(): string {
        const page = lastPage(this.#editor.doc);
        this.#editor.saving.edit([page]);
        return page.id;
    }

    async removePage(): Promise<void> {
        // What was edited in it has to be saved first, so that the revision that is removed is the one that is shown.
        await this.#editor.saving.settled();
        const { page } = this.#editor;
        if (page !== undefined && this.#editor.canEdit) {
            const { elements: _, ...base } = this.#editor.saving.base(page);
            this.#editor.saving.edit([{ type: 'pages', method: 'remove', base }]);
            this.#editor.say(this.#editor.t('editor.page_removed'));
        }
    }

    stylePage(styles: Fields): void {
        const { page } = this.#editor;
        if (page !== undefined && this.#editor.canEdit) {
            const { elements: _, ...base } = this.#editor.saving.base(page);
            this.#editor.saving.edit([{ type: 'pages', method: 'update', base, data: { styles: { ...page.styles, ...styles } } }]);
        }
    }

    changeProject(data: { title?: string; description?: string }): void {
        this.#editor.saving.edit([{ type: 'projects', method: 'update', base: this.#editor.doc.project, data }]);
    }
}
