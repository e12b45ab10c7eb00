import type { Client } from '../../client/src/index.js';
import { fieldOf, isObject } from '../../src/api/json/is-object';
import { copyOf, dropCopies, keepCopies } from '../offline/copies.js';
import type { Doc, Ids } from './document.js';

/** Milliseconds after a change until it is kept. */
const PAUSE = 500;

/**
 * Keeps copies of the project on this device as it is after edits, in the words of the API: so the editor and the player open it without a network
 * by what they would ask the service. The editor gets the state of the service, on which it puts the edits that wait; the player what was on the screen.
 */
export class KeptProject {
    readonly #client: Client;
    readonly #ids: Ids;
    #known: { doc: Doc; revision: number } | undefined;
    #shown: Doc;
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(client: Client, ids: Ids, doc: Doc, revision: number) {
        this.#client = client;
        this.#ids = ids;
        this.#shown = doc;
        // What was read has a copy already, and none of its pages as the player asks for them.
        this.know(doc, revision, doc);
    }

    /** The state of the service, and what is on the screen. */
    know(doc: Doc, revision: number, shown: Doc): void {
        this.#known = { doc, revision };
        this.show(shown);
    }

    show(doc: Doc): void {
        this.#shown = doc;
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            void this.#keep().catch(() => undefined);
        }, PAUSE);
    }

    drop(): void {
        clearTimeout(this.#timer);
        this.#known = undefined;
        void dropCopies(this.#client.session, this.#shown.project.id).catch(() => undefined);
    }

    async #keep(): Promise<void> {
        if (this.#known === undefined) {
            return;
        }

        const { doc, revision } = this.#known;
        const { project: { id, user_id: user } } = doc;
        const { there } = this.#ids;
        const [one, all] = [`/projects/${id}`, `/users/${user}/projects/${id}`];
        const before = fieldOf(await copyOf(this.#client.session, one), 'project');
        const pages = doc.pages.map(({ elements: _, ...page }) => ({ ...page, id: there(page.id) }));
        const elements = doc.pages.flatMap((page) => page.elements.map((item) => ({ ...item, id: there(item.id), page_id: there(page.id) })));
        await keepCopies(() => this.#client.session, id, {
            // How often it was looked at is in what was read alone.
            ...isObject(before) && { [one]: { status: 'success', project: { ...before, ...this.#shown.project } } },
            [`${all}/changes?since=0`]: { status: 'success', since: 0, revision, project: doc.project, pages, elements, removed: { pages: [], elements: [] } },
            [`${all}/pages`]: { status: 'success', pages: this.#shown.pages.map((page) => ({ ...page, id: there(page.id), elements: page.elements.map((item) => ({ ...item, id: there(item.id) })) })) }
        });
    }
}
