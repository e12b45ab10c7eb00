import { cellsOf, separators, withSeparator } from './cells';
import { isOfPupil, isTitle, nameColumns, partOf } from './headers';
import type { NamePart } from './headers';
import { kindOf, kindOfColumn, tidy, wordsIn } from './kinds';
import type { CellKind } from './kinds';

/** The use of a column: a part of the name, or what it looks like, if it is left out. */
export type ColumnUse = NamePart | Exclude<CellKind, 'words'> | 'other';

export interface NameRow {
    cells: string[];
    /** false for titles, headers, sums, and people who are not pupils */
    isPupil: boolean;
}

/** A list that somebody pastes, as it was understood. */
export interface NameTable {
    columns: ColumnUse[];
    /** the header's words; empty if there is none */
    header: string[];
    rows: NameRow[];
}

export const nameParts: readonly NamePart[] = ['whole', 'given', 'family', 'name'];

const isNamePart = (use: ColumnUse | undefined): use is NamePart => nameParts.some((part) => part === use);

/** A suffix of a name, also after a comma. */
const BEHIND = /^(?:jr|sr|junior|senior|ii|iii|iv)\.?$/i;

/** Words of a column that says who is a boy or a girl. */
const GENDER = new RegExp(String.raw`^(?:(?:fe)?male|boy|girl|m(?:asculino)?|f(?:emenino|eminino)?|männlich|weiblich|divers|junge`
    + String.raw`|mädchen|garçon|fille`
    + String.raw`|masculin|féminin|maschio|femmina|chico|chica|niño|niña|menino|menina|muž|žena|chlapec|dívka|(?:муж|жен)\.?`
    + String.raw`|мальчик|девочка|ذكر|أنثى|男|女|남|여)$`, 'iu');

/** How many rows can be above a header. */
const MAX_TITLES = 15;
/** From how many rows on words that are there again and again are those of groups. */
const ENOUGH_ROWS = 4;

const column = (rows: readonly NameRow[], at: number): string[] => rows.filter(({ isPupil }) => isPupil).map(({ cells }) => cells[at] ?? '');
const widthOf = (rows: readonly (readonly string[])[]): number => Math.max(0, ...rows.map((row) => row.length));
const isSame = (one: readonly string[], other: readonly string[]): boolean => one.length === other.length && one.every((cell, at) => cell === other[at]);

/** Words such as those of groups or of a choice: few, and each again and again. */
function isRepeated(cells: readonly string[]): boolean {
    const filled = cells.filter((cell) => cell !== '');
    return filled.length >= ENOUGH_ROWS && new Set(filled).size * 3 <= filled.length;
}

/** The uses of columns without a header. @param isInverted whether a comma and a blank are between two words, as in "Adams, Zoe" */
function usesOf(rows: readonly NameRow[], isInverted: boolean): ColumnUse[] {
    const all = Array.from({ length: widthOf(rows.map(({ cells }) => cells)) }, (_, at): ColumnUse => {
        const cells = column(rows, at);
        const kind = kindOfColumn(cells);
        const isLetter = (cell: string): boolean => /^[\p{L}.]?$/u.test(cell) && !/\p{Script=Han}|\p{Script=Hangul}/u.test(cell);
        return kind !== 'words' ? kind : cells.every((cell) => GENDER.test(cell) || isLetter(cell)) ? 'other' : 'name';
    });
    const names = all.flatMap((use, at) => (use === 'name' ? [at] : []));
    const telling = names.filter((at) => !isRepeated(column(rows, at)));
    const likely = telling.filter((at) => !column(rows, at).every((cell) => /\p{Nd}/u.test(cell)));
    const used = [likely, telling, names].find(({ length }) => length > 0) ?? [];
    return all.map((use, at) => (use !== 'name' ? use : !used.includes(at) ? 'other' : used.length === 1 ? 'whole' : !isInverted || used.length > 2 ? 'name' : at === used[0] ? 'family' : 'given'));
}

/** A table whose header says where the names are; undefined if it has none. */
function withHeader(rows: readonly string[][]): NameTable | undefined {
    const at = rows.slice(0, MAX_TITLES).findIndex((row) => nameColumns(row).size > 0 && row.every((cell) => kindOf(cell) === 'words' || kindOf(cell) === 'class' || cell === ''));
    const header = rows[at];
    if (header === undefined) {
        return undefined;
    }

    const parts = nameColumns(header);
    const read = rows.flatMap((cells, row): NameRow[] => (row === at ? [] : [{ cells, isPupil: row > at && !isSame(cells, header) && !isTitle(cells) && isOfPupil(header, cells) }]));
    const columns = Array.from({ length: widthOf(rows) }, (_, each): ColumnUse => {
        const kind = kindOfColumn(column(read, each));
        return parts.get(each) ?? (kind === 'words' ? 'other' : kind);
    });
    return { header, columns, rows: read };
}

/** A table without a header that is known. If all but the first row have an address or a date somewhere, that one is a header. */
function withoutHeader(rows: readonly string[][], isInverted: boolean): NameTable {
    const [first = [], ...others] = rows;
    const isHeader = others.length > 0 && first.length > 1 && first.every((cell) => cell === '' || kindOf(cell) === 'words') && first.some((cell, at) => cell !== '' && kindOfColumn(others.map((row) => row[at] ?? '')) !== 'words');
    const all = isHeader ? others : rows;
    // What begins most of the rows is no title, but a column of its own.
    const isColumn = all.filter((cells) => cells.length > 1 && isTitle(cells)).length * 2 > all.length;
    const read = all.map((cells): NameRow => ({ cells, isPupil: isColumn || !isTitle(cells) }));
    return { header: isHeader ? first : [], columns: usesOf(read, isInverted), rows: read };
}

/** A list with several names a line: each cell is one. */
function ofCells(rows: readonly string[][]): NameTable {
    const cells = rows.flat().filter((cell) => cell !== '');
    const last = cells.at(-1) ?? '';
    const [, before = '', behind] = /^(?:(.*\S) )?(?:and|&|und|et|и|و|和) (\S.*)$/iu.exec(last) ?? /^(\S+) [yea] (\S+)$/iu.exec(last) ?? [];
    const all = behind === undefined ? cells : [...cells.slice(0, -1), ...before === '' ? [] : [before], behind];
    return { header: [], columns: ['whole'], rows: all.map((cell) => ({ cells: [cell], isPupil: !isTitle([cell]) })) };
}

/** Whether each cell is a name: on one line, or if there are more or fewer of them on each. */
function isListOfCells(separator: string, rows: readonly string[][]): boolean {
    const many = rows.filter((row) => row.length > 1);
    const isOfWords = rows.flat().every((cell) => cell === '' || (kindOf(cell) === 'words' && wordsIn(cell) !== ''));
    if (!isOfWords || many.length * 2 <= rows.length - 1) {
        return false;
    }

    // "Zoe Adams, Jr."
    if (many.some((row) => row.some((cell) => BEHIND.test(cell)))) {
        return false;
    }

    const isOneLine = rows.length === 1;
    const isEven = rows.every((row) => row.length === many[0]?.length);
    return isOneLine ? separator !== '\t' || widthOf(rows) > 2 : !isEven || (separator === ',' && widthOf(rows) > 2);
}

/** Two names in a line, such as "Zoe and Ben". */
const TWO = /^[^\s,;]+ (?:and|&|und|et|y|e|a|и|و|和) [^\s,;]+$/iu;

/** Dates without a comma of their own: "March 12, 2015". */
const withoutCommas = (list: string): string => list.replace(/(\p{L}{3,}\.? \d{1,2}(?:st|nd|rd|th)?), ?(?=\d{4}(?!\d))/giu, '$1 ');

/** A header before each name: "Name: Zoe Adams". */
const LABEL = /^([^:：,;\t\n]{1,30})(?::[^\S\n]+|：[^\S\n]*)(?=\S)/gmu;

/** A group before the names in it. */
const GROUP = new RegExp(String.raw`^(?:(?:class|klasse|classe|clase|turma|třída|класс|group|gruppe|groupe|gruppo|grupo|skupina`
    + String.raw`|группа|team|boys|girls`
    + String.raw`|jungen|mädchen|pupils|students|schüler(?:innen)?|élèves|alunni|alumnos|alunos|žáci)[^,;:\n]{0,20}`
    + String.raw`|\d{1,2}\s?\p{L}):\s*(\S.*[,;].*)`, 'gimu');

/** A list in which what is apart by other signs is in lines of its own: by numbers, dots, strokes, blanks between Chinese names. */
function onePerLine(list: string): string {
    const text = list.replace(/^[ \t]*(?:[（(][一二三四五六七八九十]+[)）]|[一二三四五六七八九十]+、)\s*/gm, '')
        .replace(LABEL, (all, label: string) => (partOf(label) === undefined ? all : ''))
        .replace(GROUP, (_all, names: string) => names.replace(/\s*[,;]\s*|\s+(?:and|&|und|et)\s+/g, '\n'));
    const line = text.trim();
    if (/[\r\n\t,;]/.test(line)) {
        return text;
    }

    const isChinese = /^\p{Script=Han}{2,4}(?:[ \u3000]\p{Script=Han}{2,4}){2,}$/u.test(line);
    return line.replace(/\s+[/•·∙]\s+|(?<=\S)\s+(?=\d{1,3}[.)]\s)/g, '\n').replace(/[ \u3000]/g, isChinese ? '\n' : '$&');
}

/** A list with tabs between columns that are apart by blanks. */
const withTabs = (list: string): string => (/[\t;,]/.test(list) ? list : list.replace(/(\S)[ \u00A0]{3,}(?=\S)/g, '$1\t'));

/** Whether a table has more than one cell in some row, as its header has. */
const hasCells = ({ header, rows }: NameTable): boolean =>
    header.length < 2 || !rows.some(({ isPupil }) => isPupil) || rows.some(({ isPupil, cells }) => isPupil && cells.length > 1);

/** @param isOfCells whether each cell is a pupil, if somebody has said it */
export function readList(pasted: string, isOfCells?: boolean): NameTable {
    const { text: list, separator: given } = withSeparator(pasted.replace(/^[\uFEFF\s]+/, ''));
    const text = withTabs(onePerLine(withoutCommas(list)));
    const tables = (given === undefined ? separators : [given]).filter((one) => text.includes(one)).map((separator) => ({ separator, rows: rowsOf(text, separator) })).filter(({ rows }) => widthOf(rows) > 1);
    if (isOfCells === true) {
        return ofCells(tables[0]?.rows ?? cellsOf(text));
    }

    const headed = tables.flatMap(({ rows }) => withHeader(rows) ?? []).filter(hasCells).sort((one, other) => other.columns.filter(isNamePart).length - one.columns.filter(isNamePart).length).find(({ header }) => header.length > 1);
    const lines = cellsOf(text);
    const oneColumn = headed ?? withHeader(lines);
    if (oneColumn !== undefined) {
        return oneColumn;
    }

    if (isOfCells !== false && lines.length === 1 && TWO.test(text.trim())) {
        return ofCells(lines);
    }

    const cells = isOfCells === false ? undefined : tables.find(({ separator, rows }) => isListOfCells(separator, rows));
    const even = tables.find(({ rows }) => isEvenTable(rows));
    if (cells !== undefined && (even === undefined || even === cells)) {
        return ofCells(cells.rows);
    }

    return even === undefined ? withoutHeader(lines, false) : withoutHeader(even.rows, even.separator === ',' && text.includes(', '));
}

/** Most of the rows have as many cells, and more than one. */
function isEvenTable(rows: readonly string[][]): boolean {
    const widths = rows.map((row) => row.length);
    const most = [...widths].sort((one, other) => one - other)[Math.floor(widths.length / 2)] ?? 0;
    return most > 1 && widths.filter((width) => width === most).length * 5 >= widths.length * 4;
}

/** The rows of a table; of one in Markdown, without its frame. */
function rowsOf(text: string, separator: string): string[][] {
    const rows = cellsOf(text, separator);
    return separator !== '|' ? rows : rows.filter((row) => !row.every((cell) => /^[\s:+=-]*$/.test(cell))).map((row) => row.slice(row[0] === '' ? 1 : 0, row.at(-1) === '' ? -1 : undefined));
}

const isInOneWord = (text: string): boolean => /^(?:\p{Script=Han}|\p{Script=Hangul}|\p{Script=Katakana}|\p{Script=Hiragana})+$/u.test(text);

/** A name as a class says it: "Adams, Zoe" is Zoe Adams. */
function inOrder(name: string): string {
    const [family = '', given = '', ...more] = name.split(/\s*[,，،]\s*/u);
    if (given === '' || more.length > 0) {
        return name;
    }

    return kindOf(given) !== 'words' ? family : BEHIND.test(given) ? `${family} ${given}` : `${given} ${family}`;
}

/** The name of a row; empty if it has none. */
export function nameIn({ columns }: Pick<NameTable, 'columns'>, { cells }: Pick<NameRow, 'cells'>): string {
    const parts = (use: NamePart): string[] => columns.flatMap((each, at) => (each === use ? [wordsIn(cells[at] ?? '')] : [])).filter((part) => part !== '');
    const [given, family] = [parts('given'), parts('family')];
    if (given.length === 1 && family.length === 1 && isInOneWord(`${given.join('')}${family.join('')}`)) {
        return `${family.join('')}${given.join('')}`;
    }

    return tidy([...parts('whole').map(inOrder), ...given, ...parts('name'), ...family].join(' '));
}

/** The names in a list that somebody pastes. */
export function namesIn(pasted: string): string[] {
    const table = readList(pasted);
    return table.rows.filter(({ isPupil }) => isPupil).map((row) => nameIn(table, row)).filter((name) => name !== '');
}
