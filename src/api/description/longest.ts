import { defined } from '../errors/defined';

/** Tokens of a regular expression: an escape, a class, the beginning of a group, a quantifier, or one character. */
const tokens = /\\(?:[pP]\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)|\[(?:\\.|[^[\]\\])*\]|\((?:\?(?:<?[=!]|:))?|\{\d+(?:,\d*)?\}|./gsu;

/** Most repetitions by a quantifier; 1 by anything else. */
function timesOf(token: string | undefined): number {
    const [, least, comma, most] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(token ?? '') ?? [];
    return token === '*' || token === '+' ? Infinity : least === undefined ? 1 : comma === undefined ? Number(least) : most === '' ? Infinity : Number(most);
}

/** Most characters that a text can have which matches a pattern; Infinity if it may have any number. Our patterns have neither names of groups nor backreferences. */
export function longestOf(pattern: string): number {
    const rest = [...pattern.match(tokens) ?? []];
    let last = '';

    /** A sequence, up to the next `|` or `)` of its group. */
    const sequence = (): number => {
        let sum = 0;
        while (rest[0] !== undefined && rest[0] !== '|' && rest[0] !== ')') {
            last = defined(rest.shift());
            const length = last.startsWith('(') ? group(last) : last === '^' || last === '$' ? 0 : 1;
            const isRepeated = /^(?:[*+?]|\{.*\})$/.test(rest[0] ?? '');
            sum += length === 0 ? 0 : length * timesOf(rest[0]);
            rest.splice(0, isRepeated ? 1 : 0);
        }

        return sum;
    };

    /** A sequence outside of groups: what is not anchored at both ends may have anything before or after it. */
    const whole = (): number => {
        const isAnchored = rest[0] === '^';
        const length = sequence();
        return isAnchored && last === '$' ? length : Infinity;
    };

    const alternatives = (read: () => number): number => {
        let most = read();
        while (rest[0] === '|') {
            rest.shift();
            most = Math.max(most, read());
        }

        return most;
    };

    const group = (opening: string): number => {
        const length = alternatives(sequence);
        rest.shift();
        // What a group only looks at is no part of the match.
        return /[=!]/.test(opening) ? 0 : length;
    };

    return alternatives(whole);
}
