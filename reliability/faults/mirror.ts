import type { Dice } from '../../test/support/dice';
import type { Sender } from './sender';

interface Thing {
    id: string;
}

const byId = (a: Thing, b: Thing): number => Number(a.id) - Number(b.id);

/** A copy of a project that is kept from GET …/changes alone. Begun with one read, it is the project as one statement reads it. */
export class Mirror {
    revision = 0;
    readonly #load: Sender;
    readonly #path: string;
    #project: object = {};
    readonly #pages = new Map<string, Thing>();
    readonly #elements = new Map<string, Thing & { page_id: string }>();

    constructor(load: Sender, path: string) {
        this.#load = load;
        this.#path = path;
    }

    /** Brings it up to date. Returns false if the project is gone. */
    async update(dice: Dice): Promise<boolean> {
        const { status, body } = await this.#load.read(`${this.#path}/changes?since=${this.revision}`, dice);
        if (status !== 200) {
            if (status !== 404) {
                this.#load.journal.find(`${this.#path}/changes?since=${this.revision} got ${status}: ${JSON.stringify(body).slice(0, 300)}`);
            }

            return false;
        }

        this.revision = body.revision;
        this.#project = body.project ?? this.#project;
        body.removed.pages.forEach((id: string) => this.#pages.delete(id));
        body.removed.elements.forEach((id: string) => this.#elements.delete(id));
        body.pages.forEach((page: Thing) => this.#pages.set(page.id, page));
        body.elements.forEach((element: Thing & { page_id: string }) => this.#elements.set(element.id, element));
        return true;
    }

    /** As a point of the history shows it. */
    contents(): { revision: number; project: object; pages: object[] } {
        const elements = [...this.#elements.values()].sort(byId);
        return {
            revision: this.revision, project: this.#project,
            pages: [...this.#pages.values()].sort(byId).map((page) => ({ ...page, elements: elements.filter(({ page_id: id }) => id === page.id) }))
        };
    }
}
