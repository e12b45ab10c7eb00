import { randomUUID } from 'node:crypto';

import Bourne from '@hapi/bourne';

import { fault, invalid } from '../errors/errors';
import { freeKeys, freeObject } from './json-text';
import { pauses } from '../concurrency/yielding';
import { textFaults } from './unstorable-text';
import { holdsMoreThan } from './count-values';

/** Maximum number of values outside of free-form objects: several times a full bulk. Joi would take many seconds to list the errors of a million. */
const MOST_VALUES = 50_000;

/** Bodies of at least this many bytes are parsed in pieces. */
const LARGE = 256 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a request body. In a large one, the free-form objects, which are nearly all of it, become `JsonText`: they are parsed one by one,
 * with other requests in between (docs/decisions/bodies-in-pieces.md).
 * @throws 400 if it is not JSON in UTF-8, or has text or numbers that PostgreSQL cannot store
 */
export async function readJson(bytes: Buffer): Promise<unknown> {
    if (bytes.length < LARGE) {
        return readWhole(bytes);
    }

    try {
        return await readInPieces(bytes);
    }
    catch {
        // Parse it again as a whole: only then does the error name the right place.
        return readWhole(bytes);
    }
}

function readWhole(bytes: Buffer): unknown {
    const text = decode(bytes);
    return checked(text, parse(text));
}

async function readInPieces(bytes: Buffer): Promise<unknown> {
    const pause = pauses();
    const pieces = new Map<unknown, object>();
    const around: Uint8Array[] = [];
    // A random name, so that no client can have sent it.
    const secret = randomUUID();
    let from = 0;
    for (const { start, end } of freeObjectsIn(bytes)) {
        const text = decode(bytes.subarray(start, end));
        await pause();
        const value = Object(parse(text));
        await pause();
        throwFaults(text, value);
        await pause();
        const made = freeObject(value);
        const name = `${secret} ${pieces.size}`;
        // An object that cannot be stored is rejected by its schema, which knows its name.
        pieces.set(name, typeof made === 'string' ? value : made);
        around.push(bytes.subarray(from, start), Buffer.from(JSON.stringify(name)));
        from = end;
        await pause();
    }

    const text = decode(Buffer.concat([...around, bytes.subarray(from)]));
    return putBack(checked(text, parse(text)), pieces);
}

/** Checks that a value has not too many values for validation, and can be stored. @throws 400 */
function checked(text: string, value: unknown): unknown {
    // A value takes two characters at least.
    if (text.length > 2 * MOST_VALUES && holdsMoreThan(MOST_VALUES, value)) {
        throw invalid([{ path: '', message: `the body has more than ${MOST_VALUES} values outside of "attributes" and "styles"` }]);
    }

    throwFaults(text, value);
    return value;
}

function throwFaults(text: string, value: unknown): void {
    const faults = textFaults(text, value);
    if (faults.length > 0) {
        throw invalid(faults);
    }
}

/**
 * Puts the parsed pieces where their names are.
 * @throws Error if a free-form object was overlooked because its key is written with escapes; the body is then parsed as a whole
 */
function putBack(value: unknown, pieces: ReadonlyMap<unknown, object>): unknown {
    const stack = [value];
    for (let outer = stack.pop(); outer !== undefined; outer = stack.pop()) {
        if (typeof outer === 'object' && outer !== null) {
            for (const [key, inner] of Object.entries(outer)) {
                const piece = pieces.get(inner);
                if (piece !== undefined) {
                    Reflect.set(outer, key, piece);
                }
                else if (freeKeys.has(key) && typeof inner === 'object') {
                    throw new Error(`"${key}" was not found`);
                }
                else {
                    stack.push(inner);
                }
            }
        }
    }

    return value;
}

function decode(bytes: Buffer): string {
    try {
        return utf8.decode(bytes);
    }
    catch {
        throw fault(400, 'malformed_body', 'The body is not valid UTF-8.');
    }
}

function parse(text: string): unknown {
    try {
        return Bourne.parse(text);
    }
    catch (error) {
        throw fault(400, 'malformed_body', `The body cannot be read as JSON: ${reason(error)}.`);
    }
}

/** V8 quotes some of the body in its message; clients only need the position. */
function reason(error: unknown): string {
    const message = String(error);
    const position = /at position \d+/.exec(message)?.[0];
    return message.includes('Object contains forbidden') ? 'the key __proto__ is not allowed' : `malformed ${position ?? 'at its end'}`;
}

const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE] = [0x22, 0x5C, 0x3A, 0x7B, 0x7D];
const blanks = new Set([0x20, 0x09, 0x0A, 0x0D]);

/** Positions of the outermost free-form objects in JSON text, if their keys are written without escapes. If the text is not JSON, the result means nothing. */
function* freeObjectsIn(bytes: Buffer): Generator<{ start: number; end: number }> {
    for (let at = 0; at < bytes.length; ++at) {
        if (bytes[at] !== QUOTE) {
            continue;
        }

        const close = endOfString(bytes, at);
        const isKey = freeKeys.has(bytes.toString('latin1', at + 1, Math.min(close, at + 20)));
        at = close;
        if (!isKey) {
            continue;
        }

        const colon = afterBlanks(bytes, close + 1);
        const start = afterBlanks(bytes, colon + 1);
        if (bytes[colon] === COLON && bytes[start] === OPEN) {
            const end = endOfObject(bytes, start);
            yield { start, end };
            at = end - 1;
        }
    }
}

function afterBlanks(bytes: Buffer, from: number): number {
    let at = from;
    while (blanks.has(bytes[at] ?? 0)) {
        ++at;
    }

    return at;
}

/** Position of the quote that ends the string starting at `from`. */
function endOfString(bytes: Buffer, from: number): number {
    let at = from + 1;
    while (at < bytes.length && bytes[at] !== QUOTE) {
        at += bytes[at] === BACKSLASH ? 2 : 1;
    }

    return at;
}

/** Position after the brace that ends the object starting at `from`. */
function endOfObject(bytes: Buffer, from: number): number {
    let depth = 0;
    for (let at = from; at < bytes.length; ++at) {
        const byte = bytes[at];
        if (byte === QUOTE) {
            at = endOfString(bytes, at);
        }
        else if (byte === OPEN) {
            ++depth;
        }
        else if (byte === CLOSE && --depth === 0) {
            return at + 1;
        }
    }

    return bytes.length;
}
