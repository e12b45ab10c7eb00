import { randomUUID } from 'node:crypto';

import { pauses } from '../concurrency/yielding';
import { MAX_NESTING, MAX_OBJECT_BYTES } from '../../limits';

/** Keys of free-form objects, whose contents no schema checks. */
export const freeKeys: ReadonlySet<string> = new Set(['attributes', 'styles']);

/** JSON text that is stored and answered as it is, such as that of a free-form object. Parse it only if its contents are needed. */
export class JsonText {
    readonly text: string;

    constructor(text: string) {
        this.text = text;
    }

    /** bytes of the text in UTF-8, which is how PostgreSQL stores it */
    get bytes(): number {
        return Buffer.byteLength(this.text);
    }

    /** For JSON.stringify, which could only write it as a text within the text. */
    toJSON(): string {
        fillings.push(this.text);
        return gap;
    }
}

/** JSON text of something that is read when the JSON around it, which `JsonBytes` writes, is complete. */
export class LateJson {
    readonly read: () => string;

    constructor(read: () => string) {
        this.read = read;
    }

    /** As of `JsonText`. */
    toJSON(): string {
        fillings.push(this);
        return gap;
    }
}

export const emptyObject = new JsonText('{}');

/** A free-form object that cannot be stored: its schema refuses it, as that knows its name. */
export class RefusedObject {
    readonly why: 'too deep' | 'too large';

    constructor(why: RefusedObject['why']) {
        this.why = why;
    }
}

/** The text of an object, if that can be stored. */
export const freeObject = (value: object): JsonText | RefusedObject => (nestsWithin(value, MAX_NESTING) ? storable(JSON.stringify(value)) : new RefusedObject('too deep'));

/** The text of a free-form object, unless it is too large. */
export function storable(text: string): JsonText | RefusedObject {
    // A UTF-16 unit takes three bytes at most.
    return text.length * 3 <= MAX_OBJECT_BYTES || Buffer.byteLength(text) <= MAX_OBJECT_BYTES ? new JsonText(text) : new RefusedObject('too large');
}

/** Whether a value nests at most so many levels deep, itself counted as the first if it is an object or a list. */
export function nestsWithin(value: unknown, levels: number): boolean {
    if (typeof value !== 'object' || value === null) {
        return true;
    }

    return levels > 0 && Object.values(value).every((inner) => nestsWithin(inner, levels - 1));
}

/** A placeholder for a text that is put in later. Nobody can have sent it, since it is random. */
const gap = randomUUID();
let fillings: (string | LateJson)[] = [];

/** JSON text of a value, as parts with the values of `JsonText` between them: JSON.stringify writes the parts much faster than our own code could. */
function partsOf(value: object): { parts: string[]; between: (string | LateJson)[] } {
    fillings = [];
    return { parts: JSON.stringify(value).split(`"${gap}"`), between: fillings };
}

const textOf = (filling: string | LateJson | undefined): string => (filling instanceof LateJson ? filling.read() : String(filling));

/** JSON text of a value in which there may be `JsonText`. */
export function jsonOf(value: object): string {
    const { parts, between } = partsOf(value);
    return parts.reduce((text, part, index) => text + textOf(between[index - 1]) + part);
}

/** Characters of text that are collected before they are encoded as bytes. */
const ENOUGH = 64 * 1024;

/** JSON in UTF-8, written value by value between other requests. */
export class JsonBytes {
    readonly #pause = pauses();
    readonly #chunks: (Buffer | LateJson)[] = [];
    /** text that is not encoded yet */
    #text = '';
    #length = 0;

    /** @param before text to begin with */
    constructor(before = '') {
        this.#push(before);
    }

    /** bytes so far */
    get length(): number {
        return this.#length;
    }

    /**
     * Writes a value after some text.
     * @param most bytes in all, beyond which the value and the text are left out
     * @returns whether they fitted
     */
    async add(value: object, before = '', most = Infinity): Promise<boolean> {
        const [chunks, text, length] = [this.#chunks.length, this.#text, this.#length];
        const { parts, between } = partsOf(value);
        this.#push(before);
        for (const [index, part] of parts.entries()) {
            this.#push(part);
            this.#fill(between[index] ?? '');
            if (this.#length > most) {
                this.#chunks.length = chunks;
                this.#text = text;
                this.#length = length;
                return false;
            }

            if (this.#text.length > ENOUGH) {
                this.#encode();
                await this.#pause();
            }
        }

        return true;
    }

    /** All of it, with some text after it. */
    end(after = ''): Buffer {
        this.#text += after;
        this.#encode();
        return Buffer.concat(this.#chunks.map((chunk) => (chunk instanceof LateJson ? Buffer.from(textOf(chunk)) : chunk)));
    }

    #encode(): void {
        this.#chunks.push(Buffer.from(this.#text));
        this.#text = '';
    }

    #fill(text: string | LateJson): void {
        if (text instanceof LateJson) {
            this.#encode();
            this.#chunks.push(text);
        }
        else {
            this.#push(text);
        }
    }

    #push(text: string): void {
        this.#text += text;
        this.#length += Buffer.byteLength(text);
    }
}

/** A JSON array in UTF-8 of values in which there may be `JsonText`, with some text before and after it. */
export async function jsonArray(values: readonly object[], before = '', after = ''): Promise<Buffer> {
    const bytes = new JsonBytes(`${before}[`);
    for (const [index, value] of values.entries()) {
        await bytes.add(value, index === 0 ? '' : ',');
    }

    return bytes.end(`]${after}`);
}
