import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { BrowserContextOptions, Page } from 'playwright-core';

import { textOptions } from '../../src/site/text-options';
import { root } from './program';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const laptop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** A way in which every page can be looked at. */
export interface Look {
    name: string;
    lang: 'en' | 'ar';
    isNarrow: boolean;
    options: BrowserContextOptions;
    /** Words of the site in its language, without plural forms. */
    t(key: string, values?: Readonly<Record<string, string>>): string;
}

function lookOf(isNarrow: boolean, colorScheme: 'light' | 'dark', lang: Look['lang']): Look {
    const texts: Record<string, string> = JSON.parse(readFileSync(join(root, `web/locales/${lang}.json`), 'utf8'));
    return {
        name: `${isNarrow ? 'on a phone' : 'on a laptop'}, ${colorScheme}, ${lang === 'ar' ? 'from right to left' : 'from left to right'}`,
        lang, isNarrow,
        // Colours on their way from one to another are none to judge.
        options: { viewport: isNarrow ? phone : laptop, colorScheme, locale: lang, reducedMotion: 'reduce' },
        t: (key, values = {}) => (texts[key] ?? key).replace(/\{\{(\w+)\}\}/g, (_all, name) => textOptions.interpolation.escape(values[name] ?? ''))
    };
}

const all = [lookOf(false, 'light', 'ar'), lookOf(false, 'dark', 'en'), lookOf(true, 'light', 'en'), lookOf(true, 'dark', 'ar')];

/** The hardest to get right; with `LOOKS=all`, as each night, each size in each colour and each direction, and each colour in each direction. */
export const looks = process.env.LOOKS === 'all' ? all : all.slice(-1);

/** The faults that axe finds in what a page shows now. @param but what is left out, such as pages whose colours people choose @param within the part that is looked at; otherwise all of it */
export async function faultsOn(page: Page, but: readonly string[] = [], within = 'html'): Promise<string[]> {
    if (!await page.evaluate<boolean>('"axe" in window')) {
        await page.evaluate(axe);
    }

    return page.evaluate(`axe.run(${JSON.stringify({ include: [[within]], exclude: but.map((one) => [one]) })}, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ' ' + html.slice(0, 300) + ' ' + any.map(({ message }) => message).join())))`);
}

/** Everything that opens over a page or in it, once for each place of the sources in the folders that makes it: dialogs, menus and details. */
export function openersIn(...folders: readonly string[]): string[] {
    return folders.flatMap((folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.tsx') && name !== 'menu.tsx').flatMap((name) => {
        const found = readFileSync(join(root, folder, name), 'utf8').match(/<(?:Dialog|Confirm|Menu|details)\b/g) ?? [];
        return found.map(() => `${folder}/${name}`);
    })).sort();
}
