import { diff3Merge } from 'node-diff3';

/** Letters of a text up to which it is merged. */
const MAX_LETTERS = 5000;

/** Pairs of equal pieces up to which they are compared: so many take about 30 ms. */
const MAX_PAIRS = 40_000;

type Pieces = readonly string[];

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const piecesOf = (text: string, by: Intl.Segmenter): Pieces => Array.from(by.segment(text), ({ segment }) => segment);

/** The part of `base` that somebody has changed: from its first piece that is different to after the last one. */
function changedPart(base: Pieces, changed: Pieces): { from: number; to: number } {
    const most = Math.min(base.length, changed.length);
    let from = 0;
    while (from < most && base[from] === changed[from]) {
        ++from;
    }

    let end = 0;
    while (end < most - from && base.at(-1 - end) === changed.at(-1 - end)) {
        ++end;
    }

    return { from, to: base.length - end };
}

function pairs(one: Pieces, other: Pieces): number {
    const counts = new Map<string, number>();
    one.forEach((piece) => counts.set(piece, (counts.get(piece) ?? 0) + 1));
    return other.reduce((sum, piece) => sum + (counts.get(piece) ?? 0), 0);
}

function mergeBy(by: Intl.Segmenter, base: string, mine: string, theirs: string): string | undefined {
    const [was, own, is] = [piecesOf(base, by), piecesOf(mine, by), piecesOf(theirs, by)];
    const [ours, others] = [changedPart(was, own), changedPart(was, is)];
    const part = (pieces: Pieces, { from, to }: { from: number; to: number }): Pieces => pieces.slice(from, pieces.length - (was.length - to));
    // Mostly, each writes at one place. At the same one, theirs comes first.
    const isBehind = others.to <= ours.from;
    if (isBehind || ours.to <= others.from) {
        const [[first, one], [second, two]] = isBehind ? [[others, is], [ours, own]] as const : [[ours, own], [others, is]] as const;
        return [was.slice(0, first.from), part(one, first), was.slice(first.to, second.from), part(two, second), was.slice(second.to)].flat().join('');
    }

    const both = { from: Math.min(ours.from, others.from), to: Math.max(ours.to, others.to) };
    const [a, o, b] = [part(own, both), part(was, both), part(is, both)];
    if (pairs(o, a) + pairs(o, b) > MAX_PAIRS) {
        return undefined;
    }

    const merged = diff3Merge([...a], [...o], [...b], { excludeFalseConflicts: true }).map(({ ok, conflict }) => {
        if (conflict === undefined) {
            return ok?.join('');
        }

        const [added, replaced, other] = [conflict.a, conflict.o, conflict.b].map((pieces) => pieces.join(''));
        // Both have added something at the same place: both stay.
        return replaced === '' ? `${other}${added}` : by === words ? mergeBy(letters, replaced ?? '', added ?? '', other ?? '') : undefined;
    });
    return merged.includes(undefined) ? undefined : [...was.slice(0, both.from), ...merged, ...was.slice(both.to)].join('');
}

/**
 * The text with what two people have changed in it, word by word; inside of a word that both have changed, letter by letter.
 * Words that both have added at one place stay, theirs first.
 * @returns undefined if both have replaced the same, or if that would take too long to tell
 */
export function mergeWords(base: string, mine: string, theirs: string): string | undefined {
    return Math.max(base.length, mine.length, theirs.length) > MAX_LETTERS ? undefined : mergeBy(words, base, mine, theirs);
}
