import assert from 'node:assert/strict';

import type Joi from 'joi';

import { invalid, isFault } from '../../api/errors/errors';
import type { Detail } from '../../api/errors/errors';
import type { Path } from '../../api/json/splitter';

/** Maximum number of errors that a response lists; its message counts the others. */
const MAX_LISTED = 100;

/** Number of errors after which the check stops. */
const MOST = 1000;

/** A JSON Pointer (RFC 6901). */
const pointerOf = (path: Path): string => path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The errors in a file of an import, collected so that all of them can be reported together. */
export class Faults {
    readonly #file: string;
    readonly #details: Detail[] = [];
    #count = 0;

    /** @param file its name in the zip */
    constructor(file: string) {
        this.#file = file;
    }

    /** Adds an error at a place. @throws 400 if there are so many that the check stops */
    add(path: Path, message: string): void {
        const pointer = pointerOf(path).toWellFormed().slice(0, 300);
        if (++this.#count <= MAX_LISTED) {
            this.#details.push({ path: `${this.#file}#${pointer}`, message: `${this.#file}${pointer === '' ? '' : ` at ${pointer}`}: ${message.toWellFormed().slice(0, 300)}` });
        }

        if (this.#count === MOST) {
            this.report();
        }
    }

    /** Adds the errors that Joi found in the value at a place. */
    addValidation(path: Path, error: Joi.ValidationError): void {
        for (const detail of error.details) {
            this.add([...path, ...detail.path], detail.message);
        }
    }

    /** Adds why the value at a place cannot be read. */
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
