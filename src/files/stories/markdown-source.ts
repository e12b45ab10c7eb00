/*
 * What stands in a file of Markdown that is not for readers: facts about the file at its beginning, and comments.
 */

import { Finder } from './twine/left-out';

/** A line of YAML: a key in any script, an item of a list, a comment, what belongs to the line above, or nothing. */
const yamlLine = /^(?:#.*|\s.*|-(?:\s.*)?|[}\]],?|(?:"[^"\n]+"|'[^'\n]+'|[^\s:#"'\-[\]{}>|*&!%@`][^\n]*?):(?:\s.*)?|)$/;

/** The first line of facts, with how they end, how each line of them looks, and one with a key: YAML, TOML, JSON. */
const forms: Readonly<Record<string, readonly [end: RegExp, line: RegExp, key: RegExp]>> = {
    '---': [/^(?:---|\.\.\.)$/, yamlLine, /^[^\s#-][^\n]*:(?:\s|$)/],
    '+++': [/^\+\+\+$/, /^(?:[\s#[}\]].*|["'\w.-]+\s*=.*|)$/, /=/],
    '{': [/^\}$/, /^(?:[\s"}\]].*|)$/, /^\s*"[^"]+"\s*:/]
};

/** A file without the lines of facts that it begins with, if it does, and its title by them. */
export function withoutFacts(source: string): { title: string | undefined; text: string } {
    const text = source.replace(/^(?:[^\S\n]*\n)+/, '');
    const lines = text.split('\n').map((line) => line.trimEnd());
    const [, pandoc] = /^% *(\S.*)$/.exec(lines[0] ?? '') ?? [];
    if (pandoc !== undefined) {
        return { title: pandoc, text: text.replace(/^(?:%.*\n?)+/, '') };
    }

    const [isEnd, isLine, isKey] = forms[lines[0] ?? ''] ?? [/^(?!)/, /^/, /^/];
    const end = lines.findIndex((line, at) => at > 0 && (isEnd.test(line) || !isLine.test(line)));
    const facts = lines.slice(1, Math.max(1, end));
    if (!isEnd.test(lines[end] ?? '') || facts[0] === '' || !facts.some((line) => isKey.test(line))) {
        return { title: undefined, text };
    }

    return { title: titleIn(facts) || undefined, text: text.split('\n').slice(end + 1).join('\n') };
}

/** The value of `title`: in quotes or not, or in the lines below. */
function titleIn(facts: readonly string[]): string | undefined {
    const at = facts.findIndex((line) => /^(?:\s*"title"|(["']?)title\1)\s*[:=]/i.test(line));
    const value = at < 0 ? '' : String(facts[at]?.slice(facts[at].search(/[:=]/) + 1)).trim();
    if (value === '' || /^[>|][+-]?\d?(?:\s+#.*)?$/.test(value)) {
        const below = facts.slice(at + 1);
        const length = at < 0 ? 0 : below.findIndex((line) => !/^\s+\S/.test(line));
        return below.slice(0, length < 0 ? undefined : length).map((line) => line.trim()).join(' ') || undefined;
    }

    const [, double, single] = /^(?:"((?:\\.|[^"\\])*)"|'((?:''|[^'])*)')/.exec(value) ?? [];
    return double?.replace(/\\(["\\/])/g, '$1') ?? single?.replaceAll(`''`, `'`) ?? String(value.split(/\s#/, 1)[0]).trimEnd();
}

/** Where code begins, in which a comment is none, or where a comment or an element without words begins. What has a backslash before is itself. */
const beginning = /^ {0,3}(`{3,}(?!.*`)|~{3,}(?!~)).*$|`+|\\[\\`<]|<(?:!--|(?:script|style|svg)\b)/gim;

/** The places after runs of backticks, by how many they are. */
function backticksIn(text: string): Map<number, number[]> {
    const ends = new Map<number, number[]>();
    for (const { 0: { length }, index } of text.matchAll(/`+/g)) {
        const list = ends.get(length) ?? [];
        list.push(index + length);
        ends.set(length, list);
    }

    ends.forEach((list) => list.reverse());
    return ends;
}

/**
 * A file without its comments `<!-- … -->`, scripts, styles and drawings, but for those in code. One that does not end is all of the rest, as in browsers, if it
 * begins a line.
 */
export function withoutComments(text: string): string {
    const pieces: string[] = [];
    const [finder, backticks] = [new Finder(text), backticksIn(text)];
    let from = 0;
    /** The place after what ends code; that after its beginning if nothing does. */
    const afterCode = (sign: string, at: number): number => {
        const ends = backticks.get(sign.length) ?? [];
        while (Number(ends.at(-1)) <= at) {
            ends.pop();
        }

        return ends.at(-1) ?? at;
    };

    beginning.lastIndex = 0;
    for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
        const { 0: sign, 1: fence, index } = found;
        if (fence !== undefined) {
            const closing = new RegExp(`^ {0,3}${fence}${fence.slice(0, 1)}*[ \\t]*$`, 'gm');
            closing.lastIndex = beginning.lastIndex;
            beginning.lastIndex = closing.test(text) ? closing.lastIndex : text.length;
        }
        else if (sign.startsWith('`')) {
            beginning.lastIndex = afterCode(sign, beginning.lastIndex);
        }
        else if (sign.startsWith('<')) {
            const before = text.slice(Math.max(0, index - 100), index);
            const end = finder.after(sign === '<!--' ? '-->' : `</${sign.slice(1).toLowerCase()}>`, index + 2);
            if (end >= 0 || /(?:^|\n)[ \t]*$/.test(before)) {
                // A drawing in an address stays.
                const isAddress = end >= 0 && /data:image\/svg\+xml[^,\s]*,$/i.test(before);
                pieces.push(text.slice(from, index), isAddress ? encodeURIComponent(text.slice(index, end)).replace(/[()']/g, (one) => `%${one.charCodeAt(0).toString(16)}`) : '');
                from = end >= 0 ? end : text.length;
                beginning.lastIndex = from;
            }
        }
    }

    return pieces.join('') + text.slice(from);
}
