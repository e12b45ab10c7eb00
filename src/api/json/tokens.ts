/** A text is not JSON. */
export class NotJson extends Error {
    /** the place of the first character that is not allowed there; the length of the text if its end is missing */
    readonly position: number;
    /** why it is not allowed, if that needs an explanation */
    readonly reason: string | undefined;

    constructor(position: number, reason?: string) {
        super(`not JSON at ${position}`);
        this.position = position;
        this.reason = reason;
    }
}

/** A string or a number in a JSON text. */
export interface Token<Value> {
    value: Value;
    /** the place after it */
    end: number;
    /** how JSON.stringify writes it; undefined if it is written like that already */
    rewritten: string | undefined;
}

const [QUOTE, BACKSLASH, BLANK, ZERO] = [0x22, 0x5C, 0x20, 0x30];

/** How a number may continue: further digits, a point, an exponent. */
const inNumbers = new Set([...'0123456789.eE'].map((letter) => letter.charCodeAt(0)));

/** Reads the string that begins at a quote. @throws NotJson */
export function readString(text: string, start: number): Token<string> {
    let hasEscapes = false;
    for (let at = start + 1; at < text.length; ++at) {
        const unit = text.charCodeAt(at);
        if (unit === QUOTE) {
            const end = at + 1;
            return hasEscapes ? unescaped(text, start, end) : { value: text.slice(start + 1, at), end, rewritten: undefined };
        }

        if (unit === BACKSLASH) {
            hasEscapes = true;
            ++at;
        }
        else if (unit < BLANK) {
            throw new NotJson(at);
        }
    }

    throw new NotJson(text.length);
}

function unescaped(text: string, start: number, end: number): Token<string> {
    const raw = text.slice(start, end);
    try {
        const value: string = JSON.parse(raw);
        const written = JSON.stringify(value);
        return { value, end, rewritten: written === raw ? undefined : written };
    }
    catch {
        throw new NotJson(start);
    }
}

/** A number as RFC 8259 has it; sticky, so that it is tried at one place only. */
const numberShape = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** Reads a number. One that is too large is infinite. @throws NotJson */
export function readNumber(text: string, start: number): Token<number> {
    return readDigits(text, start) ?? readAnyNumber(text, start);
}

/** Most digits of a whole number that JSON.stringify always writes in the same way. */
const MAX_DIGITS = 15;

/** Reads a whole number, the usual case; undefined if JSON.stringify may write it in another way. */
function readDigits(text: string, start: number): Token<number> | undefined {
    let [value, at] = [0, start];
    for (; at < start + MAX_DIGITS; ++at) {
        const digit = text.charCodeAt(at) - ZERO;
        if (!(digit >= 0 && digit <= 9)) {
            break;
        }

        value = value * 10 + digit;
    }

    const isWhole = at > start && (value >= 10 ** (at - start - 1) || at === start + 1) && !inNumbers.has(text.charCodeAt(at));
    return isWhole ? { value, end: at, rewritten: undefined } : undefined;
}

function readAnyNumber(text: string, start: number): Token<number> {
    numberShape.lastIndex = start;
    const [raw] = numberShape.exec(text) ?? [];
    if (raw === undefined) {
        throw new NotJson(start);
    }

    const value = Number(raw);
    const written = JSON.stringify(value);
    return { value, end: start + raw.length, rewritten: written === raw ? undefined : written };
}

/** Text without escapes, of a bounded length so that a match takes microseconds. */
const plainText = '"[^"\\\\\\u0000-\\u001F]{0,500}"';
const plainMember = `(?!"__proto__")${plainText}:(?:${plainText}|[1-9][0-9]{0,14}(?![0-9.eE])|0(?![0-9.eE])|true|false|null)`;
const plainObject = new RegExp(`\\{(?:${plainMember}(?:,${plainMember}){0,50})?\\}`, 'y');

/** The place after the object at `start`, if it is like most: small, without inner objects, and written as JSON.stringify would write it. */
export function plainObjectEnd(text: string, start: number): number | undefined {
    plainObject.lastIndex = start;
    return plainObject.test(text) ? plainObject.lastIndex : undefined;
}
