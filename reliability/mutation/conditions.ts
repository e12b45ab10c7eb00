import { parse } from '@babel/parser';

/** One change of a condition in SQL, as a replacement of text in a source file. */
export interface SqlMutant {
    kind: 'condition' | 'either' | 'order' | 'count' | 'lock';
    start: number;
    end: number;
    text: string;
}

/** The end of a condition without brackets. The `from` of `is distinct from` does not end it. */
const next = /^\s(?:and|or|for|order|group|returning|union|limit|left|join|where|then|end|on|from)\b/;
const goesOn = /\bis(?: not)? distinct$/;

/**
 * All changes of the SQL in a source file, one at a time: a condition that always holds, one of two alternatives removed,
 * `and` for `or`, a reversed comparison, a counter that does not change, a lock that is not taken. All parameters stay in
 * use, because PostgreSQL would reject the statement otherwise, which any test notices.
 */
export function sqlMutants(source: string): SqlMutant[] {
    const { program } = parse(source, { sourceType: 'module', plugins: ['typescript'] });
    return (isNode(program) ? literals(program) : [])
        .filter(([start, end]) => /\$\d|_at\b|\b(?:from|where)\b|[\w}]\.\w+ (?:=|\+)|\bfor (?:share|no key)| is null /.test(source.slice(start, end)) && source[end - 1] !== '.')
        .flatMap(([start, end]) => mutantsOf(source.slice(start, end)).map((mutant) => ({ ...mutant, start: start + mutant.start, end: start + mutant.end })));
}

interface Node {
    type: string;
    start: number;
    end: number;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value && typeof value.start === 'number';

/** The positions of the strings in a file, without their quotes. A string inside `${…}` belongs to the outer one. */
function literals(node: Node): [number, number][] {
    const { type, start, end } = node;
    if (type === 'ImportDeclaration') {
        return [];
    }

    if (type === 'StringLiteral' || type === 'DirectiveLiteral' || type === 'TemplateLiteral') {
        return [[start + 1, end - 1]];
    }

    return Object.values(node).flat().filter(isNode).flatMap(literals);
}

function mutantsOf(sql: string): SqlMutant[] {
    const made: SqlMutant[] = [];
    for (const { index, 0: found, 1: keyword } of sql.matchAll(/\b(where|and|or|on(?! conflict| true\b))\s+/g)) {
        const start = index + found.length;
        const end = start + conditionAt(sql.slice(start));
        const condition = sql.slice(start, end).trimEnd();
        if (depthOf(sql.slice(0, index), '{', '}') > 0) {
            continue;
        }

        made.push({ kind: 'condition', start, end: start + condition.length, text: `(${condition} ${keyword === 'or' ? 'and false' : 'or true'})` });
        if (keyword === 'or') {
            made.push({ kind: 'either', start: index, end: index + 2, text: 'and' });
        }
    }

    // The first of several in brackets: what comes after says how they are joined.
    for (const { index } of sql.matchAll(/\((?=\$\{|\w|')/g)) {
        const start = index + 1;
        const length = conditionAt(sql.slice(start));
        const joined = /^\s*(and|or)\s/.exec(sql.slice(start + length))?.[1];
        if (joined !== undefined && depthOf(sql.slice(0, index), '{', '}') === 0) {
            const condition = sql.slice(start, start + length).trimEnd();
            made.push({ kind: 'condition', start, end: start + condition.length, text: `(${condition} ${joined === 'or' ? 'and false' : 'or true'})` });
        }
    }

    const each = (kind: SqlMutant['kind'], pattern: RegExp, text: (found: string) => string): void => {
        for (const { index, 0: found } of sql.matchAll(pattern)) {
            made.push({ kind, start: index, end: index + found.length, text: text(found) });
        }
    };

    each('condition', /^\w\.\w+ = \$\d$/g, (found) => `(${found} or true)`);
    each('order', / [<>] /g, (found) => (found === ' < ' ? ' > ' : ' < '));
    each('count', / \+ (?:1|w\.times)\b/g, () => '');
    each('lock', /for (?:share|no key update)(?: of \w)?/g, () => '');
    return made;
}

/** The length of the condition at the start of a text. */
function conditionAt(sql: string): number {
    let depth = 0;
    for (let at = 0; at < sql.length; ++at) {
        const character = sql[at] ?? '';
        if (depth === 0 && (')},'.includes(character) || (next.test(sql.slice(at)) && !goesOn.test(sql.slice(0, at))))) {
            return at;
        }

        depth += '({'.includes(character) ? 1 : ')}'.includes(character) ? -1 : 0;
    }

    return sql.length;
}

const depthOf = (text: string, open: string, close: string): number => text.split(open).length - text.split(close).length;
