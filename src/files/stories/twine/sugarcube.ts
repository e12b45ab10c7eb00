import { Finder, LEFT_OUT, linkTo, literal, pictureOf, stringIn } from './left-out';

/** Characters after a link of which the format runs something: more is not looked through for where it leads. */
const MAX_OF_LINK = 2000;

/** Macros with code between them, of which nothing is shown. */
const containers = new Set(['script', 'style', 'silently', 'silent', 'widget', 'done']);

/** Macros that are links. */
const links = new Set(['goto', 'link', 'button', 'click', 'linkappend', 'linkprepend', 'linkreplace']);

const bracketLink = /^\s*(\[\[[^\n]*\]\])/;
const argument = `${literal}|\`[^\`]*\`|[^\\s"'\`[\\]>]+`;
const words = new RegExp(String.raw`^\s*(${argument})(?:\s+(${argument}))?`);
const goto = new RegExp(String.raw`<<goto\s+(?:(${argument})|\[\[([^\]\n]*)\]\])`, 'i');

/** The value of a part of a macro: a word of its own is a string, too. Empty if only the format knows it. */
function valueOf(text: string): string {
    const inside = text.replace(/^`|`$/g, '').trim();
    return /^["']/.test(inside) ? stringIn(inside) : /^[$_(\d]|^$/.test(inside) || inside !== text ? '' : text;
}

/** `[img[Words|Source][Link][setter]]` */
const pictureLink = /^\[[<>]?img\[([^\n]*?)\](?:\[([^[\]\n]*)\])?(?:\[[^\n]*?\])?\]/i;

/** The place after the `>>` of a macro whose name ends at a place; -1 if there is none. Strings and links in it may have `>>`. */
function endOfMacro(text: string, from: number, finder: Finder): number {
    const part = />>|["'`]|\[\[/g;
    for (part.lastIndex = from; ;) {
        const found = finder.ignoresStrings ? null : part.exec(text);
        if (found === null) {
            finder.ignoresStrings = true;
            return finder.after('>>', from);
        }

        if (found[0] === '>>') {
            return part.lastIndex;
        }

        if (found[0] === '[[') {
            const line = text.slice(part.lastIndex, part.lastIndex + MAX_OF_LINK).split('\n', 1)[0] ?? '';
            part.lastIndex += Math.max(0, line.indexOf(']]') + 2);
        }
        else {
            part.lastIndex = finder.afterString(found.index);
        }
    }
}

/** A link of a macro as it is shown, and where the text goes on. */
function linkIn(text: string, name: string, parts: string, end: number): [shown: string, next: number] {
    const [, link] = bracketLink.exec(parts) ?? [];
    if (link !== undefined) {
        return [link, end];
    }

    const [picture, next] = pictureAt(parts.trimStart(), 0);
    const [, first, second] = words.exec(parts) ?? [];
    if (next >= 0 || first === undefined) {
        return [next < 0 ? LEFT_OUT : picture, end];
    }

    const inside = name === 'goto' || second !== undefined ? '' : text.slice(end, end + MAX_OF_LINK);
    const until = Math.max(0, inside.toLowerCase().indexOf(`<</${name}`));
    const [, named = second, bare] = goto.exec(inside.slice(0, until)) ?? [];
    const [label, to] = name === 'goto' ? ['', valueOf(first)] : [valueOf(first), bare ?? valueOf(named ?? '')];
    return to === '' ? [label || LEFT_OUT, end] : [linkTo(label, to), end + until];
}

/** How code begins: HTML's, Snowman's, notes, macros, pictures. */
const beginning = /<!--|<script\b|<style\b|<%|\/%|\/\*|<<(\/?)([a-z][\w-]*|[=-])|\[[<>]?img\[/gi;

/** Ends of code, by how it begins; one of a tag is followed by `>`. */
const ends: Readonly<Record<string, string>> = { '<!--': '-->', '<script': '</script', '<style': '</style', '<%': '%>', '/%': '%/', '/*': '*/' };

/**
 * Leaves out what SugarCube and Snowman run, and scripts, styles and notes of all formats. Links and pictures that are macros become those that all formats have.
 * @param isSugarCube whether variables and notes between signs of JavaScript are left out, too, which may be words elsewhere
 */
export function readMacros(text: string, isSugarCube: boolean): string {
    const finder = new Finder(text);
    const pieces: string[] = [];
    let from = 0;
    beginning.lastIndex = 0;
    for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
        const [sign, slash = '', name] = found;
        const [shown, next] = name !== undefined ? macroAt(text, finder, slash + name.toLowerCase(), beginning.lastIndex) : sign.startsWith('[') ? pictureAt(text, found.index) : codeAt(finder, sign.toLowerCase(), beginning.lastIndex, isSugarCube);
        if (next >= 0) {
            pieces.push(text.slice(from, found.index), shown);
            from = next;
            beginning.lastIndex = next;
        }
        else if (name !== undefined) {
            // It does not end, and is no tag of HTML either.
            pieces.push(text.slice(from, found.index), '&lt;&lt;');
            from = found.index + 2;
        }
    }

    const rest = pieces.join('') + text.slice(from);
    return isSugarCube ? rest.replace(/(?:\$|(?<!\w)_(?=[a-z]))[a-z_]\w*(?:\.[a-z_]\w*|\[[^[\]\n]*\])*/gi, LEFT_OUT).replaceAll('\\\n', '') : rest;
}

function macroAt(text: string, finder: Finder, name: string, from: number): [string, number] {
    const end = endOfMacro(text, from, finder);
    if (end < 0) {
        return ['', end];
    }

    if (links.has(name)) {
        return linkIn(text, name, text.slice(from, end - 2), end);
    }

    const close = containers.has(name) ? finder.after(`<</${name}>>`, end) : -1;
    return [LEFT_OUT, Math.max(end, close)];
}

function pictureAt(text: string, at: number): [string, number] {
    const [all, inside = '', to] = pictureLink.exec(text.slice(at, at + MAX_OF_LINK).split('\n', 1)[0] ?? '') ?? [];
    if (all === undefined) {
        return ['', -1];
    }

    const bar = inside.lastIndexOf('|');
    const alt = inside.slice(0, Math.max(0, bar)).trim();
    return [pictureOf(inside.slice(bar + 1).trim(), alt) + (to === undefined ? '' : linkTo(alt || '→', to)), at + all.length];
}

function codeAt(finder: Finder, sign: string, from: number, isSugarCube: boolean): [string, number] {
    const end = sign === '/*' && !isSugarCube ? -1 : finder.after(String(ends[sign]), from);
    // Browsers, too, take a script that does not end for all of the rest.
    return [LEFT_OUT, /^<s/.test(sign) ? (end < 0 ? Infinity : Math.max(end, finder.after('>', end))) : end];
}
