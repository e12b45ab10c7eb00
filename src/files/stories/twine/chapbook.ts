import { LEFT_OUT, linkTo, literal, pictureOf, stringIn } from './left-out';

/** Lines that set variables, before one of two hyphens. */
const variable = /^\s*(?:[\w$.-]+(?:\s*\((?:[^()]|\([^()]*\))*\))?\s*:.*)?$/;

/** A line that says for whom or how what is below it is shown, up to the next one. */
const modifier = /^\[([^[\]]+)\]\s*$/;
const ofCode = /^(?:javascript|css|note|n\.b\.|fixme|todo)\b/i;

const insert = /\{([^{}\n]*)\}/g;
const field = (name: string): RegExp => new RegExp(String.raw`\b${name}\s*:\s*(${literal})`, 'i');
const [linkField, passage, label, imageField, alt, url] = ['(?:link to|reveal link)', 'passage', 'label', 'embed image', 'alt', 'url'].map(field);

const valueOf = (pattern: RegExp | undefined, text: string): string | undefined => pattern?.exec(text)?.slice(1).map(stringIn)[0];

/** An insert, as it is shown. */
function shownOf(inside: string): string {
    const [link, image] = [valueOf(linkField, inside), valueOf(imageField, inside) ?? (/^\s*embed image/i.test(inside) ? valueOf(url, inside) : undefined)];
    if (image !== undefined) {
        return pictureOf(image, valueOf(alt, inside) ?? '');
    }

    if (link === undefined) {
        return LEFT_OUT;
    }

    return /^\s*reveal/i.test(inside) ? linkTo(link, valueOf(passage, inside) ?? '') : linkTo(valueOf(label, inside) ?? link, link);
}

/** Leaves out the variables, modifiers and inserts of Chapbook. */
export function readChapbook(text: string): string {
    const all = text.split(/\r?\n/);
    const end = all.findIndex((line) => line.trimEnd() === '--');
    let isShown = true;
    const lines = (end >= 0 && all.slice(0, end).every((line) => variable.test(line)) ? all.slice(end + 1) : all).map((line) => {
        const [, name] = modifier.exec(line) ?? [];
        isShown = name === undefined ? isShown : !ofCode.test(name);
        return isShown && name === undefined ? line.replace(insert, (_all, inside: string) => shownOf(inside)) : LEFT_OUT;
    });
    return lines.join('\n');
}
