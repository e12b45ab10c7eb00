const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5C, 0x2C];
const steps = new Map([[0x7B, 1], [0x5B, 1], [0x7D, -1], [0x5D, -1]]);

/**
 * Splits the JSON text of an object into those of its members. The values are not parsed, so that numbers keep their digits, and a key may
 * be any text. Of a key that occurs twice the last value counts, as with JSON.parse.
 * @returns undefined if the object has more than `most` keys
 */
export function membersOf(text: string, most: number): Map<string, string> | undefined {
    const members = new Map<string, string>();
    for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', start)) {
        const colon = text.indexOf(':', stringEnd(text, start));
        const key: string = JSON.parse(text.slice(start, colon));
        start = valueEnd(text, colon + 1);
        members.set(key, text.slice(colon + 1, start).trim());
        if (members.size > most) {
            return undefined;
        }
    }

    return members;
}

/** The place after the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
    let at = start + 1;
    while (at < text.length && text.charCodeAt(at) !== QUOTE) {
        at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    }

    return at + 1;
}

/** The place after the member's value that begins at `start`: a comma, or the brace that ends the object. */
function valueEnd(text: string, start: number): number {
    let [at, depth] = [start, 0];
    while (at < text.length) {
        const unit = text.charCodeAt(at);
        depth += steps.get(unit) ?? 0;
        if (depth < 0 || (depth === 0 && unit === COMMA)) {
            break;
        }

        at = unit === QUOTE ? stringEnd(text, at) : at + 1;
    }

    return at;
}
