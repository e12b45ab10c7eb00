import { pageHeight, pageWidth } from '../../client/src/render/index';
import { wordsOf } from '../../client/src/render/webmaker';
import { creationOf, inOrder, isLocked, numberOf, without } from './document.js';
import type { Fields, Item, Piece, Sheet } from './document.js';
import type { EditorCore } from './core.js';
import { wordsOfError } from './error-words.js';
import type { Paging } from './paging.js';
import { actionOf, buttonActions, buttonLook, forms, hasWords } from './elements.js';
import type { ButtonAction, Form } from './elements.js';
import { contrast, freePlace, onPage, readable, unseen } from './placing.js';
import { readPicture, withType } from './pictures.js';
import { anchorOf, anchoredAt } from './webmaker.js';

/** Whether something is written into a field just now, which goes when something else is chosen. */
const isWriting = (): boolean => document.activeElement?.matches('textarea, input:not([type="file"])') === true;

/** Adds things to pages: each where it covers nothing, and so that it can be read there. */
export class Adding {
    readonly #editor: EditorCore & { readonly paging: Paging };

    constructor(editor: EditorCore & { readonly paging: Paging }) {
        this.#editor = editor;
    }

    /** Adds elements to a page, and chooses them if it is shown. */
    #add(pieces: readonly Piece[], page = this.#editor.page, isChosen = true): void {
        if (page === undefined || !this.#editor.canEdit) {
            return;
        }

        const changes = pieces.map((piece) => creationOf(this.#editor.saving.ids.there(page.id), piece));
        this.#editor.saving.edit(changes);
        if (isChosen && page.id === this.#editor.page?.id) {
            this.#editor.selection.select(changes.map(({ id }) => id));
        }
    }

    /** Makes a page if there is none, so that there is one to add to. */
    #needPage(): void {
        if (this.#editor.page === undefined) {
            this.#editor.paging.addPage();
        }
    }

    /** The layer above all others, if any has one. */
    #top(page: Sheet | undefined): Fields {
        const top = Math.max(0, ...page?.elements.map(({ styles }) => numberOf(styles.zIndex, 0)) ?? []);
        return top === 0 ? {} : { zIndex: top };
    }

    /** Where something new lies, and how it can be read there. */
    #fit(piece: Piece, page = this.#editor.page): Piece {
        const { type, attributes, styles } = piece;
        const size = { width: numberOf(styles.width, 100), height: numberOf(styles.height, 1.4 * numberOf(styles.fontSize, 16) + 2 * numberOf(styles.padding, 0)) };
        const placed = { ...styles, ...freePlace(size, page?.id === this.#editor.page?.id ? this.#editor.view : unseen), ...this.#top(page) };
        if (!hasWords.has(type) || styles.backgroundColor !== undefined) {
            return { type, attributes, styles: placed };
        }

        // On a picture, letters need a ground of their own.
        const behind = String(page?.styles.backgroundColor ?? '#ffffff');
        const ground = page?.elements.some(isLocked) === true ? { backgroundColor: '#ffffff', opacity: 0.9, padding: 6, borderRadius: 6 } : {};
        const wanted = String(styles.color ?? '#1a1a1a');
        const color = readable(wanted, ground.backgroundColor ?? behind);
        return { type, attributes, styles: { ...placed, ...ground, ...color === '#1a1a1a' && contrast(color, behind) >= 4.5 ? {} : { color } } };
    }

    /** Where a new link leads: to the next page, from the last one to the first; undefined if there is no other. */
    #nextPage(): { isBack: boolean; target: Fields } | undefined {
        const { page, pages, doc: { project }, saving } = this.#editor;
        const all = inOrder(pages);
        const next = all[all.findIndex(({ id }) => id === page?.id) + 1];
        const target = next ?? (all.length > 1 ? all[0] : undefined);
        return target && { isBack: next === undefined, target: { targetPageId: saving.ids.there(target.id), targetProjectId: project.id, targetUserId: project.user_id } };
    }

    #newLink(): Fields {
        const found = this.#nextPage();
        return { ...found?.target, text: this.#editor.t(found === undefined ? 'editor.button_leads' : found.isBack ? 'editor.new_link_back' : 'editor.new_link') };
    }

    add(form: Form): void {
        this.#needPage();
        const { attributes, styles } = forms[form];
        const type = 'shape' in attributes ? 'shape' : form;
        const words = form === 'link' ? this.#newLink() : 'shape' in attributes ? {} : { text: this.#editor.t(`editor.new_${form}`) };
        this.#add([this.#fit({ type, attributes: { ...attributes, ...words }, styles: { ...styles } })]);
        this.#editor.say(this.#editor.t('editor.added', { what: this.#editor.t(`editor.type_${form}`) }));
        if (type !== 'shape') {
            this.#editor.typing.ask();
        }
    }

    /** Adds pictures, sounds and videos, which are sent meanwhile. @param at where, in units of the page @param kind if their types do not say it */
    async addFiles(files: readonly File[], at?: { left: number; top: number }, kind?: 'sound'): Promise<void> {
        const known = (await Promise.all(files.map(withType))).filter(({ type }) => /^(?:image|audio|video)\//.test(type));
        if (known.length === 0) {
            this.#editor.tellProblem(this.#editor.t('editor.no_picture'));
            return;
        }

        this.#editor.problem = '';
        this.#needPage();
        const pageId = this.#editor.page?.id;
        for (const [n, file] of known.entries()) {
            try {
                const piece = await readPicture(this.#editor.uploads, file, kind);
                // People may have gone on to another page meanwhile.
                const page = this.#editor.doc.pages.find(({ id }) => id === pageId);
                if (page !== undefined) {
                    const [width, height] = [numberOf(piece.styles.width, 0), numberOf(piece.styles.height, 0)];
                    const dropped = at && { ...this.#top(page), ...onPage({ left: at.left - width / 2 + 12 * n, top: at.top - height / 2 + 12 * n, width, height }) };
                    this.#add([dropped === undefined ? this.#fit(piece, page) : { ...piece, styles: { ...piece.styles, ...dropped } }], page, !isWriting());
                    this.#editor.say(this.#editor.t('editor.added', { what: file.name }));
                }
            }
            catch (error) {
                this.#editor.tellProblem(wordsOfError(error, this.#editor.t));
            }
        }
    }

    /** Adds a sound that was recorded here, which may be in a file as films are. */
    async addSound(file: File): Promise<void> {
        await this.addFiles([file], undefined, 'sound');
    }

    /** Lets the chosen button do something else when it is pressed. Its words and its look stay. @param sound what it plays */
    async become(action: ButtonAction, sound?: File): Promise<void> {
        const { selection: { stored: [item] }, canEdit, saving, uploads, page, t } = this.#editor;
        if (item === undefined || page === undefined || !canEdit || actionOf(item.type) === action) {
            return;
        }

        const text = [wordsOf(item.attributes), item.attributes.alt].find((words) => typeof words === 'string' && words !== '') ?? t('editor.new_button');
        const { lang, dir, locked } = item.attributes;
        const file = sound && await readPicture(uploads, sound, 'sound');
        const does = action === 'leads' ? this.#nextPage()?.target : action === 'shows' ? { reveals: '' } : file?.attributes;
        const attributes = without({ lang, dir, locked, ...does, [action === 'plays' ? 'alt' : 'text']: text });
        const { height, ...look } = item.styles;
        const styles = action === 'plays' ? { ...look, height: file?.styles.height } : item.type === 'sound' ? { ...buttonLook, ...look } : item.styles;
        const change = creationOf(saving.ids.there(page.id), { type: buttonActions[action], attributes, styles: { ...styles, ...action === 'leads' && styles.backgroundColor !== undefined ? { textDecoration: 'none' } : {} } });
        saving.edit([{ type: 'elements', method: 'remove', base: saving.base(item) }, change]);
        this.#editor.selection.select([change.id]);
        this.#editor.say(t(`editor.button_${action}`));
    }

    paste(pieces: readonly Piece[]): void {
        this.#needPage();
        const keyOf = ({ styles }: Pick<Item, 'styles'>): string => `${anchorOf(styles).left} ${anchorOf(styles).top}`;
        const taken = new Set(this.#editor.page?.elements.map(keyOf));
        const shift = pieces.some((piece) => taken.has(keyOf(piece))) ? 12 : 0;
        this.#add(pieces.map((piece) => {
            const { left, top } = anchorOf(piece.styles);
            return { ...piece, styles: anchoredAt(piece.styles, { left: Math.min(left + shift, pageWidth - 10), top: Math.min(top + shift, pageHeight - 10) }) };
        }));
        this.#editor.say(this.#editor.t('editor.pasted', { count: pieces.length }));
    }

    pasteText(text: string): void {
        this.#needPage();
        this.#add([this.#fit({ type: 'text', attributes: { text }, styles: { ...forms.text.styles } })]);
        this.#editor.say(this.#editor.t('editor.pasted', { count: 1 }));
    }
}
