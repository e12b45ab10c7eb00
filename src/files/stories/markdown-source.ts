/*
 * What stands in a file of Markdown that is not for readers: facts about the file at its beginning, and comments.
 */

/** A line of YAML: a key in any script, an item of a list, a comment, what belongs to the line above, or nothing. */
const yamlLine = /^(?:#.*|\s.*|-(?:\s.*)?|[}\]],?|(?:"[^"\n]+"|'[^'\n]+'|[^\s:#"'\-[\]{}>|*&!%@`][^:\n]*):(?:\s.*)?|)$/;
const yamlKey = /^[^\s#-][^:\n]*:(?:\s|$)/;

/** A file without the lines of YAML between `---` that it begins with, if it does, and its title by them. */
export function withoutFacts(text: string): { title: string | undefined; text: string } {
    const lines = text.split('\n').map((line) => line.trimEnd());
    const end = lines[0] === '---' ? lines.findIndex((line, at) => at > 0 && (line === '---' || line === '...' || !yamlLine.test(line))) : -1;
    const facts = lines.slice(1, Math.max(1, end));
    if (!/^(?:---|\.\.\.)$/.test(lines[end] ?? '') || facts[0] === '' || !facts.some((line) => yamlKey.test(line))) {
        return { title: undefined, text };
    }

    return { title: titleIn(facts), text: text.split('\n').slice(end + 1).join('\n') };
}

/** The value of `title`: in quotes or not, or in the lines below. */
function titleIn(facts: readonly string[]): string | undefined {
    const at = facts.findIndex((line) => /^(["']?)title\1\s*:/i.test(line));
    const value = at < 0 ? '' : String(facts[at]?.slice(facts[at].indexOf(':') + 1)).trim();
    if (value === '' || /^[>|][+-]?\d?(?:\s+#.*)?$/.test(value)) {
        const below = facts.slice(at + 1);
        const length = at < 0 ? 0 : below.findIndex((line) => !/^\s+\S/.test(line));
        return below.slice(0, length < 0 ? undefined : length).map((line) => line.trim()).join(' ') || undefined;
    }

    const [, double, single] = /^(?:"((?:\\.|[^"\\])*)"|'((?:''|[^'])*)')/.exec(value) ?? [];
    return double?.replace(/\\(["\\/])/g, '$1') ?? single?.replaceAll(`''`, `'`) ?? String(value.split(/\s#/, 1)[0]).trimEnd();
}

/** Where code begins, in which a comment is none, or where a comment begins. What has a backslash before is itself. */
const beginning = /^ {0,3}(`{3,}(?!.*`)|~{3,}(?!~)).*$|`+|\\[\\`<]|<!--/gm;

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

/** A file without its comments `<!-- … -->`, but for those in code. One that does not end is all of the rest, as in browsers, if it begins a line. */
export function withoutComments(text: string): string {
    const pieces: string[] = [];
    const [lastComment, backticks] = [text.lastIndexOf('-->'), backticksIn(text)];
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
        else if (sign === '<!--') {
            const isBlock = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, index - 100), index));
            if (index < lastComment || isBlock) {
                pieces.push(text.slice(from, index));
                from = index < lastComment ? text.indexOf('-->', index + 2) + 3 : text.length;
                beginning.lastIndex = from;
            }
        }
    }

    return pieces.join('') + text.slice(from);
}
