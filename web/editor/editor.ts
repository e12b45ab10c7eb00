import type { Change, Client, Member, PagewrightError, QueueFailure } from '../../client/src/index.js';
import { pageHeight, pageWidth } from '../../client/src/render/index';
import { fieldOf } from '../../src/api/json/is-object';
import type { Translate } from '../../src/site/text-options';
import { wordsOf, centredOf } from '../../client/src/render/webmaker';
import { pageLocale } from '../region.js';
import { lastPage } from './conflicts.js';
import { Deciding } from './deciding.js';
import { creationOf, inOrder, itemOf, newId } from './document.js';
import type { Doc, Fields, Item, Piece, Sheet } from './document.js';
import { forms, hasWords } from './elements.js';
import type { Form } from './elements.js';
import { layersAfter } from './layers.js';
import type { LayerMove } from './layers.js';
import { KeptVersions } from './kept.js';
import { contrast, freePlace, onPage, readable } from './placing.js';
import type { View } from './placing.js';
import { readPicture, withType } from './pictures.js';
import { Presence } from './presence.js';
import type { Whereabouts } from './presence.js';
import { Saving } from './saving.js';
import type { SavingState } from './saving.js';
import { Undoing } from './undoing.js';
import { Uploads } from './uploads.js';
import { anchorOf, anchoredAt, inItsWords, inOurWords } from './webmaker.js';

/** A point of the history that is shown instead of the present. */
export interface Past {
    revision: number;
    at: string;
    pages: readonly Sheet[];
}

export type Role = Member['role'] | 'owner';

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise);

/** Whether it stays where it is, as a background does. */
export const isLocked = ({ attributes }: Pick<Item, 'attributes'>): boolean => attributes.locked === true;

/** The view of a page that is not on the screen. */
const unseen: View = { boxes: () => [], visible: () => ({ left: 0, top: 0, width: pageWidth, height: pageHeight }), sizeOf: () => ({ width: 0, height: 0 }) };

/** Milliseconds between two looks at one's own role. */
const ROLE_CHECK = 15_000;

/** Everything that the editor can do; what is on the screen calls it and is told when something has changed. */
export class Editor {
    readonly client: Client;
    readonly saving: Saving;
    readonly undoing: Undoing;
    readonly kept: KeptVersions;
    readonly deciding: Deciding;
    readonly uploads: Uploads;
    readonly presence: Presence;
    readonly t: Translate;
    role: Role;
    /** id of the page that is shown */
    pageId: string | undefined;
    /** ids of the elements that are chosen */
    selected: ReadonlySet<string> = new Set();
    /** Whether a touch adds to what is chosen. */
    choosesSeveral = false;
    /** Whether the panel is open on a phone, where there is no room for it beside the page. */
    panelOpen = false;
    /** Whether something is dragged: until it ends, only the page is drawn. */
    dragging = false;
    past: Past | null = null;
    gone = false;
    /** what was done last, for people who do not see the screen */
    message = '';
    /** what failed last, until it is closed or something else is tried */
    problem = '';
    /** the page on the screen, once there is one */
    view: View = unseen;
    /** id of the element whose text is edited on the page */
    editing: string | undefined;
    /** grows whenever the field with the text of what is chosen is to have the focus */
    textAsked = 0;
    /** the last of these that was done */
    textSeen = 0;
    readonly #listeners = new Set<() => void>();

    constructor(client: Client, doc: Doc, role: Role, t: Translate, pageId: string | undefined) {
        this.client = client;
        this.role = role;
        this.t = t;
        this.pageId = doc.pages.some(({ id }) => id === pageId) ? pageId : inOrder(doc.pages)[0]?.id;
        this.saving = new Saving(client, doc, (username) => this.say(t('editor.changed_by', { name: username ?? t('editor.somebody') })), () => this.#end());
        this.undoing = new Undoing(client, this.saving);
        this.kept = new KeptVersions(client.session?.user.id, doc.project.id);
        this.saving.subscribe(() => this.#check());
        this.deciding = new Deciding(this);
        this.uploads = new Uploads(client, () => (this.deciding.look(), this.#notify()), (name, error) => this.#fail(this.wordsOfFile(name, error)));
        this.saving.subscribe(() => this.deciding.look());
        this.presence = new Presence(client, doc.project, () => this.#where, (arrived) => (arrived.length === 0 ? this.#notify() : arrived.forEach(({ user }) => this.say(t('editor.joined', { name: user.username })))));
        this.subscribe(() => this.presence.moved());
        if (role !== 'owner') {
            setInterval(() => void this.checkRole(), ROLE_CHECK);
        }
    }

    /** Looks whether one may still edit: the author can end that at any time, also of a project that everybody may read. */
    async checkRole(): Promise<void> {
        if (this.gone || this.client.session === null) {
            return;
        }

        const id = this.client.session?.user.id;
        const role = await this.client.members.list(this.doc.project).then((members) => members.find(({ user }) => user.id === id)?.role ?? null, ({ status }: Partial<PagewrightError>) => (status === 403 || status === 404 ? null : undefined));
        if (role === null) {
            this.#end();
            this.say(this.t('editor.gone'));
        }
        else if (role !== undefined && role !== this.role) {
            this.role = role;
            this.#notify();
        }
    }

    /** The project is gone, or the right to edit it. */
    #end(): void {
        this.gone = true;
        this.saving.forget();
        this.presence.close();
        this.#notify();
    }

    /** where one is, for the others: what is made just now, they do not see yet */
    get #where(): Whereabouts | null {
        const known = (id: string | undefined): string[] => [this.there(id) ?? ''].filter((one) => /^\d+$/.test(one));
        return this.role === 'viewer' ? null : { page: (this.past === null ? known(this.page?.id)[0] : undefined) ?? null, selected: [...this.selected].flatMap(known) };
    }

    /** The edits that could not be saved, and that the author has to decide about. */
    get question(): QueueFailure | null {
        return this.deciding.question;
    }

    closeNotice(): void {
        this.deciding.close();
        this.#notify();
    }

    subscribe = (listener: () => void): () => void => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
    };

    #notify(): void {
        this.#listeners.forEach((listener) => listener());
    }

    /** Lets go of what is not there any more. */
    #check(): void {
        const { pages } = this.saving.doc;
        if (!pages.some(({ id }) => id === this.pageId)) {
            this.pageId = inOrder(pages)[0]?.id;
        }

        const there = new Set(this.page?.elements.map(({ id }) => id));
        if ([...this.selected].some((id) => !there.has(id))) {
            this.selected = new Set([...this.selected].filter((id) => there.has(id)));
        }

        this.#notify();
    }

    say = (message: string): void => {
        // The same words again are told again.
        this.message = message === this.message ? `${message}\u00a0` : message;
        this.#notify();
    };

    /** Shows what failed, until it is closed or something else is tried. */
    #fail(problem: string): void {
        this.problem = problem;
        this.say(problem);
    }

    tellProblem = (problem: string): void => this.#fail(problem);

    closeProblem(): void {
        this.problem = '';
        this.#notify();
    }

    get doc(): Doc {
        return this.saving.doc;
    }

    get pages(): readonly Sheet[] {
        return this.past?.pages ?? this.doc.pages;
    }

    get page(): Sheet | undefined {
        return this.pages.find(({ id }) => id === this.pageId) ?? inOrder(this.pages)[0];
    }

    /** what is chosen, as it is stored */
    get #stored(): Item[] {
        return this.page?.elements.filter(({ id }) => this.selected.has(id)) ?? [];
    }

    /** what is chosen, in the words of this editor */
    get chosen(): Item[] {
        return this.#stored.map((item) => this.inOurWords(item));
    }

    inOurWords(item: Item): Item {
        return inOurWords(item, () => this.view.sizeOf(item.id));
    }

    /** Whether it is sized by a scale, as what Webmaker's client made. */
    scales(id: string): boolean {
        return centredOf(itemOf(this.doc, id)?.styles) !== undefined;
    }

    /** Drafts new values, which are in the words of this editor. */
    #draft(id: string, attributes: Fields, styles: Fields): void {
        const item = itemOf(this.doc, id);
        if (item !== undefined) {
            const changed = inItsWords(item, () => this.view.sizeOf(id), { attributes, styles });
            this.saving.draft(id, changed.attributes, changed.styles);
        }
    }

    get canEdit(): boolean {
        return this.role !== 'viewer' && this.past === null && !this.gone;
    }

    showPage(id: string): void {
        this.saving.flush();
        Object.assign(this, { pageId: id, selected: new Set() });
        this.#notify();
    }

    select(ids: Iterable<string>): void {
        this.selected = new Set(ids);
        this.editing = this.editing !== undefined && this.selected.has(this.editing) ? this.editing : undefined;
        this.panelOpen &&= this.selected.size > 0;
        this.#notify();
    }

    toggle(id: string): void {
        this.select(this.selected.has(id) ? [...this.selected].filter((one) => one !== id) : [...this.selected, id]);
    }

    setChoosesSeveral(several: boolean): void {
        this.choosesSeveral = several;
        this.#notify();
    }

    openPanel(open: boolean): void {
        this.panelOpen = open;
        this.#notify();
    }

    nameOf({ type, attributes }: Pick<Item, 'type' | 'attributes'>): string {
        const words = [wordsOf(attributes), attributes.alt].find((value) => typeof value === 'string' && value !== '');
        return words === undefined ? this.t(`editor.type_${type === 'shape' ? String(attributes.shape) : type}`) : String(words).slice(0, 80);
    }

    /** the service's id of a page that is shown */
    there = (id: string | undefined): string | undefined => (id === undefined ? undefined : this.saving.ids.there(id));

    /** The place of a page among all, in reading order, from 1. */
    numberOfPage = (page: Sheet): number => inOrder(this.pages).findIndex(({ id }) => id === page.id) + 1;

    /** Moves the focus to the text of what is chosen: on the page, or in the panel if the page does not show it. */
    askForText(): void {
        const { chosen: [item], canEdit } = this;
        if (canEdit && item !== undefined) {
            ++this.textAsked;
            this.editing = hasWords.has(item.type) ? item.id : undefined;
            this.panelOpen = this.editing === undefined;
            this.#notify();
        }
    }

    endText(): void {
        this.editing = undefined;
        this.saving.flush();
        this.#notify();
    }

    // ---- Elements

    /** Adds elements to a page, and chooses them if it is shown. */
    #add(pieces: readonly Piece[], page = this.page): void {
        if (page === undefined || !this.canEdit) {
            return;
        }

        const changes = pieces.map((piece) => creationOf(this.saving.ids.there(page.id), piece));
        this.saving.edit(changes);
        if (page.id === this.page?.id) {
            this.select(changes.map(({ id }) => id));
        }
    }

    /** Makes a page if there is none, so that there is one to add to. */
    #needPage(): void {
        if (this.page === undefined) {
            this.addPage();
        }
    }

    /** The layer above all others, if any has one. */
    #top(page: Sheet | undefined): Fields {
        const top = Math.max(0, ...page?.elements.map(({ styles }) => numberOf(styles.zIndex, 0)) ?? []);
        return top === 0 ? {} : { zIndex: top };
    }

    /** Where something new lies, and how it can be read there. */
    #fit(piece: Piece, page = this.page): Piece {
        const { type, attributes, styles } = piece;
        const size = { width: numberOf(styles.width, 100), height: numberOf(styles.height, 1.4 * numberOf(styles.fontSize, 16) + 2 * numberOf(styles.padding, 0)) };
        const placed = { ...styles, ...freePlace(size, page?.id === this.page?.id ? this.view : unseen), ...this.#top(page) };
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

    /** A new link leads to the next page, from the last one to the first. */
    #newLink(): { attributes: Fields } {
        const { page, doc: { project } } = this;
        const pages = inOrder(this.pages);
        const next = pages[pages.findIndex(({ id }) => id === page?.id) + 1];
        const target = next ?? (pages.length > 1 ? pages[0] : undefined);
        const text = this.t(next !== undefined ? 'editor.new_link' : target !== undefined ? 'editor.new_link_back' : 'editor.type_link');
        return { attributes: target === undefined ? { text } : { text, targetPageId: this.saving.ids.there(target.id), targetProjectId: project.id, targetUserId: project.user_id } };
    }

    add(form: Form): void {
        this.#needPage();
        const { attributes, styles } = forms[form];
        const type = 'shape' in attributes ? 'shape' : form;
        const words = form === 'link' ? this.#newLink().attributes : 'shape' in attributes ? {} : { text: this.t(`editor.new_${form}`) };
        this.#add([this.#fit({ type, attributes: { ...attributes, ...words }, styles: { ...styles } })]);
        this.say(this.t('editor.added', { what: this.t(`editor.type_${form}`) }));
        if (type !== 'shape') {
            this.askForText();
        }
    }

    /** What is said about how far the work is kept: what is being sent is not saved yet. */
    get state(): SavingState | 'sending' {
        const { saving: { state, failures, isOffline }, uploads, deciding } = this;
        const isSending = uploads.pending.size > 0 && (state === 'saved' || state === 'saving' || (state === 'failed' && failures.every((failure) => deciding.waitsForFile(failure))));
        return !isSending ? state : isOffline ? 'offline' : 'sending';
    }

    /** Whether something is not with the service yet that is lost, or late, if one leaves. */
    get isBusy(): boolean {
        return this.saving.isBusy || this.uploads.pending.size > 0;
    }

    /** Adds pictures, sounds and videos, which are sent meanwhile. @param at where, in units of the page @param kind if their types do not say it */
    async addFiles(files: readonly File[], at?: { left: number; top: number }, kind?: 'sound'): Promise<void> {
        const known = files.map(withType).filter(({ type }) => /^(?:image|audio|video)\//.test(type));
        if (known.length === 0) {
            this.#fail(this.t('editor.no_picture'));
            return;
        }

        this.problem = '';
        this.#needPage();
        const pageId = this.page?.id;
        for (const [n, file] of known.entries()) {
            try {
                const piece = await readPicture(this.uploads, file, kind);
                // People may have gone on to another page meanwhile.
                const page = this.doc.pages.find(({ id }) => id === pageId);
                if (page !== undefined) {
                    const [width, height] = [numberOf(piece.styles.width, 0), numberOf(piece.styles.height, 0)];
                    const dropped = at && { ...this.#top(page), ...onPage({ left: at.left - width / 2 + 12 * n, top: at.top - height / 2 + 12 * n, width, height }) };
                    this.#add([dropped === undefined ? this.#fit(piece, page) : { ...piece, styles: { ...piece.styles, ...dropped } }], page);
                    this.say(this.t('editor.added', { what: file.name }));
                }
            }
            catch (error) {
                this.#fail(this.wordsOf(error));
            }
        }
    }

    /** Adds a sound that was recorded here, which may be in a file as films are. */
    async addSound(file: File): Promise<void> {
        await this.addFiles([file], undefined, 'sound');
    }

    /** New values for all chosen elements. */
    change(attributes: Fields, styles: Fields): void {
        for (const id of this.canEdit ? this.selected : []) {
            this.#draft(id, attributes, styles);
        }
    }

    changeOne(id: string, styles: Fields): void {
        if (this.canEdit) {
            this.#draft(id, {}, styles);
        }
    }

    /** Moves all chosen elements, in units of the page. */
    nudge(x: number, y: number): void {
        for (const { id, styles } of this.canEdit ? this.chosen.filter((item) => !isLocked(item)) : []) {
            this.#draft(id, {}, { left: numberOf(styles.left, 0) + x, top: numberOf(styles.top, 0) + y });
        }

        const [first] = this.chosen;
        if (first !== undefined) {
            this.say(this.t('editor.at', { left: Math.round(numberOf(first.styles.left, 0)), top: Math.round(numberOf(first.styles.top, 0)) }));
        }
    }

    /** Makes all chosen elements wider and higher, by so many units. */
    grow(x: number, y: number): void {
        for (const { id, styles } of this.canEdit ? this.chosen : []) {
            const height = y !== 0 && typeof styles.height === 'number' ? { height: Math.max(8, styles.height + y) } : {};
            this.#draft(id, {}, { ...x === 0 ? {} : { width: Math.max(8, numberOf(styles.width, 100) + x) }, ...height });
        }

        const [first] = this.chosen;
        if (first !== undefined) {
            this.say(this.t('editor.size', { width: Math.round(numberOf(first.styles.width, 0)), height: Math.round(numberOf(first.styles.height, 0)) }));
        }
    }

    /** Keeps what is chosen where it is, or lets it go. */
    lock(locked: boolean): void {
        this.change({ locked: locked ? true : undefined }, {});
        this.say(this.t(locked ? 'editor.locked' : 'editor.unlocked'));
    }

    /** Makes what is chosen the background of the page: behind all others, as large as the page, and locked. */
    fillPage(): void {
        const least = Math.min(0, ...this.page?.elements.map(({ styles }) => numberOf(styles.zIndex, 0)) ?? []);
        this.change({ locked: true }, { left: 0, top: 0, width: pageWidth, height: pageHeight, objectFit: 'cover', rotate: undefined, zIndex: least - 1 });
        this.say(this.t('editor.locked'));
    }

    removeChosen(): void {
        const chosen = this.canEdit ? this.#stored : [];
        if (chosen.length > 0) {
            this.saving.edit(chosen.map((item) => ({ type: 'elements', method: 'remove', base: this.saving.base(item) })));
            this.say(this.t('editor.removed', { count: chosen.length }));
        }
    }

    layer(move: LayerMove): void {
        const { page, chosen: [item] } = this;
        if (page !== undefined && item !== undefined && this.canEdit) {
            const layers = layersAfter(page.elements, item.id, move);
            this.saving.flush();
            layers.forEach((zIndex, id) => this.saving.draft(id, {}, { zIndex }));
            this.saving.flush();
            this.say(this.t(`editor.layer_${move}`));
        }
    }

    copy(): Piece[] {
        const pieces = this.#stored.map(({ type, attributes, styles }) => ({ type, attributes, styles }));
        if (pieces.length > 0) {
            this.say(this.t('editor.copied', { count: pieces.length }));
        }

        return pieces;
    }

    paste(pieces: readonly Piece[]): void {
        this.#needPage();
        const keyOf = ({ styles }: Pick<Item, 'styles'>): string => `${anchorOf(styles).left} ${anchorOf(styles).top}`;
        const taken = new Set(this.page?.elements.map(keyOf));
        const shift = pieces.some((piece) => taken.has(keyOf(piece))) ? 12 : 0;
        this.#add(pieces.map((piece) => {
            const { left, top } = anchorOf(piece.styles);
            return { ...piece, styles: anchoredAt(piece.styles, { left: Math.min(left + shift, pageWidth - 10), top: Math.min(top + shift, pageHeight - 10) }) };
        }));
        this.say(this.t('editor.pasted', { count: pieces.length }));
    }

    pasteText(text: string): void {
        this.#needPage();
        this.#add([this.#fit({ type: 'text', attributes: { text }, styles: { ...forms.text.styles } })]);
        this.say(this.t('editor.pasted', { count: 1 }));
    }

    // ---- Pages

    addPage(copyOf?: Sheet): void {
        const { page, doc } = this;
        if (!this.canEdit) {
            return;
        }

        const y = page?.y ?? 0;
        const taken = new Set(doc.pages.filter((one) => one.y === y).map(({ x }) => x));
        let x = page === undefined ? 0 : page.x + 1;
        while (taken.has(x)) {
            ++x;
        }

        const id = newId('pages');
        this.saving.edit([
            { type: 'pages', method: 'create', id, data: { projectId: doc.project.id, x, y, styles: { ...copyOf?.styles ?? { backgroundColor: '#ffffff' } } } },
            ...copyOf?.elements.map((item) => creationOf(id, item)) ?? []
        ]);
        this.showPage(id);
        this.say(this.t('editor.page_added', { number: inOrder(this.pages).findIndex((one) => one.id === id) + 1 }));
    }

    #moved(page: Sheet, data: { x: number; y: number }): Change {
        const { elements: _, ...base } = this.saving.base(page);
        return { type: 'pages', method: 'update', base, data };
    }

    #sayPlace(id: string): void {
        const page = this.doc.pages.find((one) => one.id === id);
        this.say(this.t('editor.page_moved', { number: page === undefined ? 0 : this.numberOfPage(page) }));
    }

    /** Moves the page by one place on the grid. A page that is there takes its place. */
    movePage(x: number, y: number): void {
        const { page, doc } = this;
        if (page !== undefined && this.canEdit) {
            const to = { x: page.x + x, y: page.y + y };
            const other = doc.pages.find((one) => one.x === to.x && one.y === to.y);
            this.saving.edit([this.#moved(page, to), ...other === undefined ? [] : [this.#moved(other, { x: page.x, y: page.y })]]);
            this.#sayPlace(page.id);
        }
    }

    /** Moves a page among all, in reading order: those between take the places of their neighbours. @param to its number then, from 1 */
    reorderPage(id: string, to: number): void {
        const pages = inOrder(this.doc.pages);
        const from = pages.findIndex((one) => one.id === id);
        const page = pages[from];
        if (page === undefined || !this.canEdit || to < 1 || to > pages.length || to === from + 1) {
            return;
        }

        const wanted = pages.toSpliced(from, 1).toSpliced(to - 1, 0, page);
        this.saving.edit(wanted.flatMap((one, index) => {
            const place = pages[index];
            return place === undefined || place.id === one.id ? [] : [this.#moved(one, { x: place.x, y: place.y })];
        }));
        this.#sayPlace(id);
    }

    /** Adds a page behind all others, without showing it. @returns its id */
    newPage(): string {
        const page = lastPage(this.doc);
        this.saving.edit([page]);
        return page.id;
    }

    async removePage(): Promise<void> {
        // What was edited in it has to be saved first, so that the revision that is removed is the one that is shown.
        await this.saving.settled();
        const { page } = this;
        if (page !== undefined && this.canEdit) {
            const { elements: _, ...base } = this.saving.base(page);
            this.saving.edit([{ type: 'pages', method: 'remove', base }]);
            this.say(this.t('editor.page_removed'));
        }
    }

    stylePage(styles: Fields): void {
        const { page } = this;
        if (page !== undefined && this.canEdit) {
            const { elements: _, ...base } = this.saving.base(page);
            this.saving.edit([{ type: 'pages', method: 'update', base, data: { styles: { ...page.styles, ...styles } } }]);
        }
    }

    changeProject(data: { title?: string; description?: string }): void {
        this.saving.edit([{ type: 'projects', method: 'update', base: this.doc.project, data }]);
    }

    // ---- The past

    async undo(): Promise<void> {
        await this.#takeBack('undo', 'editor.undone', 'editor.nothing_to_undo');
    }

    async redo(): Promise<void> {
        await this.#takeBack('redo', 'editor.redone', 'editor.nothing_to_redo');
    }

    async #takeBack(which: 'undo' | 'redo', done: string, nothing: string): Promise<void> {
        if (!this.canEdit) {
            return;
        }

        this.saving.flush();
        await this.attempt(async () => {
            const isDone = (which === 'undo' && await this.deciding.giveUpLast()) || await this.undoing[which]();
            this.say(this.t(isDone ? done : nothing));
        });
    }

    async lookBack(revision: number, at: string): Promise<void> {
        await this.attempt(async () => {
            const { pages } = await this.client.history.at(this.doc.project, revision);
            this.past = { revision, at, pages };
            this.selected = new Set();
            this.say(this.t('editor.looking_back', { when: new Date(at).toLocaleString(pageLocale()) }));
        });
    }

    backToNow(): void {
        this.past = null;
        this.#check();
        this.say(this.t('editor.now'));
    }

    /** Makes the project, or only one of its pages, what it was at a point. @returns whether it is */
    async restore(revision: number, pageId?: string): Promise<boolean> {
        return await this.attempt(async () => {
            await this.saving.settled();
            await this.client.history.restore(this.doc.project, revision, pageId === undefined ? {} : { pages: [this.saving.ids.there(pageId)] });
            await this.saving.refresh();
            this.past = null;
            this.#check();
            this.say(this.t('editor.restored'));
        });
    }

    /** Does something, and says what was wrong if it fails. */
    async attempt(work: () => Promise<void>): Promise<boolean> {
        this.problem = '';
        try {
            await work();
            return true;
        }
        catch (error) {
            this.#fail(this.wordsOf(error));
            return false;
        }
    }

    /** Why a file cannot be taken, in the words of whoever chose it. */
    wordsOfFile(name: string, error: PagewrightError): string {
        const { status, code } = error;
        return status === 413 ? this.t('editor.file_too_large', { name }) : status === 415 || code === 'type_mismatch' ? this.t('editor.file_not_shown', { name }) : this.wordsOf(error);
    }

    wordsOf(error: unknown): string {
        const [code, message] = [fieldOf(error, 'code'), fieldOf(error, 'message')];
        if (error instanceof TypeError && code === undefined && /fetch|network/i.test(String(message))) {
            return this.t('editor.no_connection');
        }

        return code === 'undo_conflict' ? this.t('editor.undo_conflict') : this.t('editor.failed', { why: String(message) });
    }
}
