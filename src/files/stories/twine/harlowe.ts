import { Finder, LEFT_OUT, linkTo, literal, stringIn } from './left-out';

/** Macros of Harlowe by how their names begin, before a hyphen. Other words before a colon, as in "(Note: …)", are an author's. */
const macros = new Set(`set put move unpack print display if unless else elseif for loop either cond nth link linkgoto linkreveal linkreplace
linkrepeat click mouseover mouseout goto go undo restart reload refresh redirect save load savegame loadgame saved alert prompt confirm dialog
live stop event after a array dm datamap ds dataset dn dataname datanames datavalues dataentries text font align transition t8n css style
background bg hover hook hidden change enchant replace append prepend show hide rerun more random round floor ceil abs min max pow sqrt num
number str string seq sequence cycling input inputbox force checkbox dropdown meter border b4r corner float box button line char opacity
columns columns2 collapse nobr verbatim v6m storylet open exclusivity urgency history visited passage passages icon animate ignore debug
metadata joined words date weekday monthday time page current output out macro partial error uppercase lowercase upperfirst lowerfirst sorted
range shuffled rotated repeated reversed find folded all some none pass subarray substring interlaced altered count digit source split trimmed
colour color rgb rgba hsl hsla lch lcha gradient stripes palette mix complement`.split(/\s+/));

const macro = /\(([a-z0-9-]+|[$_]\w+)\s*:/iy;
const beginning = /\[\[|\[=*|\]|[{}]|\(|\|\w+[>)](?=\[)|(?:\$|(?<!\w)_)[a-z]\w*(?:'s \w+)?/gi;
const [first, last] = [String.raw`^\s*(${literal})`, String.raw`(${literal})\s*$`].map((pattern) => new RegExp(pattern));
const goto = new RegExp(String.raw`\(go-?to:\s*(${literal})`, 'i');
const named = /<\w+\|/y;
/** A sign that adds up macros. */
const joint = /\s{0,100}\+\s{0,100}(?=\()/y;

/** Characters of a hook that are looked through for where its link leads. */
const MAX_OF_HOOK = 2000;

/** The place after the `)` of a macro; -1 if there is none. */
function endOfMacro(text: string, from: number, finder: Finder): number {
    const part = /[()"'`]/g;
    let depth = 1;
    for (part.lastIndex = from; ;) {
        const found = part.exec(text);
        if (found === null) {
            return -1;
        }

        if (found[0] === '(' || found[0] === ')') {
            depth += found[0] === '(' ? 1 : -1;
            if (depth === 0) {
                return part.lastIndex;
            }
        }
        else {
            part.lastIndex = finder.afterString(found.index);
        }
    }
}

/** The words of the hook that begins at a place, without its brackets. */
function hookAt(text: string, at: number): string | undefined {
    const part = /[[\]]/g;
    const hook = text.slice(at, at + MAX_OF_HOOK);
    let depth = 0;
    for (let found = part.exec(hook); found !== null; found = part.exec(hook)) {
        depth += found[0] === '[' ? 1 : -1;
        if (depth === 0) {
            return hook.slice(1, found.index);
        }
    }

    return undefined;
}

/** Whether a hook begins at a place: a bracket, or one before a link. */
const isHook = (text: string, at: number): boolean => text[at] === '[' && (text[at + 1] !== '[' || text[at + 2] === '[');

/** A macro as it is shown, and where the text goes on. */
function shownOf(text: string, name: string, parts: string, end: number): [shown: string, next: number] {
    const [label, target] = [first, last].map((pattern) => pattern?.exec(parts)?.[1]);
    if (/go-?to$/.test(name)) {
        return [/^(?:click|mouse)/.test(name) || target === undefined ? LEFT_OUT : linkTo(label === undefined ? '' : stringIn(label), stringIn(target)), end];
    }

    if (!name.startsWith('link') || label === undefined) {
        return [LEFT_OUT, end];
    }

    const inside = isHook(text, end) ? hookAt(text, end) : undefined;
    const [, to] = goto.exec(inside ?? '') ?? [];
    return inside === undefined || to === undefined ? [stringIn(label), end] : [linkTo(stringIn(label), stringIn(to)), end + inside.length + 2];
}

/** Leaves out the macros and variables of Harlowe, and the brackets of hooks, whose words stay. */
export function readHarlowe(text: string): string {
    const finder = new Finder(text);
    const pieces: string[] = [];
    /** the brackets that are open: where each is in `pieces`, and whether it is one of a hook */
    const open: { piece: number; isHook: boolean }[] = [];
    let [from, hook, isBroken] = [0, -1, false];
    const put = (at: number, shown: string, next: number): void => {
        pieces.push(text.slice(from, at), shown);
        from = next;
        beginning.lastIndex = next;
    };

    beginning.lastIndex = 0;
    for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
        const { 0: sign, index } = found;
        const next = index + sign.length;
        if (sign === '(') {
            macro.lastIndex = index;
            const [all = '', name = ''] = macro.exec(text) ?? [];
            const end = all === '' || isBroken || !(macros.has(name.toLowerCase().split('-', 1).join()) || /^[$_]/.test(name)) ? 0 : endOfMacro(text, index + all.length, finder);
            isBroken ||= end < 0;
            if (end > 0) {
                const [shown, after] = shownOf(text, name.toLowerCase(), text.slice(index + all.length, end - 1), end);
                joint.lastIndex = after;
                put(index, shown, after + (joint.exec(text)?.[0].length ?? 0));
                hook = from + (/\s*/y.exec(text.slice(from, from + 100))?.[0].length ?? 0);
            }
        }
        else if (sign === '[[' && !(index === hook && isHook(text, index))) {
            const end = finder.after(']]', next);
            beginning.lastIndex = end < 0 ? next : end;
        }
        else if (sign.startsWith('[')) {
            const isOfHook = index === hook;
            const until = sign === '[[' ? next - 1 : next;
            put(index, isOfHook ? LEFT_OUT : sign, until);
            if (!sign.includes('=')) {
                open.push({ piece: pieces.length - 1, isHook: isOfHook });
            }
        }
        else if (sign === ']') {
            const bracket = open.pop();
            named.lastIndex = next;
            const [tag = ''] = named.exec(text) ?? [];
            if (bracket !== undefined && (bracket.isHook || tag !== '')) {
                pieces[bracket.piece] = LEFT_OUT;
                put(index, LEFT_OUT, next + tag.length);
            }
        }
        else {
            put(index, LEFT_OUT, next);
            hook = sign.startsWith('|') ? next : hook;
        }
    }

    return pieces.join('') + text.slice(from);
}
