import type { Client, Member, PagewrightError, QueueFailure } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import type { Translate } from '../../src/site/text-options';
import { wordsOf, centredOf } from '../../client/src/render/webmaker';
import { Adding } from './adding.js';
import { Arranging } from './arranging.js';
import type { Past } from './core.js';
import { Deciding } from './deciding.js';
import { inOrder, itemOf } from './document.js';
import type { Doc, Fields, Item, Piece, Sheet } from './document.js';
import { Earlier } from './earlier.js';
import { hasWords } from './elements.js';
import { KeptVersions } from './kept.js';
import { Paging } from './paging.js';
import { unseen } from './placing.js';
import type { View } from './placing.js';
import { Presence } from './presence.js';
import type { PresenceState } from './presence.js';
import { Saving } from './saving.js';
import type { SavingState } from './saving.js';
import { Undoing } from './undoing.js';
import { Uploads } from './uploads.js';
import { inItsWords, inOurWords } from './webmaker.js';

export type Role = Member['role'] | 'owner';

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
    readonly adding = new Adding(this);
    readonly arranging = new Arranging(this);
    readonly paging = new Paging(this);
    readonly earlier = new Earlier(this);
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
        this.saving.subscribe(() => this.check());
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
    get #where(): PresenceState | null {
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
    check(): void {
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
    get stored(): Item[] {
        return this.page?.elements.filter(({ id }) => this.selected.has(id)) ?? [];
    }

    /** what is chosen, in the words of this editor */
    get chosen(): Item[] {
        return this.stored.map((item) => this.inOurWords(item));
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

    /** The state of saving: what is being sent is not saved yet. */
    get state(): SavingState | 'sending' {
        const { saving: { state, failures, isOffline }, uploads, deciding } = this;
        const isSending = uploads.pending.size > 0 && (state === 'saved' || state === 'saving' || (state === 'failed' && failures.every((failure) => deciding.waitsForFile(failure))));
        return !isSending ? state : isOffline ? 'offline' : 'sending';
    }

    /** Whether something is not with the service yet that is lost, or late, if one leaves. */
    get isBusy(): boolean {
        return this.saving.isBusy || this.uploads.pending.size > 0;
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

    removeChosen(): void {
        const chosen = this.canEdit ? this.stored : [];
        if (chosen.length > 0) {
            this.saving.edit(chosen.map((item) => ({ type: 'elements', method: 'remove', base: this.saving.base(item) })));
            this.say(this.t('editor.removed', { count: chosen.length }));
        }
    }

    copy(): Piece[] {
        const pieces = this.stored.map(({ type, attributes, styles }) => ({ type, attributes, styles }));
        if (pieces.length > 0) {
            this.say(this.t('editor.copied', { count: pieces.length }));
        }

        return pieces;
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
