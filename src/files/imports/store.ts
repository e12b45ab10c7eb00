import { defined } from '../../api/errors/defined';
import type { ZippedFile } from '../zip/read-zip';
import { emptyObject } from '../../api/json/json-text';
import type { Database } from '../../database/statements/connection';
import { notFound } from '../../api/errors/errors';
import type { ChangeAuthor } from '../../rules/access';
import type { CheckedFile } from './check';
import { Faults } from './faults';
import { readParts } from './project-file';
import { beginProject, importedProject, insertPlacedElements, insertPlacedPages } from './queries';
import type { Copy, PlacedElement, PlacedPage } from './queries';

/** Number of rows that are sent in one statement, and roughly their bytes. */
const MAX_ROWS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Rows that wait until there are enough for a statement. */
class Rows<Row> {
    readonly #insert: (rows: readonly Row[]) => Promise<void>;
    #rows: Row[] = [];
    #bytes = 0;

    constructor(insert: (rows: readonly Row[]) => Promise<void>) {
        this.#insert = insert;
    }

    async add(row: Row, bytes: number): Promise<void> {
        this.#rows.push(row);
        this.#bytes += bytes;
        if (this.#rows.length === MAX_ROWS || this.#bytes > MAX_BYTES) {
            await this.flush();
        }
    }

    async flush(): Promise<void> {
        if (this.#rows.length > 0) {
            await this.#insert(this.#rows);
            this.#rows = [];
            this.#bytes = 0;
        }
    }
}

/** The target of an import. */
export interface ImportTarget {
    owner: ChangeAuthor;
    version: string;
}

/**
 * Creates a project from a file that was checked. The file is read again, once for its pages and once for their elements, so that neither has to be in memory.
 * Needs a transaction.
 * @throws 404 if the user does not exist, 409 if something is too large, because links may become longer
 */
export async function storeFile(db: Database, file: ZippedFile, { project, pages }: CheckedFile, { owner, version }: ImportTarget): Promise<{ id: string; json: string }> {
    const { id: source, ...fields } = project;
    const begun = await beginProject(db, { owner, version, pages: pages.length, elements: pages.reduce((sum, { elements }) => sum + elements, 0), fields });
    if (begun === undefined) {
        throw notFound('user');
    }

    const { id, pageIds } = begun;
    const idOf = (page: number): string => defined(pageIds[page]);
    const newPages = new Rows<PlacedPage>((rows) => insertPlacedPages(db, id, rows));
    for await (const { page, fields: { id: _id, ...placed } } of readParts(file, new Faults(file.name), 'page')) {
        await newPages.add({ id: idOf(page), fields: placed }, (placed.styles ?? emptyObject).bytes);
    }

    await newPages.flush();
    const copies = pages.flatMap((page, index) => (page.id === undefined ? [] : [[page.id, idOf(index)]]));
    const copy: Copy = { id, userId: owner.id, source, pages: JSON.stringify(Object.fromEntries(copies)) };
    const newElements = new Rows<PlacedElement>((rows) => insertPlacedElements(db, copy, rows));
    for await (const { page, elements } of readParts(file, new Faults(file.name), 'elements')) {
        for (const element of elements) {
            await newElements.add({ pageId: idOf(page), fields: element }, (element.attributes ?? emptyObject).bytes + (element.styles ?? emptyObject).bytes);
        }
    }

    await newElements.flush();
    return { id, json: await importedProject(db, id) };
}
