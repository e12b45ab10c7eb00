import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

export const lab = script();

const root = join(__dirname, '../..');
const folder = join(root, 'web/locales');
const read = (language: string): Record<string, string> => JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8'));
const english = read('en');
const others = readdirSync(folder).map((name) => basename(name, '.json')).filter((language) => language !== 'en');

/** A key without the plural form at its end, if it has several in English. */
const baseOf = (key: string): string => {
    const base = key.replace(/_(?:zero|one|two|few|many|other)$/, '');
    return `${base}_one` in english && `${base}_other` in english ? base : key;
};

const valuesIn = (text: string): string[] => [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => String(name)))].sort();

/** All sources of pages. */
const sources = ['web', 'src/site'].flatMap((each) => readdirSync(join(root, each), { recursive: true, encoding: 'utf8' }).map((name) => join(root, each, name)))
    .filter((path) => /\.tsx?$/.test(path)).map((path) => readFileSync(path, 'utf8')).join('\n');

lab.experiment('The texts of the site', () => {

    for (const language of ['en', ...others]) {
        lab.test(`are all there in ${language}, with each plural form of the language, and no others`, () => {
            const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
            const wanted = Object.keys(english).flatMap((key) => (baseOf(key) === key ? [key] : pluralCategories.map((form) => `${baseOf(key)}_${form}`)));
            expect(Object.keys(read(language)).sort()).to.equal([...new Set(wanted)].sort());
        });

        lab.test(`have the same values in ${language} as in English`, () => {
            for (const [key, text] of Object.entries(read(language))) {
                expect(text.trim(), key).to.not.be.empty();
                expect(valuesIn(text), key).to.equal(valuesIn(String(english[key] ?? english[`${baseOf(key)}_other`])));
            }
        });
    }

    lab.test('are translated', () => {
        for (const language of others) {
            const same = Object.entries(read(language)).filter(([key, text]) => text === english[key] && text.replace(/\{\{\w+\}\}/g, '').length > 15);
            expect(same.map(([key]) => key), language).to.equal([]);
        }
    });

    lab.test('have a text for each key that a page names', () => {
        const named = [...sources.matchAll(/\bt\((?:[^'`()]*\? )?'([a-z_]+(?:\.[a-z_]+)+)'(?: : '([a-z_]+(?:\.[a-z_]+)+)')?/g)].flatMap(([, first, second]) => [first, second].filter((key) => key !== undefined));
        expect(named.length).to.be.above(100);
        expect(named.filter((key) => !(key in english) && !(`${key}_other` in english))).to.equal([]);
    });
});
