/** What an author knows about an element: everything that a reader must see. */
export interface ElementModel {
    id: string;
    type: string;
    attributes: object;
    styles: object;
    revision: number;
}

export interface PageModel {
    id: string;
    x: number;
    y: number;
    styles: object;
    /** the highest revision in any response: changes inside raise it */
    revision: number;
    elements: Map<string, ElementModel>;
}

export interface ProjectModel {
    id: string;
    title: string;
    description: string;
    remixedFrom: string | null;
    /** the highest revision in any response */
    revision: number;
    pages: Map<string, PageModel>;
}

/* The representations of the API, as far as they are looked at. */

export interface ElementShown {
    id: string;
    type: string;
    element_type?: string;
    attributes: object;
    styles: object;
    revision: number;
}

export interface PageShown {
    id: string;
    x: number;
    y: number;
    styles: object;
    revision: number;
    elements: ElementShown[];
}

export interface ProjectShown {
    id: string;
    user_id: string;
    title: string;
    description: string;
    remixed_from: string | null;
    revision: number;
}

export const elementModel = ({ id, type, element_type: own, attributes, styles, revision }: ElementShown): ElementModel => {
    return { id, type: own ?? type, attributes, styles, revision };
};

export const pageModel = ({ id, x, y, styles, revision, elements }: PageShown): PageModel => {
    return { id, x, y, styles, revision, elements: new Map(elements.map((element) => [element.id, elementModel(element)])) };
};

export const projectModel = ({ id, title, description, remixed_from: remixedFrom, revision }: ProjectShown, pages: PageShown[]): ProjectModel => {
    return { id, title, description, remixedFrom, revision, pages: new Map(pages.map((page) => [page.id, pageModel(page)])) };
};

/** The differences between a project that was read and what its author knows; empty if there are none. */
export function differences(known: ProjectModel, shown: ProjectModel): string[] {
    const found: string[] = [];
    const where = `project ${known.id}`;
    for (const field of ['title', 'description', 'remixedFrom'] as const) {
        if (known[field] !== shown[field]) {
            found.push(`${where}: its ${field} is ${JSON.stringify(shown[field])}, acknowledged was ${JSON.stringify(known[field])}`);
        }
    }

    if (shown.revision < known.revision) {
        found.push(`${where}: its revision went back from ${known.revision} to ${shown.revision}`);
    }

    found.push(...differentKeys(`${where}: page`, known.pages, shown.pages));
    for (const [id, page] of known.pages) {
        const there = shown.pages.get(id);
        if (there !== undefined) {
            found.push(...pageDifferences(`${where}, page ${id}`, page, there));
        }
    }

    return found;
}

function pageDifferences(where: string, known: PageModel, shown: PageModel): string[] {
    const found = differentKeys(`${where}: element`, known.elements, shown.elements);
    const place = ({ x, y, styles }: PageModel): string => JSON.stringify([x, y, styles]);
    if (place(known) !== place(shown)) {
        found.push(`${where}: it is ${place(shown)}, acknowledged was ${place(known)}`);
    }

    if (shown.revision < known.revision) {
        found.push(`${where}: its revision went back from ${known.revision} to ${shown.revision}`);
    }

    for (const [id, element] of known.elements) {
        const there = shown.elements.get(id);
        if (there !== undefined && JSON.stringify(there) !== JSON.stringify(element)) {
            found.push(`${where}, element ${id}: it is ${JSON.stringify(there)}, acknowledged was ${JSON.stringify(element)}`);
        }
    }

    return found;
}

function differentKeys(what: string, known: ReadonlyMap<string, unknown>, shown: ReadonlyMap<string, unknown>): string[] {
    return [
        ...[...known.keys()].filter((id) => !shown.has(id)).map((id) => `${what} ${id} is lost`),
        ...[...shown.keys()].filter((id) => !known.has(id)).map((id) => `${what} ${id} is there, though nobody made it or it was deleted`)
    ];
}
