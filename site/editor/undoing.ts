import type { Client, HistoryEntry } from '../../client/src/index.js';
import type { Saving } from './saving.js';

/** A change that was undone, and the one that took it back, by revision. */
interface Undone {
    revision: number;
    by: number;
}

const authored = new Set<HistoryEntry['kind']>(['edit', 'bulk', 'restore', 'pull']);

/** Changes of a history that are looked through for one's own. */
const MOST = 100;

/** Undo and redo by the project's history: each is a new change, which the history has too, and which takes back only one's own. */
export class Undoing {
    readonly #client: Client;
    readonly #saving: Saving;
    readonly #key: string;
    #busy = false;

    constructor(client: Client, saving: Saving) {
        this.#client = client;
        this.#saving = saving;
        this.#key = `pagewright undone ${saving.doc.project.id}`;
    }

    /** What was undone, newest last, and what was redone: the change that brought a change back, by its revision. Both stay when the page is loaded again. */
    #read(): { undone: Undone[]; redone: [number, number][] } {
        return JSON.parse(sessionStorage.getItem(this.#key) ?? '{"undone":[],"redone":[]}');
    }

    #write(state: { undone: Undone[]; redone: [number, number][] }): void {
        sessionStorage.setItem(this.#key, JSON.stringify(state));
    }

    async #once(work: () => Promise<boolean>): Promise<boolean> {
        if (this.#busy) {
            return true;
        }

        this.#busy = true;
        try {
            if (!await this.#saving.settled()) {
                throw new TypeError('Failed to fetch: what was done last is not saved yet');
            }

            return await work();
        }
        finally {
            this.#busy = false;
        }
    }

    async #takeBack(revision: number): Promise<number | undefined> {
        const { change } = await this.#client.history.undo(this.#saving.doc.project, revision);
        await this.#saving.refresh();
        return change?.revision;
    }

    /** One's own latest changes, newest first. */
    async #own(): Promise<HistoryEntry[]> {
        const found: HistoryEntry[] = [];
        let read = 0;
        for await (const change of this.#client.history.list(this.#saving.doc.project, { count: MOST })) {
            if (authored.has(change.kind) && change.author?.id === this.#client.session?.user.id) {
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
        return this.#once(async () => {
            const { undone, redone } = this.#read();
            const last = (await this.#own()).find(({ revision }) => !undone.some((one) => one.revision === revision));
            if (last === undefined) {
                return false;
            }

            const by = await this.#takeBack(new Map(redone).get(last.revision) ?? last.revision);
            this.#write({ undone: [...undone, { revision: last.revision, by: by ?? 0 }], redone });
            return true;
        });
    }

    /** @returns whether there was something to redo. An edit after an undo ends what can be redone. */
    redo(): Promise<boolean> {
        return this.#once(async () => {
            const { undone, redone } = this.#read();
            const last = undone.at(-1);
            const [newest] = await this.#own();
            if (last === undefined || last.by === 0 || (newest !== undefined && newest.revision > last.by)) {
                return false;
            }

            const by = await this.#takeBack(last.by);
            this.#write({ undone: undone.slice(0, -1), redone: [...redone.filter(([revision]) => revision !== last.revision), ...by === undefined ? [] : [[last.revision, by] satisfies [number, number]]] });
            return true;
        });
    }
}
