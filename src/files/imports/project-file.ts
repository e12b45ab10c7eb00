import assert from 'node:assert/strict';

import Joi from 'joi';

import { fileElement, fileHead, filePage } from '../format/schema';
import { fault, isFault } from '../../api/errors/errors';
import { firstLook, validationOptions } from '../../api/request/validation-errors';
import { withFewBlanks } from '../../api/json/blanks';
import { readJson } from '../../api/json/parse';
import { splitJson } from '../../api/json/split';
import type { Path, SplitValue } from '../../api/json/splitter';
import { NotJson } from '../../api/json/tokens';
import { MAX_BODY_BYTES, MAX_ELEMENTS, MAX_PAGES } from '../../limits';
import type { ElementFields } from '../../api/representations/element';
import type { PageFields } from '../../api/representations/page';
import type { ProjectFields } from '../../api/representations/project';
import type { ZippedFile } from '../zip/read-zip';
import type { Faults } from './faults';

/** The project's own fields in a file. */
export interface FileProject extends ProjectFields {
    id?: string;
}

/** A page in a file, without its elements. */
export interface FilePage extends Partial<PageFields> {
    id?: string;
    x: number;
    y: number;
}

/** An element in a file. */
export type FileElement = Partial<ElementFields> & Pick<ElementFields, 'type'>;

/** A part of a file. The project comes last, and a page after its elements. */
export type Part =
    | { kind: 'elements'; page: number; first: number; elements: FileElement[] }
    | { kind: 'page'; page: number; fields: FilePage }
    | { kind: 'project'; project: FileProject };

/** Number of elements, and roughly their bytes, that are parsed and validated together, because each call costs time. */
const BATCH = { elements: 100, bytes: 256 * 1024 };

/** The lists of pages and of elements, and each page, are split: together they may be larger than memory. */
function splits({ length, 0: list, 2: inner }: Path, isArray: boolean): boolean {
    switch (length) {
        case 0:
        case 2:
            return !isArray;
        default:
            return isArray && (length === 1 ? list === 'pages' : inner === 'elements');
    }
}

const elementLists: Joi.ArraySchema<FileElement[]> = Joi.array().items(fileElement);

/**
 * Reads `project.json` part by part, so that its size does not matter.
 * @param faults gets the errors of a part, which is then left out
 * @param only returns this kind of parts, and does not parse the others; without it, all are returned, and a text that is mostly blanks is rejected
 * @throws BadZip, 400 if it is not JSON, 409 if there are too many pages, or elements of a page
 */
export function readParts(file: ZippedFile, faults: Faults, only: 'page'): AsyncGenerator<Extract<Part, { kind: 'page' }>>;
export function readParts(file: ZippedFile, faults: Faults, only: 'elements'): AsyncGenerator<Extract<Part, { kind: 'elements' }>>;
export function readParts(file: ZippedFile, faults: Faults): AsyncGenerator<Part>;
export async function* readParts(file: ZippedFile, faults: Faults, only?: Part['kind']): AsyncGenerator<Part> {
    const reader = new PartReader(faults, only);
    try {
        for await (const value of splitJson(only === undefined ? withFewBlanks(file.read()) : file.read(), { splits, most: MAX_BODY_BYTES })) {
            yield* reader.take(value);
        }
    }
    catch (error) {
        if (error instanceof NotJson) {
            faults.add([], `cannot be read as JSON: ${error.reason ?? 'malformed'} at byte ${error.position}`);
            faults.report();
        }

        throw error;
    }
}

class PartReader {
    readonly #faults: Faults;
    readonly #only: Part['kind'] | undefined;
    /** consecutive elements of a page that were not parsed yet */
    #texts: Buffer[] = [];
    #bytes = 0;
    #page = 0;
    #next = 0;

    constructor(faults: Faults, only: Part['kind'] | undefined) {
        this.#faults = faults;
        this.#only = only;
    }

    async* take({ path, bytes }: SplitValue): AsyncGenerator<Part> {
        const [, page, , element] = path.map(Number);
        if (page === undefined) {
            yield* this.#project(bytes);
        }
        else if (element === undefined) {
            yield* this.#elements();
            yield* this.#ownFields(page, path, bytes);
        }
        else {
            if (element >= MAX_ELEMENTS) {
                throw fault('element_limit');
            }

            if (this.#texts.length === BATCH.elements || this.#bytes + bytes.length > BATCH.bytes) {
                yield* this.#elements();
            }

            this.#page = page;
            this.#next = element + 1;
            this.#bytes += bytes.length;
            this.#texts.push(bytes);
        }
    }

    #wants(kind: Part['kind']): boolean {
        return this.#only === undefined || this.#only === kind;
    }

    /** Parses the elements that were collected. */
    async* #elements(): AsyncGenerator<Part> {
        const [texts, page, first] = [this.#texts, this.#page, this.#next - this.#texts.length];
        this.#texts = [];
        this.#bytes = 0;
        if (texts.length === 0 || !this.#wants('elements')) {
            return;
        }

        const together = await valueOf(Buffer.concat(texts.flatMap((text, index) => [index === 0 ? OPEN : COMMA, text]).concat(CLOSE)));
        const { value: elements, error } = elementLists.validate(together, firstLook);
        if (error === undefined && elements !== undefined) {
            yield { kind: 'elements', page, first, elements };
            return;
        }

        for (const [index, text] of texts.entries()) {
            await this.#validated(fileElement, ['pages', page, 'elements', first + index], text);
        }
    }

    async* #ownFields(page: number, path: Path, bytes: Buffer): AsyncGenerator<Part> {
        if (page >= MAX_PAGES) {
            throw fault('page_limit');
        }

        const fields = this.#wants('page') ? await this.#validated(filePage, path, bytes) : undefined;
        if (fields !== undefined) {
            yield { kind: 'page', page, fields };
        }
    }

    async* #project(bytes: Buffer): AsyncGenerator<Part> {
        const head = this.#wants('project') ? await this.#validated(fileHead, [], bytes) : undefined;
        if (head !== undefined) {
            yield { kind: 'project', project: head.project };
        }
    }

    /** The value of a text by its schema; undefined if it is not valid. */
    async #validated<Value>(schema: Joi.Schema<Value>, path: Path, bytes: Buffer): Promise<Value | undefined> {
        let read: unknown;
        try {
            read = await readJson(bytes, 'It');
        }
        catch (error) {
            this.#faults.addUnreadable(path, error);
            return undefined;
        }

        const { value, error } = schema.validate(read, validationOptions);
        if (error === undefined) {
            return value;
        }

        this.#faults.addValidation(path, error);
        return undefined;
    }
}

const [OPEN, COMMA, CLOSE] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

/** The value of a text; undefined if it cannot be read. */
const valueOf = (bytes: Buffer): Promise<unknown> => readJson(bytes).catch((error: unknown) => {
    assert(isFault(error), String(error));
    return undefined;
});
