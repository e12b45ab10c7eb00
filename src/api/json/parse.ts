import { randomUUID } from 'node:crypto';

import Bourne from '@hapi/bourne';

import { fault, invalid } from '../errors/errors';
import { nextTurn, pauses } from '../concurrency/yielding';
import { hasMembers } from './is-object';
import { StepwiseReader } from './stepwise-reader';
import { NotJson } from './tokens';
import { textFaults } from './unstorable-text';

/** Bodies of at least this many bytes are read in steps. Smaller ones cannot have too many values. */
const LARGE = 64 * 1024;

/** Characters read in a step. */
const STEP = 8 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a request body. A large one is read in steps, with other requests in between, and its free-form objects, which are
 * nearly all of it, become `JsonText` (docs/decisions/bodies-in-steps.md).
 * @param what the text in words, for messages
 * @throws 400 if it is not JSON in UTF-8, or has text or numbers that PostgreSQL cannot store
 */
export async function readJson(bytes: Buffer, what = 'The body'): Promise<unknown> {
    if (bytes.length < LARGE) {
        return readAtOnce(decode(bytes, what), what);
    }

    // Several may have arrived in one turn, and decoding takes one step for all of it.
    await nextTurn();
    return await readInSteps(decode(bytes, what), what);
}

function readAtOnce(text: string, what: string): unknown {
    const value = parse(text, what);
    const faults = textFaults(text, value);
    if (faults.length > 0) {
        throw invalid(faults);
    }

    return value;
}

async function readInSteps(text: string, what: string): Promise<unknown> {
    const reader = new StepwiseReader(text, randomUUID());
    const pause = pauses();
    try {
        while (reader.step(STEP)) {
            await pause();
        }
    }
    catch (error) {
        throw error instanceof NotJson ? malformed(what, error.reason ?? placed(error.position < text.length ? `at position ${error.position}` : undefined)) : error;
    }

    if (reader.faults.length > 0) {
        throw invalid(reader.faults);
    }

    await nextTurn();
    const value = putBack(parse(reader.skeleton.join(), what), reader.skeleton.objects);
    // The schema comes next, which takes one step for all of it.
    await nextTurn();
    return value;
}

/** Puts free-form objects in the place of their names. */
function putBack(value: unknown, objects: ReadonlyMap<unknown, object>): unknown {
    const stack = [value];
    for (let outer = stack.pop(); outer !== undefined; outer = stack.pop()) {
        if (hasMembers(outer)) {
            for (const [key, inner] of Object.entries(outer)) {
                const object = objects.get(inner);
                if (object === undefined) {
                    stack.push(inner);
                }
                else {
                    Object.assign(outer, { [key]: object });
                }
            }
        }
    }

    return value;
}

function decode(bytes: Buffer, what: string): string {
    try {
        return utf8.decode(bytes);
    }
    catch {
        throw fault('malformed_body', `${what} is not valid UTF-8.`);
    }
}

function parse(text: string, what: string): unknown {
    try {
        return Bourne.parse(text);
    }
    catch (error) {
        throw malformed(what, reason(error));
    }
}

const malformed = (what: string, why: string): Error => fault('malformed_body', `${what} cannot be read as JSON: ${why}.`);

/** V8 repeats some of the body in its message; only the place is of use. */
function reason(error: unknown): string {
    const message = String(error);
    const position = /at position \d+/.exec(message)?.[0];
    return message.includes('Object contains forbidden') ? 'the key __proto__ is not allowed' : placed(position);
}

const placed = (position = 'at its end'): string => `malformed ${position}`;
