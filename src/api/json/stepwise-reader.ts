import { invalid } from '../errors/errors';
import type { Detail } from '../errors/errors';
import { JsonText, RefusedObject, freeKeys, storable } from './json-text';
import { TextPieces, Skeleton } from './pieces';
import { NotJson, plainObjectEnd, readNumber, readString } from './tokens';
import { textFault } from './unstorable-text';
import { MAX_NESTING, MAX_VALUES } from '../../limits';

const [QUOTE, COLON, COMMA, OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY] = [0x22, 0x3A, 0x2C, 0x7B, 0x7D, 0x5B, 0x5D];
const blanks = new Set([0x20, 0x09, 0x0A, 0x0D]);
const literals = new Map([[0x74, 'true'], [0x66, 'false'], [0x6E, 'null']]);

/** The tokens that may come next. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/** Faults listed at most. */
const MAX_FAULTS = 20;
/** Characters of a path from which on it is not made longer. */
const MAX_PATH = 200;
/** An object or array that is being read. */
interface Level {
    isArray: boolean;
    /** the key of the member, or the index of the element, that is being read */
    place: string | number;
}

/** A free-form object that is being read. */
interface FreeObject {
    pieces: TextPieces;
    /** how many levels are around it */
    around: number;
    /** How many of its levels are open, once it is too deep; from then on only its levels are counted. Undefined before. */
    open?: number;
}

/**
 * Reads a JSON text in steps, so that other requests have their turn in between: `JSON.parse` takes a quarter of a second for
 * 2 MiB of small objects. No values are made of the free-form objects (`attributes` and `styles`) in it: each is checked,
 * and written as JSON.stringify would write it. Keys that such an object has twice stay, as does the order of all.
 */
export class StepwiseReader {
    /** texts that cannot be stored and numbers that are too large, with their paths */
    readonly faults: Detail[] = [];
    /** what has been read, with a name in the place of each free-form object */
    readonly skeleton: Skeleton<JsonText | RefusedObject>;
    readonly #text: string;
    readonly #levels: Level[] = [];
    #free: FreeObject | undefined;
    #expected: Expected = 'value';
    #values = 0;
    #at = 0;
    /** the place up to which the text has been written out */
    #written = 0;

    /** @param a UUID that nobody can have sent; the names of free-form objects begin with it */
    constructor(text: string, secret: string) {
        this.#text = text;
        this.skeleton = new Skeleton(secret);
    }

    /**
     * Reads about so many characters, or one string that is longer. @returns whether there are more
     * @throws NotJson, 400 if there are too many values
     */
    step(characters: number): boolean {
        const end = Math.min(this.#at + characters, this.#text.length);
        while (this.#at < end) {
            const unit = this.#text.charCodeAt(this.#at);
            if (this.#free?.open !== undefined) {
                this.#skip(unit, this.#free, this.#free.open);
            }
            else if (blanks.has(unit)) {
                this.#rewrite(this.#at + 1, '');
            }
            else {
                this.#token(unit, this.#levels.at(-1));
            }
        }

        if (this.#at < this.#text.length) {
            return true;
        }

        if (this.#expected !== 'nothing') {
            throw new NotJson(this.#at);
        }

        this.#write();
        return false;
    }

    #token(unit: number, level: Level | undefined): void {
        const expected = this.#expected;
        if (expected === 'value' || (expected === 'value or end' && unit !== CLOSE_ARRAY)) {
            this.#value(unit, level);
        }
        else if (level === undefined) {
            throw new NotJson(this.#at);
        }
        else if (expected === 'colon' && unit === COLON) {
            this.#at++;
            this.#expected = 'value';
        }
        else if (expected === 'comma or end' && unit === COMMA) {
            this.#at++;
            this.#expected = level.isArray ? 'value' : 'key';
            level.place = level.isArray ? Number(level.place) + 1 : '';
        }
        else if ((expected === 'key' || expected === 'key or end') && unit === QUOTE) {
            this.#key(level);
        }
        else if (expected !== 'key' && expected !== 'colon' && unit === (level.isArray ? CLOSE_ARRAY : CLOSE)) {
            this.#levels.pop();
            this.#at++;
            this.#ended();
        }
        else {
            throw new NotJson(this.#at);
        }
    }

    #key(level: Level): void {
        const { value, end, rewritten } = readString(this.#text, this.#at);
        if (value === '__proto__') {
            throw new NotJson(this.#at, 'the key __proto__ is not allowed');
        }

        level.place = value;
        const why = textFault(value);
        if (why !== undefined) {
            this.#fault(`a key of "${this.#path(this.#levels.length - 1)}" ${why}`);
        }

        this.#rewrite(end, rewritten);
        this.#expected = 'colon';
    }

    #value(unit: number, level: Level | undefined): void {
        if (this.#free === undefined && level !== undefined && ++this.#values > MAX_VALUES) {
            throw invalid([{ path: '', message: `the body has more than ${MAX_VALUES} values outside of "attributes" and "styles"` }]);
        }

        if (unit === OPEN || unit === OPEN_ARRAY) {
            this.#open(unit === OPEN_ARRAY, level);
            return;
        }

        const literal = literals.get(unit);
        if (literal === undefined) {
            const { value, end, rewritten } = unit === QUOTE ? readString(this.#text, this.#at) : readNumber(this.#text, this.#at);
            const why = textFault(value);
            if (why !== undefined) {
                this.#fault(`"${this.#path()}" ${why}`);
            }

            this.#rewrite(end, rewritten);
        }
        else if (this.#text.startsWith(literal, this.#at)) {
            this.#at += literal.length;
        }
        else {
            throw new NotJson(this.#at);
        }

        this.#ended();
    }

    #open(isArray: boolean, level: Level | undefined): void {
        if (this.#free === undefined && !isArray && level?.isArray === false && freeKeys.has(String(level.place))) {
            this.#write();
            const end = plainObjectEnd(this.#text, this.#at);
            if (end !== undefined) {
                this.skeleton.put(storable(this.#text.slice(this.#at, end)));
                this.#at = end;
                this.#written = end;
                this.#expected = 'comma or end';
                return;
            }

            this.#free = { pieces: new TextPieces(), around: this.#levels.length };
        }

        this.#at++;
        this.#levels.push({ isArray, place: isArray ? 0 : '' });
        this.#expected = isArray ? 'value or end' : 'key or end';
        if (this.#free !== undefined && this.#levels.length - this.#free.around > MAX_NESTING) {
            this.#free.open = this.#levels.length - this.#free.around;
            this.#levels.length = this.#free.around;
        }
    }

    /** Looks for the end of a free-form object that is too deep. */
    #skip(unit: number, free: FreeObject, open: number): void {
        if (unit === QUOTE) {
            this.#at = readString(this.#text, this.#at).end;
            return;
        }

        this.#at++;
        free.open = open + Number(unit === OPEN || unit === OPEN_ARRAY) - Number(unit === CLOSE || unit === CLOSE_ARRAY);
        if (free.open === 0) {
            this.#ended();
        }
    }

    /** A value has ended, and may have been a free-form object. */
    #ended(): void {
        this.#expected = this.#levels.length === 0 ? 'nothing' : 'comma or end';
        const free = this.#free;
        if (free?.around === this.#levels.length) {
            this.#write();
            this.#free = undefined;
            this.skeleton.put(free.open === undefined ? storable(free.pieces.join()) : new RefusedObject('too deep'));
        }
    }

    /** Goes on to a place, and writes another text for what is before it; the same text if undefined. */
    #rewrite(end: number, text: string | undefined): void {
        if (text !== undefined) {
            this.#write();
            (this.#free?.pieces ?? this.skeleton).add(text);
            this.#written = end;
        }

        this.#at = end;
    }

    /** Writes what has been read and not been written. */
    #write(): void {
        if (this.#written < this.#at) {
            (this.#free?.pieces ?? this.skeleton).add(this.#text.slice(this.#written, this.#at));
            this.#written = this.#at;
        }
    }

    #fault(message: string): void {
        if (this.faults.length < MAX_FAULTS) {
            this.faults.push({ path: this.#path(), message });
        }
    }

    /** The path of what is being read, or of what is around so many levels of it. */
    #path(levels = this.#levels.length): string {
        return this.#levels.slice(0, levels).reduce((path, { place }) => (path.length > MAX_PATH ? path : `${path}${path && '.'}${String(place).toWellFormed()}`), '');
    }
}
