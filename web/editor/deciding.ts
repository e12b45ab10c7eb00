import { SaveError } from '../../client/src/index.js';
import type { Change, QueueFailure } from '../../client/src/index.js';
import { keepingBoth, pageIdOf, questionOf } from './conflicts.js';
import type { BothKept } from './conflicts.js';
import { itemOf } from './document.js';
import type { Doc, Piece } from './document.js';
import { hashesIn } from './uploads.js';
import { isOnlyLooks, keepingMine, takingTheirs } from './failures.js';
import type { KeptVersions } from './kept.js';
import type { Saving } from './saving.js';
import type { Typing } from './typing.js';
import type { Uploads } from './uploads.js';
import type { Translate } from '../../src/site/text-options';

/** The editor, as used here. */
interface Edited {
    readonly saving: Saving;
    readonly kept: KeptVersions;
    readonly uploads: Uploads;
    readonly doc: Doc;
    readonly t: Translate;
    readonly role: string;
    readonly gone: boolean;
    readonly typing: Pick<Typing, 'id' | 'at'>;
    checkRole(): Promise<void>;
    say: (message: string) => void;
}

/** Milliseconds after which both versions are kept if nobody decides, and between two tries while the author is at it. */
const PATIENCE = 60_000;
const AGAIN = 5000;

/** An act done without asking, in a sentence, and how to take it back. */
export interface Notice {
    text: string;
    undo: (() => void) | undefined;
}

/** Decides about what could not be saved: at once if it needs no question, by the author, or after a while by keeping both. */
export class Deciding {
    notice: Notice | undefined;
    /** Whether the author looks at the question just now. */
    isOpen = false;
    readonly #editor: Edited;
    /** ids of the failures that are decided just now */
    readonly #busy = new Set<string>();
    /** ids of the failures whose thing is not there */
    readonly #missing = new Set<string>();
    /** ids of the failures that were tried again because their files are there now */
    readonly #tried = new Set<string>();
    /** ids of failures after which the role was looked at */
    readonly #checked = new Set<string>();
    /** pages that were made for what was on pages that are gone, by the ids of these */
    readonly #pages = new Map<string, string>();
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(editor: Edited) {
        this.#editor = editor;
    }

    /** The question to the author. */
    get question(): QueueFailure | null {
        return this.#editor.saving.failures.find((failure) => !this.#busy.has(failure.id) && !this.waitsForFile(failure) && this.#byItself(failure) === undefined) ?? null;
    }

    /** Whether it can be saved once a file was sent. */
    waitsForFile({ changes, error }: QueueFailure): boolean {
        const { pending, isReady } = this.#editor.uploads;
        return error.code === 'asset_missing' && (!isReady || hashesIn(changes).some((hash) => pending.has(hash)));
    }

    close(): void {
        this.notice = undefined;
    }

    /** Something has changed: perhaps something could not be saved, or can be now. */
    look(): void {
        const { saving, gone, role } = this.#editor;
        const { failures } = saving;
        for (const failure of gone ? [] : failures) {
            const { id, error: { status } } = failure;
            if (role !== 'owner' && (status === 403 || status === 404) && !this.#checked.has(id)) {
                this.#checked.add(id);
                void this.#editor.checkRole();
            }

            const changes = this.#busy.has(id) || this.waitsForFile(failure) ? undefined : this.#byItself(failure);
            if (changes !== undefined) {
                this.#missing.delete(id);
                this.#tried.add(id);
                void this.#decide(failure, changes, () => isOnlyLooks(failure) && this.#editor.say(this.#editor.t('editor.looks_decided', { name: this.#nameOf(failure) })));
            }
            else if (status === 404 && !this.#isThere(failure)) {
                this.#missing.add(id);
            }
        }

        if (this.#timer === undefined && failures.length > 0 && !gone) {
            this.#wait(Math.max(0, Math.min(...failures.map(({ at }) => at)) + PATIENCE - Date.now()));
        }
    }

    /** Gives up what was edited last, if it could not be saved: to undo it is that. @returns whether it was so */
    async giveUpLast(): Promise<boolean> {
        const { saving, kept } = this.#editor;
        const failure = saving.failures.find(({ id, changes }) => !this.#busy.has(id) && changes.some((change) => saving.lastEdited.has(change.method === 'create' ? change.id : saving.ids.there(change.base.id))));
        if (failure === undefined) {
            return false;
        }

        const { mine, made, isConflict } = questionOf(failure);
        [mine, ...made].filter((piece) => piece !== undefined).forEach((piece) => kept.add(piece));
        await this.#decide(failure, isConflict ? takingTheirs(failure) : []);
        return true;
    }

    #nameOf({ error }: QueueFailure): string {
        return error.changedBy?.username ?? this.#editor.t('editor.somebody');
    }

    /** Whether what could not be found is there now. */
    #isThere({ changes: [change] }: QueueFailure): boolean {
        const { served, ids } = this.#editor.saving;
        const page = pageIdOf(change, ids);
        return change?.method === 'create' ? served.pages.some(({ id }) => id === page) : change?.type === 'elements' && itemOf(served, ids.here('elements', change.base.id)) !== undefined;
    }

    /** Changes that need no question; undefined if there is one. */
    #byItself(failure: QueueFailure): Change[] | undefined {
        const { changes, error } = failure;
        const change = error instanceof SaveError ? changes[error.index] : undefined;
        // The later of two who move or colour the same thing counts.
        if (isOnlyLooks(failure)) {
            return keepingMine(failure);
        }

        if (change === undefined) {
            // Later edits have removed the thing.
            return error.code === 'revision_conflict' || error.code === 'asset_missing' || error.status === 404 ? [...changes] : undefined;
        }

        if (error.code === 'asset_missing') {
            // What the service does not take was said already; a file may have been sent meanwhile, also by another tab.
            return hashesIn(changes).some((hash) => this.#editor.uploads.refused.has(hash)) ? [] : this.#tried.has(failure.id) ? undefined : [...changes];
        }

        if (error.status === 404) {
            return change.method === 'remove' ? changes.filter((one) => one !== change) : this.#missing.has(failure.id) && this.#isThere(failure) ? [...changes] : undefined;
        }

        if (error.code === 'coordinates_taken' && change.type === 'pages' && change.method === 'create') {
            const { doc: { pages } } = this.#editor;
            const { data } = change;
            const x = Math.max(...pages.filter(({ y }) => y === data.y).map((page) => page.x), Number(data.x)) + 1;
            return changes.map((one) => (one === change ? { ...change, data: { ...data, x } } : one));
        }

        return undefined;
    }

    #wait(milliseconds: number): void {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#timer = undefined;
            void this.#keepBoth();
        }, milliseconds);
    }

    /** Keeps both of what waits for long. */
    async #keepBoth(): Promise<void> {
        const { saving, typing, gone } = this.#editor;
        // A cursor that is left in the words is no author at it.
        const editing = typing.at + PATIENCE > Date.now() ? typing.id : undefined;
        const due = saving.failures.filter((failure) => failure.at + PATIENCE <= Date.now() && !this.waitsForFile(failure));
        const isAtIt = this.isOpen || (editing !== undefined && due.some(({ changes }) => changes.some((change) => change.method !== 'create' && saving.ids.here('elements', change.base.id) === editing)));
        for (const failure of gone || isAtIt ? [] : due.filter(({ id }) => !this.#busy.has(id))) {
            const { doc, ids } = saving;
            const both = keepingBoth(questionOf(failure), doc, ids, (pageId) => [this.#pages.get(pageId)].find((id) => doc.pages.some((page) => page.id === id)));
            if (both !== undefined) {
                await this.#decide(failure, both.changes, () => this.#tell(failure, both));
            }
        }

        if (saving.failures.length > 0) {
            this.#wait(AGAIN);
        }
    }

    #tell(failure: QueueFailure, { changes, place, givenUp }: BothKept): void {
        const { saving, kept, t, say } = this.#editor;
        const name = this.#nameOf(failure);
        const page = changes.find((change) => change.type === 'pages' && change.method === 'create');
        const was = pageIdOf(failure.changes[0], saving.ids);
        if (page?.method === 'create' && was !== undefined) {
            this.#pages.set(was, page.id);
        }

        givenUp.forEach((piece) => kept.add(piece));
        const made = changes.flatMap((change) => (change.method === 'create' && change.type === 'elements' ? [change.id] : []));
        const text = t(place === 'beside' ? 'editor.both_kept' : place === 'again' ? 'editor.made_again' : place === 'new page' ? 'editor.on_new_page' : 'editor.theirs_stays', { name });
        this.notice = { text, undo: place === undefined ? undefined : () => this.#takeBack(made, page?.method === 'create' ? page.id : undefined) };
        say(text);
    }

    /** Removes what was made without asking. It is in the trash of this browser. */
    #takeBack(made: readonly string[], pageId: string | undefined): void {
        const { saving, kept, t } = this.#editor;
        const items = made.flatMap((id) => itemOf(saving.doc, id) ?? []);
        items.forEach(({ type, attributes, styles }) => kept.add({ type, attributes, styles } satisfies Piece));
        const page = saving.doc.pages.find(({ id, elements }) => id === pageId && elements.length === items.length);
        const removals: Change[] = items.map((item) => ({ type: 'elements', method: 'remove', base: saving.base(item) }));
        saving.edit(removals);
        if (page !== undefined) {
            const { elements: _, ...base } = page;
            saving.edit([{ type: 'pages', method: 'remove', base: saving.base(base) }]);
        }

        this.close();
        this.#editor.say(t('editor.let_go_done'));
    }

    async #decide(failure: QueueFailure, changes: Change[], then: () => unknown = () => undefined): Promise<void> {
        this.#busy.add(failure.id);
        try {
            await this.#editor.saving.resolve(changes, failure);
            then();
        }
        catch (error) {
            // Another tab may have decided.
            console.warn(error);
        }
        finally {
            this.#busy.delete(failure.id);
        }

        this.look();
    }
}
