/** How wide a text is, in units of the page. */
export type Measure = (text: string) => Promise<number>;

/** Letters of one text that are drawn. */
const MOST_LETTERS = 3000;

/** Characters that XML 1.0 does not have (section 2.2). */
const unprintable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The pieces of a text between which a line may end: after spaces, and between words of a script without spaces. */
function piecesOf(text: string): string[] {
    const pieces: string[] = [];
    let mayEnd = true;
    let wasWord = false;
    for (const { segment, isWordLike = false } of words.segment(text)) {
        if (mayEnd || (wasWord && isWordLike)) {
            pieces.push(segment);
        }
        else {
            pieces[pieces.length - 1] += segment;
        }

        mayEnd = segment.trim() === '';
        wasWord = isWordLike;
    }

    return pieces;
}

/** A word that is too long for a line, in pieces that fit. */
async function broken(word: string, width: number, measure: Measure): Promise<string[]> {
    const pieces: string[] = [];
    let piece = '';
    for (const { segment } of letters.segment(word)) {
        if (piece !== '' && await measure(piece + segment) > width) {
            pieces.push(piece);
            piece = '';
        }

        piece += segment;
    }

    return [...pieces, piece];
}

export interface Wrapping {
    /** units that a line may be wide; Infinity for lines that end only where the text says so */
    width: number;
    /** whether several spaces, and line breaks, are one space */
    collapse: boolean;
    /** lines that are shown */
    most: number;
}

/** The lines of a text, broken as browsers do it with `overflow-wrap: break-word`. */
export async function linesOf(text: string, { width, collapse, most }: Wrapping, measure: Measure): Promise<string[]> {
    const shown = text.slice(0, MOST_LETTERS).toWellFormed().replace(unprintable, '').replace(/\r\n?/g, '\n');
    const paragraphs = (collapse ? shown.replace(/\s+/g, ' ').trim() : shown.replace(/\t/g, '        ')).split('\n');
    const lines: string[] = [];
    for (const paragraph of paragraphs) {
        let line = '';
        for (const piece of width === Infinity ? [paragraph] : piecesOf(paragraph)) {
            if (line !== '' && await measure((line + piece).trimEnd()) > width) {
                lines.push(line.trimEnd());
                line = '';
            }

            if (line === '' && width !== Infinity && await measure(piece.trimEnd()) > width) {
                const parts = await broken(piece, width, measure);
                line = String(parts.pop());
                lines.push(...parts);
            }
            else {
                line += piece;
            }

            if (lines.length >= most) {
                return lines.slice(0, most);
            }
        }

        lines.push(line.trimEnd());
    }

    return lines.slice(0, most);
}
