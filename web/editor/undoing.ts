import type { Change, Client, HistoryEntry } from '../../client/src/index.js';
import { newId } from './document.js';
import type { Doc } from './document.js';
import { inverseOf } from './inverse.js';
import type { Saving } from './saving.js';
import { Steps } from './steps.js';
import { UndoState } from './undo-state.js';
import type { Mark, Undone } from './undo-state.js';

/** Changes that take back a save, or bring it back. */
interface Local {
    changes: Change[];
    step: string;
}

const authored = new Set<HistoryEntry['kind']>(['edit', 'bulk', 'restore', 'pull']);

/** Changes of a history that are looked through for one's own. */
const MOST = 100;

/** Saves that can be taken back without a connection. */
const MAX_LOCAL = 200;

/**
 * Undo and redo by the project's history: each is a new change, which the history has too, and which takes back only one's own. Without a connection, by
 * a save that does the contrary; once it is sent, the history is told apart by the order of what was done.
 */
export class Undoing {
    readonly #client: Client;
    readonly #saving: Saving;
    readonly #state: UndoState;
    /** the undo or redo that is under way: the next one waits for it */
    #last: Promise<unknown> = Promise.resolve();
    /** how what waits is taken back and brought back, newest last */
    #local: { back: Local[]; again: Local[] } = { back: [], again: [] };
    /** the steps of what was done here, and of what the service has */
    readonly #steps = { here: new Steps(), stored: new Steps() };
    /** the step that is taken back or brought back */
    #step = '';
    /** ids of what was made anew, by the ids that it had */
    readonly #renewed = { pages: new Map<string, string>(), elements: new Map<string, string>() };
    #mark: Mark = 'edit';
    /** how many edits were made here: what is made after an undo was asked for is none of it */
    #made = 0;

    constructor(client: Client, saving: Saving) {
        this.#client = client;
        this.#saving = saving;
        this.#state = new UndoState(saving.doc.project.id);
        saving.onSave = (changes, before) => this.#remember(changes, before);
        saving.onStored = (changes, at) => this.#state.write({ ...this.#state.read(), steps: [...this.#state.read().steps, [at, this.#steps.stored.next(changes, saving.ids.there)] satisfies [string, string]].slice(-MOST) });
        // The history has fewer changes than were made here: all of them count as edits.
        saving.onJoined = () => this.#state.write({ ...this.#state.read(), marks: [] });
        saving.subscribe(() => {
            // What waits for a decision is given up otherwise.
            if (saving.state === 'saved' || saving.state === 'failed') {
                this.#local = { back: [], again: [] };
                const state = this.#state.read();
                // Only edits: the history knows them as they are.
                if (state.marks.length > 0 && state.marks.every((mark) => mark === 'edit')) {
                    this.#state.write({ ...state, marks: [] });
                }
            }
        });
    }

    #remember(changes: readonly Change[], before: Doc): void {
        const mark = this.#mark;
        this.#made += mark === 'edit' ? 1 : 0;
        const inverse = inverseOf(changes, before, this.#saving.doc, this.#saving.ids, (kind, id) => {
            const made = newId(kind);
            this.#renewed[kind].set(id, made);
            return made;
        });
        const { back, again } = this.#local;
        const local = { changes: inverse, step: mark === 'edit' ? this.#steps.here.next(changes, this.#saving.ids.there) : this.#step };
        this.#local = mark === 'undo' ? { back, again: [...again, local] } : { back: [...back, local].slice(-MAX_LOCAL), again: mark === 'edit' ? [] : again };
        const state = this.#state.read();
        this.#state.write({ ...state, marks: [...state.marks, mark].slice(-MOST) });
    }

    /** Takes back, or brings back, the newest of what waits. @param made how many edits had been made when that was asked for */
    #here(mark: 'undo' | 'redo', made: number): boolean {
        const newest = (): Local | undefined => this.#local[mark === 'undo' ? 'back' : 'again'].at(-1);
        const step = made === this.#made ? newest()?.step : undefined;
        if (step === undefined) {
            throw new TypeError('Failed to fetch: what was done last is not saved yet');
        }

        [this.#mark, this.#step] = [mark, step];
        for (let local = newest(); local?.step === step; local = newest()) {
            const { back, again } = this.#local;
            this.#local = mark === 'undo' ? { back: back.slice(0, -1), again } : { back, again: again.slice(0, -1) };
            this.#saving.edit(local.changes.map((change) => this.#onRenewed(change)));
        }

        this.#mark = 'edit';
        return true;
    }

    /** A change of something that was removed and made anew since, made of what it is now. */
    #onRenewed(change: Change): Change {
        const { ids, doc } = this.#saving;
        if (change.method === 'create' || change.type === 'projects') {
            return change;
        }

        const renewed = this.#renewed[change.type];
        let id = ids.here(change.type, change.base.id);
        const isThere = (): boolean => (change.type === 'pages' ? doc.pages : doc.pages.flatMap(({ elements }) => elements)).some((thing) => thing.id === id);
        for (let made = renewed.get(id); made !== undefined && !isThere(); made = renewed.get(id)) {
            id = made;
        }

        return ids.there(id) === change.base.id ? change : Object.assign({}, change, { base: { ...change.base, id: ids.there(id), revision: 0 } });
    }

    /** Finds in the history what was taken back without a connection. */
    async #reconcile(): Promise<void> {
        const { marks, ...state } = this.#state.read();
        if (marks.length === 0) {
            return;
        }

        const own = (await this.#own()).slice(0, marks.length).reverse();
        const [edits, undone, skipped]: [number[], Undone[], number[]] = [[], [...state.undone], [...state.skipped]];
        const redone = new Map(state.redone);
        for (const [index, { revision }] of own.entries()) {
            const mark = marks[marks.length - own.length + index];
            const [edit, last] = [edits.at(-1), undone.at(-1)];
            if (mark === 'undo' && edit !== undefined) {
                edits.pop();
                undone.push({ revision: edit, by: revision });
                skipped.push(revision);
            }
            else if (mark === 'redo' && last !== undefined) {
                undone.pop();
                redone.set(last.revision, revision);
                edits.push(last.revision);
                skipped.push(revision);
            }
            else {
                edits.push(revision);
            }
        }

        this.#state.write({ ...state, undone, redone: [...redone], skipped: skipped.slice(-MOST), marks: [] });
    }

    /** @param work is given whether one's own change is older than the wish */
    #inTurn(mark: 'undo' | 'redo', work: (isOlder: (change: HistoryEntry) => boolean) => Promise<boolean>): Promise<boolean> {
        const made = this.#made;
        // What waited then is not known in the history.
        const [stored] = (this.#local.back.length > 0 ? undefined : this.#state.read().steps.at(-1)) ?? [''];
        const done = this.#last.then(async () => {
            // What waits is taken back at once: until it is stored, something else may be made.
            const isWaiting = this.#local[mark === 'undo' ? 'back' : 'again'].length > 0;
            if ((isWaiting && made === this.#made) || !await this.#saving.settled()) {
                return this.#here(mark, made);
            }

            await this.#reconcile();
            return await work(({ at }) => made === this.#made || at <= stored);
        });
        this.#last = done.catch(() => undefined);
        return done;
    }

    async #takeBack(revision: number): Promise<number | undefined> {
        const { change } = await this.#client.history.undo(this.#saving.doc.project, revision);
        await this.#saving.refresh();
        return change?.revision;
    }

    /** One's own latest changes, newest first. */
    async #own(): Promise<HistoryEntry[]> {
        const found: HistoryEntry[] = [];
        const skipped = new Set(this.#state.read().skipped);
        let read = 0;
        for await (const change of this.#client.history.list(this.#saving.doc.project, { count: MOST })) {
            if (authored.has(change.kind) && !skipped.has(change.revision) && change.author?.id === this.#client.session?.user.id) {
                found.push(change);
            }

            if (++read === MOST) {
                break;
            }
        }

        return found;
    }

    /** @returns whether there was something to undo */
    undo(): Promise<boolean> {
        return this.#inTurn('undo', async (isOlder) => {
            const steps = new Map(this.#state.read().steps);
            const own = (await this.#own()).filter((change) => isOlder(change) && !this.#state.read().undone.some(({ revision }) => revision === change.revision));
            const step = own[0] && steps.get(own[0].at);
            const other = own.findIndex(({ at }) => steps.get(at) !== step);
            // Newest first, until another step begins; what is no step of a text is one by itself.
            for (const { revision } of own.slice(0, step === undefined ? 1 : other < 0 ? own.length : other)) {
                const by = await this.#takeBack(new Map(this.#state.read().redone).get(revision) ?? revision);
                const state = this.#state.read();
                this.#state.write({ ...state, undone: [...state.undone, { revision, by: by ?? 0, step }] });
            }

            return own.length > 0;
        });
    }

    /** @returns whether there was something to redo. An edit after an undo ends what can be redone. */
    redo(): Promise<boolean> {
        return this.#inTurn('redo', async () => {
            const [newest] = await this.#own();
            const next = (): Undone | undefined => [this.#state.read().undone.at(-1)].find((last) => last !== undefined && last.by !== 0 && (newest === undefined || newest.revision <= last.by));
            const first = next();
            for (let last = first; last !== undefined; last = first?.step === undefined || next()?.step !== first.step ? undefined : next()) {
                const by = await this.#takeBack(last.by);
                const { revision } = last;
                const { undone, redone, ...state } = this.#state.read();
                this.#state.write({ ...state, undone: undone.slice(0, -1), redone: [...redone.filter(([one]) => one !== revision), ...by === undefined ? [] : [[revision, by] satisfies [number, number]]] });
            }

            return first !== undefined;
        });
    }
}
