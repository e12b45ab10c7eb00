import { expect } from '@hapi/code';

import type { Author } from './authoring';

/** A project as it reads now: its own fields, and its pages with their elements. */
export async function shown(author: Author, url: string): Promise<{ revision: number; project: object; pages: Page[] }> {
    const { body: { project } } = await author.call('GET', url);
    const { body: { pages } } = await author.call('GET', `${url}/pages`);
    return { revision: project.revision, project, pages };
}

interface Page extends Thing {
    styles: object;
    elements: { id: string; attributes: object }[];
}

interface Thing {
    id: string;
}

const byId = (a: Thing, b: Thing): number => Number(a.id) - Number(b.id);

/** A copy of a project that is kept from GET …/changes alone. */
export class Mirror {
    readonly #author: Author;
    readonly #url: string;
    #revision = 0;
    #project: object = {};
    readonly #pages = new Map<string, Thing>();
    readonly #elements = new Map<string, Thing & { page_id: string }>();

    constructor(author: Author, url: string) {
        this.#author = author;
        this.#url = url;
    }

    async update(): Promise<void> {
        const { status, text, body } = await this.#author.call('GET', `${this.#url}/changes?since=${this.#revision}`);
        expect(status, text).to.equal(200);
        expect(body.project === null).to.equal(body.revision === this.#revision);
        this.#revision = body.revision;
        this.#project = body.project ?? this.#project;
        body.removed.pages.forEach((id: string) => this.#pages.delete(id));
        body.removed.elements.forEach((id: string) => this.#elements.delete(id));
        body.pages.forEach((page: Thing) => this.#pages.set(page.id, page));
        body.elements.forEach((element: Thing & { page_id: string }) => this.#elements.set(element.id, element));
    }

    /** As `shown` shows it. */
    contents(): { revision: number; project: object; pages: object[] } {
        const elements = [...this.#elements.values()].sort(byId);
        for (const { page_id } of elements) {
            expect(this.#pages.has(page_id)).to.be.true();
        }

        return {
            revision: this.#revision, project: this.#project,
            pages: [...this.#pages.values()].sort(byId).map((page) => ({ ...page, elements: elements.filter(({ page_id }) => page_id === page.id) }))
        };
    }
}
