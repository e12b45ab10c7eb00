/** How wide a text is, in units of the page. */
export type Measure = (text: string) => Promise<number>;

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

/** How many of the pieces fit on a line, in few steps: to measure a text takes a millisecond. */
async function fitting(pieces: readonly string[], width: number, measure: Measure): Promise<number> {
    let [fits, over] = [0, pieces.length + 1];
    while (over - fits > 1) {
        const tried = over > pieces.length ? Math.min(Math.max(2 * fits, 1), pieces.length) : Math.floor((fits + over) / 2);
        if (await measure(pieces.slice(0, tried).join('').trimEnd()) <= width) {
            fits = tried;
        }
        else {
            over = tried;
        }
    }

    return fits;
}

export interface Wrapping {
    /** units that a line may be wide; Infinity for lines that end only where the text says so */
    width: number;
    /** whether several spaces, and line breaks, are one space */
    collapse: boolean;
    /** lines that are shown */
    most: number;
}

/** A line, and what the text has between two line breaks, of which it is a part. */
export interface Line {
    text: string;
    paragraph: string;
}

/** The lines of a text, broken as browsers do it with `overflow-wrap: break-word`. */
export async function linesOf(text: string, { width, collapse, most }: Wrapping, measure: Measure): Promise<Line[]> {
    const shown = text.toWellFormed().replace(unprintable, '').replace(/\r\n?/g, '\n');
    const paragraphs = (collapse ? shown.replace(/\s+/g, ' ').trim() : shown.replace(/\t/g, '        ')).split('\n');
    const lines: Line[] = [];
    for (const paragraph of paragraphs) {
        let rest = width === Infinity ? [paragraph] : piecesOf(paragraph);
        do {
            let count = width === Infinity ? rest.length : await fitting(rest, width, measure);
            const [word, ...others] = rest;
            if (count === 0 && word !== undefined) {
                // It is too long for a line by itself, so it may end after each letter.
                rest = [...Array.from(letters.segment(word), ({ segment }) => segment), ...others];
                count = Math.max(1, await fitting(rest, width, measure));
            }

            lines.push({ text: rest.slice(0, count).join('').trimEnd(), paragraph });
            if (lines.length >= most) {
                return lines;
            }

            rest = rest.slice(count);
        } while (rest.length > 0);
    }

    return lines;
}
