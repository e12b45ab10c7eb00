import { readFile, stat } from 'node:fs/promises';
import { TextDecoder } from 'node:util';

import type { SiteConfig } from '../config/site';
import { errorMessage } from '../database/statements/error-message';

/** The pages with texts of the operators, each at the path of its name, and the variables that name their files. */
const variables = { imprint: 'SITE_IMPRINT', privacy: 'SITE_PRIVACY' } as const;

export type PlaceText = keyof typeof variables;

export const placeTexts: readonly PlaceText[] = ['imprint', 'privacy'];

/** Most bytes of such a file: its page is HTML of about that size. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads a text of the operators, which is Markdown. HTML in it is shown as text.
 * @returns HTML
 * @throws Error with a message for an operator
 */
export async function readPlaceText(name: PlaceText, path: string): Promise<string> {
    try {
        const { size } = await stat(path);
        if (size > MAX_BYTES) {
            throw new Error(`it has ${size} bytes, and may have ${MAX_BYTES}`);
        }

        const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
        const { default: MarkdownIt } = await import('markdown-it');
        return new MarkdownIt({ html: false }).render(text);
    }
    catch (error) {
        throw new Error(`${variables[name]} cannot be used. ${path}: ${errorMessage(error)}`, { cause: error });
    }
}

/** All texts that the settings name, as HTML. @throws as {@link readPlaceText} */
export async function readPlaceTexts(place: Pick<SiteConfig, PlaceText>): Promise<ReadonlyMap<PlaceText, string>> {
    const texts = new Map<PlaceText, string>();
    for (const name of placeTexts) {
        const path = place[name];
        if (path !== null) {
            texts.set(name, await readPlaceText(name, path));
        }
    }

    return texts;
}

/** Faults of the texts that the environment names, in words for an operator. */
export async function placeTextFaults(environment: Readonly<Record<string, string | undefined>>): Promise<string[]> {
    const faults = await Promise.all(placeTexts.map((name) => {
        const path = environment[variables[name]];
        return !path ? [] : readPlaceText(name, path).then(() => [], (error: unknown) => [errorMessage(error)]);
    }));
    return faults.flat();
}
