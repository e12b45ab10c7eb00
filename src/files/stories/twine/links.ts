import { TEXT_SIZE, outside } from '../story';
import type { Block, LinkTo } from '../story';

/** Most characters of a link. Names of passages are shorter. */
const LONGEST = 500;

/** A link in a line: the text between its brackets, and the place after it. */
interface Found {
    inside: string;
    end: number;
}

const [OPEN, CLOSE, QUOTE, APOSTROPHE, BACKSLASH] = ['[', ']', '"', `'`, '\\'];

/** The place after `]]` of what SugarCube sets, which begins after a bracket: `[$inv = ["map"]]]`. -1 if there is none. */
function endOfSetter(line: string, from: number, most: number): number {
    let depth = 1;
    let quote: string | undefined;
    for (let at = from; at < most; at++) {
        const sign = line[at];
        if (quote !== undefined) {
            at += sign === BACKSLASH ? 1 : 0;
            quote = sign === quote ? undefined : quote;
        }
        else if (sign === QUOTE || sign === APOSTROPHE) {
            quote = sign;
        }
        else if (sign === OPEN) {
            depth++;
        }
        else if (sign === CLOSE && --depth === 0) {
            return line[at + 1] === CLOSE ? at + 2 : -1;
        }
    }

    return -1;
}

/**
 * The link that begins at a place: `[[Target]]`, `[[Text->Target]]`, `[[Target<-Text]]`, `[[Text|Target]]`, and after it what SugarCube sets. Words and names may have
 * brackets, in pairs or not.
 */
function linkAt(line: string, start: number): Found | undefined {
    let [depth, most] = [0, Math.min(line.length, start + LONGEST)];
    for (let at = start + 2; at < most; at++) {
        const [sign, next] = [line[at], line[at + 1]];
        if (sign === OPEN && next === OPEN) {
            // Another link begins.
            most = at;
        }
        else if (sign === OPEN) {
            depth++;
        }
        else if (sign === CLOSE && depth > 0) {
            depth--;
        }
        else if (sign === CLOSE && next === CLOSE) {
            return { inside: line.slice(start + 2, at), end: at + 2 };
        }
        else if (sign === CLOSE && next === OPEN) {
            const end = endOfSetter(line, at + 2, most);
            if (end >= 0) {
                return { inside: line.slice(start + 2, at), end };
            }
        }
    }

    const at = line.slice(start, most).indexOf(']]', 2);
    return at < 0 ? undefined : { inside: line.slice(start + 2, start + at), end: start + at + 2 };
}

/** The text and the target of a link, by what is between its brackets. */
function partsOf(inside: string): { text: string; target: string } {
    const [right, left, bar] = [inside.lastIndexOf('->'), inside.indexOf('<-'), inside.lastIndexOf('|')];
    const [text, target] = right >= 0 ? [inside.slice(0, right), inside.slice(right + 2)] :
        left >= 0 ? [inside.slice(left + 2), inside.slice(0, left)] :
            bar >= 0 ? [inside.slice(0, bar), inside.slice(bar + 1)] : [inside, inside];
    return { text: text.trim(), target: target.trim() };
}

/** The text of a passage, and the links of it below. A line of links alone is no text. */
export function textBlocks(text: string, names: ReadonlySet<string>): Block[] {
    const links: Block[] = [];
    const lines = text.split(/\r?\n/).map((line) => {
        let [around, shown, from] = ['', '', 0];
        for (let at = line.indexOf('[['); at >= 0; at = line.indexOf('[[', Math.max(from, at + 1))) {
            const found = linkAt(line, at);
            if (found === undefined) {
                continue;
            }

            const { text: label, target } = partsOf(found.inside);
            const to: LinkTo | undefined = names.has(target) ? { page: target } : outside(target);
            const before = line.slice(from, at);
            shown += before + label;
            around += before;
            if (to !== undefined && label !== '') {
                links.push({ kind: 'link', text: label, to });
            }
            else {
                around += label;
            }

            from = found.end;
        }

        const rest = line.slice(from);
        return (around + rest).trim() === '' ? '' : (shown + rest).trimEnd();
    });
    const words = lines.join('\n').replace(/\n{3,}/g, '\n\n').trim();
    return words === '' ? links : [{ kind: 'text', text: words, size: TEXT_SIZE }, ...links];
}
