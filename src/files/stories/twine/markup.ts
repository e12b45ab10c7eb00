/** A line without the signs of a format that say how its words look. */
export type Plain = (line: string) => string;

type Rule = readonly [pattern: RegExp, instead: string];

/** Signs on both sides of words. */
const around = (...signs: readonly string[]): Rule[] => signs.map((sign): Rule => {
    const end = sign.replace(/^\(.*?\)/, '').replaceAll('{', '}');
    return [new RegExp(String.raw`${sign}(?=\S)(.{0,1000}?\S)??${end}`, 'g'), '$1'];
});

const markdown: readonly Rule[] = [
    [/^\s*([-*_])(?:\s*\1){2,}\s*$/, ''], [/^\s*(?:#{1,6}|>)\s+/, ''], [/^(\s*)[-*+]\s+/, '$1• '],
    ...around(String.raw`\*\*`, '__', String.raw`\*`, String.raw`(?<!\w)_`, '~~', '`+')
];
const markups: Readonly<Record<string, readonly Rule[]>> = {
    sugarcube: [
        [/^-{4,}$/, ''], [/^(?:!{1,6}|>+)\s*/, ''], [/^[*#]+\s*/, '• '], [/@@(?:[^@;\n]*;)*([^@;\n]*)@@/g, '$1'],
        ...around(`''`, '(?<!:)//', '__', '==', String.raw`\^\^`, '~~', '"""', String.raw`\{\{\{`)
    ],
    harlowe: [
        [/^\s*(?:-{3,}|=*><?=+|<=+>?|=+>)\s*$/, ''], [/^\s*#{1,6}\s*/, ''], [/^\s*(?:\*+|(?:0\.)+)\s+/, '• '],
        ...around(`''`, '(?<!:)//', String.raw`\*\*`, String.raw`\*`, '~~', String.raw`\^\^`, '`+')
    ],
    chapbook: markdown, snowman: markdown
};

/** How lines of a format become plain. */
export function plainOf(format: string): Plain {
    const rules = markups[format] ?? [];
    return (line) => rules.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line);
}
