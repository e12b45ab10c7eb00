/** Separators of the cells of a row: spreadsheets copy with tabs, and save with commas or, in many languages, with semicolons; people write lists in their own script. */
export const separators = ['\t', ';', ',', '|', '；', '，', '、', '،', '؛'] as const;

const escaped = (separator: string): string => separator.replace(/[|\\^$.*+?()[\]{}]/g, String.raw`\$&`);

/**
 * The rows of a text, each with its cells. A cell is quoted only if the quotes are all around it, so that `"Tiny" Tim` stays as it is.
 * @param separator one character; without one, each line is a cell
 */
export function cellsOf(text: string, separator?: string): string[][] {
    const end = separator === undefined ? String.raw`\r\n` : String.raw`\r\n${escaped(separator)}`;
    const cell = new RegExp(String.raw`[^\S\r\n${separator === '\t' ? '\\t' : ''}]*"([^"]*(?:""[^"]*)*)"[^\S\r\n${separator === '\t' ? '\\t' : ''}]*(?=[${end}]|$)|([^${end}]*)`, 'uy');
    const rows: string[][] = [[]];
    for (let at = 0; at <= text.length; ++at) {
        cell.lastIndex = at;
        const [all = '', quoted, plain = ''] = cell.exec(text) ?? [];
        rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
        at += all.length;
        if (text[at] !== separator && at < text.length) {
            rows.push([]);
            at += text.startsWith('\r\n', at) ? 1 : 0;
        }
    }

    return rows.map((cells) => cells.map((one) => one.trim())).filter((cells) => cells.some((one) => one !== ''));
}

/** A text that was given its separator in its first line, as Excel has it. */
export function withSeparator(text: string): { text: string; separator?: string } {
    const [line, separator] = /^\s*"?sep=(.)"?[^\S\r\n]*(?:[\r\n]+|$)/iu.exec(text) ?? [];
    return line === undefined ? { text } : { text: text.slice(line.length), separator };
}
