import { pageHeight, pageWidth } from '../../client/src/render/index';
import { isLocked, numberOf } from './document.js';
import type { EditorCore } from './core.js';
import { layersAfter } from './layers.js';
import type { LayerMove } from './layers.js';

/** Size of letters in units of the page: the least, the most, and of a text that says none. */
export const MIN_LETTERS = 4;
export const MAX_LETTERS = 300;
export const LETTERS = 16;

/** Moves, sizes and layers what is chosen. */
export class Arranging {
    readonly #editor: EditorCore;

    constructor(editor: EditorCore) {
        this.#editor = editor;
    }

    /** Moves all chosen elements, in units of the page. */
    nudge(x: number, y: number): void {
        for (const { id, styles } of this.#editor.canEdit ? this.#editor.selection.items.filter((item) => !isLocked(item)) : []) {
            this.#editor.selection.changeOne(id, { left: numberOf(styles.left, 0) + x, top: numberOf(styles.top, 0) + y });
        }

        const [first] = this.#editor.selection.items;
        if (first !== undefined) {
            this.#editor.say(this.#editor.t('editor.at', { left: Math.round(numberOf(first.styles.left, 0)), top: Math.round(numberOf(first.styles.top, 0)) }));
        }
    }

    /** Makes the letters of all chosen elements so many times as large. */
    scaleLetters(factor: number): void {
        for (const { id, styles } of this.#editor.canEdit ? this.#editor.selection.items : []) {
            const size = Math.round(numberOf(styles.fontSize, LETTERS) * factor);
            this.#editor.selection.changeOne(id, { fontSize: Math.min(Math.max(size, MIN_LETTERS), MAX_LETTERS) });
        }
    }

    /** Makes all chosen elements wider and higher, by so many units. */
    grow(x: number, y: number): void {
        for (const { id, styles } of this.#editor.canEdit ? this.#editor.selection.items : []) {
            const height = y !== 0 && typeof styles.height === 'number' ? { height: Math.max(8, styles.height + y) } : {};
            this.#editor.selection.changeOne(id, { ...x === 0 ? {} : { width: Math.max(8, numberOf(styles.width, 100) + x) }, ...height });
        }

        const [first] = this.#editor.selection.items;
        if (first !== undefined) {
            this.#editor.say(this.#editor.t('editor.size', { width: Math.round(numberOf(first.styles.width, 0)), height: Math.round(numberOf(first.styles.height, 0)) }));
        }
    }

    /** Keeps what is chosen where it is, or lets it go. */
    lock(locked: boolean): void {
        this.#editor.selection.change({ locked: locked ? true : undefined }, {});
        this.#editor.say(this.#editor.t(locked ? 'editor.locked' : 'editor.unlocked'));
    }

    /** Makes what is chosen the background of the page: behind all others, as large as the page, and locked. */
    fillPage(): void {
        const least = Math.min(0, ...this.#editor.page?.elements.map(({ styles }) => numberOf(styles.zIndex, 0)) ?? []);
        this.#editor.selection.change({ locked: true }, { left: 0, top: 0, width: pageWidth, height: pageHeight, objectFit: 'cover', rotate: undefined, zIndex: least - 1 });
        this.#editor.say(this.#editor.t('editor.locked'));
    }

    layer(move: LayerMove): void {
        const { page, selection: { items: [item] } } = this.#editor;
        if (page !== undefined && item !== undefined && this.#editor.canEdit) {
            const layers = layersAfter(page.elements, item.id, move);
            this.#editor.saving.flush();
            layers.forEach((zIndex, id) => this.#editor.saving.draft(id, {}, { zIndex }));
            this.#editor.saving.flush();
            this.#editor.say(this.#editor.t(`editor.layer_${move}`));
        }
    }
}
