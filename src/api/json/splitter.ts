import assert from 'node:assert/strict';

import { afterBlanks, isBlank } from './blanks';
import { NotJson, readString } from './tokens';

/** Names and numbers that lead from the outermost value to one inside of it. */
export type Path = readonly (string | number)[];

/** A value in a JSON text, as its bytes. */
export interface SplitValue {
    path: Path;
    bytes: Buffer;
}

export interface SplitOptions {
    /** whether the object or array at a place is split too, so that it may be larger than memory */
    splits(path: Path, isArray: boolean): boolean;
    /** most bytes of one value */
    most: number;
}

/** An object or an array that is split. */
interface Level {
    isArray: boolean;
    /** the key, or the index, of what is being read in it */
    place: string | number;
    keys: Set<string>;
    /** of an object: its members, those that are split as empty ones */
    members: Buffer[];
    bytes: number;
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY] = [0x22, 0x5C, 0x2C, 0x3A, 0x7B, 0x7D, 0x5B, 0x5D];
const [emptyObject, emptyArray] = [Buffer.from('{}'), Buffer.from('[]')];

/** Most keys of an object that is split. */
const MAX_KEYS = 100;

/** Splits a text whose chunks it is given one after the other. */
export class Splitter {
    readonly #options: SplitOptions;
    readonly #levels: Level[] = [];
    #expected: Expected = 'value';
    /** bytes of the chunks before this one */
    #before = 0;
    /** of the key or value that is being read: its parts, their bytes, how many levels are open in it, and whether it is within a text */
    #parts: Buffer[] | undefined;
    #bytes = 0;
    #depth = 0;
    #inText = false;
    #escaped = false;
    /** the object that is split and has just ended */
    #closed: SplitValue | undefined;

    constructor(options: SplitOptions) {
        this.#options = options;
    }

    * read(chunk: Buffer): Generator<SplitValue> {
        let at = 0;
        while (at < chunk.length) {
            if (this.#parts === undefined && isBlank(chunk[at])) {
                at = afterBlanks(chunk, at);
            }
            else if (this.#parts === undefined) {
                // The byte that begins a key or a value is read again, as its first byte.
                at += this.#token(Number(chunk[at]), at) ? 1 : 0;
                if (this.#closed !== undefined) {
                    yield this.#closed;
                    this.#closed = undefined;
                }
            }
            else {
                const { end, isWhole } = this.#partEnd(chunk, at);
                this.#keep(this.#parts, chunk.subarray(at, end), at);
                at = end;
                if (isWhole) {
                    const value = this.#whole(Buffer.concat(this.#parts), at);
                    if (value !== undefined) {
                        yield value;
                    }
                }
            }
        }

        this.#before += chunk.length;
    }

    /** @throws NotJson if something is missing */
    end(): void {
        // A number, or a word, may be all there is.
        if (this.#expected !== 'nothing') {
            throw new NotJson(this.#before, 'something is missing at its end');
        }
    }

    /** Reads a byte between keys and values. @returns false for the first byte of one */
    #token(unit: number, at: number): boolean {
        const level = this.#levels.at(-1);
        const expected = this.#expected;
        if (expected === 'value' || (expected === 'value or end' && unit !== CLOSE_ARRAY)) {
            const isArray = unit === OPEN_ARRAY;
            if ((isArray || unit === OPEN) && this.#options.splits(this.#path(), isArray)) {
                this.#levels.push({ isArray, place: isArray ? 0 : '', keys: new Set(), members: [], bytes: 0 });
                this.#expected = isArray ? 'value or end' : 'key or end';
                return true;
            }

            this.#parts = [];
            return false;
        }

        if ((expected === 'key' || expected === 'key or end') && unit === QUOTE) {
            this.#parts = [];
            return false;
        }

        if (level === undefined) {
            throw this.#fault(at);
        }

        if (expected === 'colon' && unit === COLON) {
            this.#expected = 'value';
        }
        else if (expected === 'comma or end' && unit === COMMA) {
            this.#expected = level.isArray ? 'value' : 'key';
            level.place = level.isArray ? Number(level.place) + 1 : '';
        }
        else if (expected !== 'colon' && expected !== 'key' && unit === (level.isArray ? CLOSE_ARRAY : CLOSE)) {
            this.#close(level, at);
        }
        else {
            throw this.#fault(at);
        }

        return true;
    }

    #close({ isArray, members }: Level, at: number): void {
        this.#levels.pop();
        if (!isArray) {
            const parts = members.flatMap((member, index) => [Buffer.from(index === 0 ? '{' : ','), member]);
            this.#closed = { path: this.#path(), bytes: parts.length === 0 ? emptyObject : Buffer.concat([...parts, Buffer.from('}')]) };
        }

        this.#ended(isArray ? emptyArray : emptyObject, at);
    }

    /** The end of what is being read of a key or a value, in this chunk. */
    #partEnd(chunk: Buffer, start: number): { end: number; isWhole: boolean } {
        for (let at = start; at < chunk.length; ++at) {
            const unit = chunk[at];
            if (this.#inText) {
                if (this.#escaped) {
                    this.#escaped = false;
                }
                else if (unit === BACKSLASH) {
                    this.#escaped = true;
                }
                else if (unit === QUOTE) {
                    this.#inText = false;
                    if (this.#depth === 0) {
                        return { end: at + 1, isWhole: true };
                    }
                }
            }
            else if (unit === QUOTE) {
                this.#inText = true;
            }
            else if (unit === OPEN || unit === OPEN_ARRAY) {
                ++this.#depth;
            }
            else if (this.#depth === 0 && (unit === COMMA || unit === CLOSE || unit === CLOSE_ARRAY || unit === COLON || isBlank(unit))) {
                // The end of a number or a word.
                return { end: at, isWhole: true };
            }
            else if ((unit === CLOSE || unit === CLOSE_ARRAY) && --this.#depth === 0) {
                return { end: at + 1, isWhole: true };
            }
        }

        return { end: chunk.length, isWhole: false };
    }

    #keep(parts: Buffer[], part: Buffer, at: number): void {
        this.#bytes += part.length;
        this.#checkSize(this.#bytes, at);
        parts.push(part);
    }

    #checkSize(bytes: number, at: number): void {
        if (bytes > this.#options.most) {
            throw new NotJson(this.#before + at, `a value of more than ${this.#options.most} bytes`);
        }
    }

    /** Takes a key or a value that has been read. @returns the value if it is in an array */
    #whole(bytes: Buffer, at: number): SplitValue | undefined {
        if (bytes.length === 0) {
            throw this.#fault(at);
        }

        const level = this.#levels.at(-1);
        this.#parts = undefined;
        this.#bytes = 0;
        if (this.#expected === 'key' || this.#expected === 'key or end') {
            this.#key(bytes, at, level);
            return undefined;
        }

        const path = this.#path();
        this.#ended(bytes, at);
        return level?.isArray === false ? undefined : { path, bytes };
    }

    #key(bytes: Buffer, at: number, level: Level | undefined): void {
        const { value } = readString(bytes.toString(), 0);
        assert(level !== undefined, 'keys are of objects that are split');
        if (level.keys.has(value) || level.keys.size === MAX_KEYS) {
            throw new NotJson(this.#before + at, `the key ${JSON.stringify(value.slice(0, 100))} twice, or more than ${MAX_KEYS} keys`);
        }

        level.keys.add(value);
        level.place = value;
        this.#expected = 'colon';
    }

    /** A value has ended. `bytes` is how it is shown in the object that it is a member of. */
    #ended(bytes: Buffer, at: number): void {
        const level = this.#levels.at(-1);
        this.#expected = level === undefined ? 'nothing' : 'comma or end';
        if (level?.isArray === false) {
            const member = Buffer.concat([Buffer.from(`${JSON.stringify(level.place)}:`), bytes]);
            level.bytes += member.length;
            this.#checkSize(level.bytes, at);
            level.members.push(member);
        }
    }

    #path(): Path {
        return this.#levels.map(({ place }) => place);
    }

    #fault(at: number): NotJson {
        return new NotJson(this.#before + at);
    }
}
