import assert from 'node:assert/strict';

import type Joi from 'joi';

import { invalid, isFault } from '../errors/errors';
import type { Detail } from '../errors/errors';
import type { Path } from '../json/splitter';

/** Errors that are listed in a response; its message counts the others. */
const MOST_LISTED = 100;

/** Errors after which nobody looks for more. */
const MOST = 1000;

/** A JSON Pointer (RFC 6901). */
const pointerOf = (path: Path): string => path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** What is wrong with a file of an import, collected so that all of it can be told together. */
export class Faults {
    readonly #file: string;
    readonly #details: Detail[] = [];
    #count = 0;

    /** @param file its name in the zip */
    constructor(file: string) {
        this.#file = file;
    }

    /** Notes what is wrong at a place. @throws 400 if there are too many errors to look for more */
    add(path: Path, message: string): void {
        const pointer = pointerOf(path).toWellFormed().slice(0, 300);
        if (++this.#count <= MOST_LISTED) {
            this.#details.push({ path: `${this.#file}#${pointer}`, message: `${this.#file}${pointer === '' ? '' : ` at ${pointer}`}: ${message.toWellFormed().slice(0, 300)}` });
        }

        if (this.#count === MOST) {
            this.report();
        }
    }

    /** Notes what Joi found in the value at a place. */
    addValidation(path: Path, error: Joi.ValidationError): void {
        for (const detail of error.details) {
            this.add([...path, ...detail.path], detail.message);
        }
    }

    /** Notes why the value at a place cannot be read */
    addUnreadable(path: Path, error: unknown): void {
        assert(isFault(error), String(error));
        for (const { path: inner, message } of error.data.details ?? [{ path: '', message: error.message }]) {
            this.add([...path, ...inner === '' ? [] : inner.split('.')], message);
        }
    }

    /** @throws 400 with all errors, if there are any */
    report(): void {
        if (this.#count > 0) {
            throw invalid(this.#details, this.#count);
        }
    }
}
