import { createReadStream } from 'node:fs';

import { SaxesParser } from 'saxes';

import { fault } from '../../api/errors/errors';

/** Most levels of elements within each other. */
const MAX_LEVELS = 256;

/** Most attributes of one element. The parser looks for doubles among them. */
const MAX_ATTRIBUTES = 1000;

const SVG = 'http://www.w3.org/2000/svg';

/** A length in pixels, such as `12` or `12.5px`; null for any other. */
const pixels = (value: string | undefined): number | null => {
    const [, number] = /^\s*(\d{1,6}(?:\.\d{1,6})?)(?:px)?\s*$/.exec(value ?? '') ?? [];
    return number === undefined ? null : Math.max(1, Math.round(Number(number)));
};

const refused = (why: string): Error => fault('type_mismatch', `The body is not an SVG drawing that is accepted here: ${why}.`);

/**
 * Checks that a file is well-formed XML in UTF-8 whose root is an `svg`, and has no definitions of its own, which some programs would
 * expand without end. What is in it does not matter: it is only ever sent with a policy under which nothing in it runs.
 * @returns its size in pixels, as far as it says one
 * @throws 400 type_mismatch
 */
export async function checkDrawing(file: string): Promise<{ width: number | null; height: number | null }> {
    const parser = new SaxesParser({ xmlns: true });
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let levels = 0;
    let attributesOfTag = 0;
    let size: { width: number | null; height: number | null } = { width: null, height: null };
    let isRoot = true;
    parser.on('error', (error) => {
        throw refused(`it is not well-formed (${error.message.slice(0, 100)})`);
    });
    parser.on('doctype', (doctype) => {
        if (doctype.includes('[')) {
            throw refused('it has definitions in its document type');
        }
    });
    parser.on('opentagstart', () => {
        attributesOfTag = 0;
    });
    parser.on('attribute', () => {
        if (++attributesOfTag > MAX_ATTRIBUTES) {
            throw refused(`an element has more than ${MAX_ATTRIBUTES} attributes`);
        }
    });
    parser.on('opentag', ({ uri, local, attributes }) => {
        if (isRoot) {
            if (local !== 'svg' || uri !== SVG) {
                throw refused(`its root is not an svg element of ${SVG}`);
            }

            const [, , across, down] = String(attributes.viewBox?.value).trim().split(/[\s,]+/);
            isRoot = false;
            size = { width: pixels(attributes.width?.value) ?? pixels(across), height: pixels(attributes.height?.value) ?? pixels(down) };
        }

        if (++levels > MAX_LEVELS) {
            throw refused(`its elements nest more than ${MAX_LEVELS} levels deep`);
        }
    });
    parser.on('closetag', () => {
        levels--;
    });
    for await (const chunk of createReadStream(file)) {
        parser.write(decoded(decoder, chunk));
    }

    parser.write(decoded(decoder)).close();
    return size;
}

function decoded(decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): string {
    try {
        return decoder.decode(chunk, { stream: chunk !== undefined });
    }
    catch {
        throw refused('it is not in UTF-8');
    }
}
