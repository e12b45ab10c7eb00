import { TEXT_SIZE, outside } from '../story';
import type { Block, LinkTo } from '../story';
import { literal } from './left-out';
import type { Plain } from './markup';

/** Most characters of a link. Names of passages are shorter. */
const LONGEST = 500;

/** The place after `]]` of what SugarCube sets, which begins after a bracket: `[$inv = ["map"]]]`. -1 if there is none. */
function endOfSetter(line: string, from: number): number {
    const part = new RegExp(String.raw`${literal}|[[\]]`, 'g');
    let depth = 1;
    part.lastIndex = from;
    for (let found = part.exec(line); found !== null; found = part.exec(line)) {
        depth += found[0] === '[' ? 1 : found[0] === ']' ? -1 : 0;
        if (depth === 0) {
            return line[part.lastIndex] === ']' ? part.lastIndex + 1 : -1;
        }
    }

    return -1;
}

/**
 * The link that begins at a place: `[[Target]]`, `[[Text->Target]]`, `[[Target<-Text]]`, `[[Text|Target]]`, and after it what SugarCube sets. Words and names may have
 * brackets, in pairs or not.
 */
function linkAt(text: string, start: number): { inside: string; end: number } | undefined {
    const [all = ''] = text.slice(start + 2, start + LONGEST).split('[[', 1);
    const found = (at: number, end: number): ReturnType<typeof linkAt> => ({ inside: all.slice(0, at), end: start + 2 + end });
    let depth = 0;
    for (const { 0: sign, index: at } of all.matchAll(/[[\]]/g)) {
        const next = all[at + 1];
        if (depth === 0 && sign === ']' && next === ']') {
            return found(at, at + 2);
        }

        const end = depth === 0 && sign === ']' && next === '[' ? endOfSetter(all, at + 2) : -1;
        if (end >= 0) {
            return found(at, end);
        }

        depth = Math.max(0, depth + (sign === '[' ? 1 : -1));
    }

    const at = all.indexOf(']]');
    return at < 0 ? undefined : found(at, at + 2);
}

/** The text and the target of a link, by what is between its brackets. One whose words only the format knows has the name of its target. */
function partsOf(inside: string, plain: Plain): { text: string; target: string } {
    const [right, left, bar] = [inside.lastIndexOf('->'), inside.indexOf('<-'), inside.lastIndexOf('|')];
    const [text, target] = right >= 0 ? [inside.slice(0, right), inside.slice(right + 2)] :
        left >= 0 ? [inside.slice(left + 2), inside.slice(0, left)] :
            bar >= 0 ? [inside.slice(0, bar), inside.slice(bar + 1)] : [inside, inside];
    return { text: plain(text).trim() || target.trim(), target: target.trim() };
}

/** The text of a passage, and the links of it below. A line of links alone is no text. */
export function textBlocks(text: string, names: ReadonlySet<string>, plain: Plain): Block[] {
    const links: Block[] = [];
    const lines = text.split(/\r?\n/).map((line) => {
        let [around, shown, from] = ['', '', 0];
        for (let at = line.indexOf('[['); at >= 0; at = line.indexOf('[[', Math.max(from, at + 1))) {
            const found = linkAt(line, at);
            if (found === undefined) {
                continue;
            }

            const { text: label, target } = partsOf(found.inside, plain);
            const to: LinkTo | undefined = names.has(target) ? { page: target } : outside(target);
            const before = line.slice(from, at);
            shown += before + label;
            around += before;
            if (to !== undefined) {
                links.push({ kind: 'link', text: label, to });
            }
            else {
                around += label;
            }

            from = found.end;
        }

        const rest = line.slice(from);
        return /[^\s•]/.test(plain(around + rest)) ? plain(shown + rest).trimEnd() : '';
    });
    const words = lines.join('\n').replace(/\n{3,}/g, '\n\n').trim();
    return words === '' ? links : [{ kind: 'text', text: words, size: TEXT_SIZE }, ...links];
}
