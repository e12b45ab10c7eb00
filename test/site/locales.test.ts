import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { levels } from '../../src/community/administration/announcements';
import { adminActs } from '../../src/community/administration/log';
import { permissions } from '../../src/accounts/users/permissions';
import { errorDefinitions } from '../../src/api/errors/registry';
import { changeKinds } from '../../src/api/representations/change';
import { classRoles } from '../../src/classes/json';
import { memberRoles } from '../../src/api/representations/roles';
import { visibilities } from '../../src/api/representations/visibility';
import { TEST_EVENT, deliveryStates, offReasons, webhookEvents } from '../../src/api/representations/webhook-events';
import { publishLevels } from '../../src/classes/publish-levels';
import { acts } from '../../src/community/moderation/acts';
import { statedTypes } from '../../src/community/statements/json';
import { reportReasons } from '../../src/community/report-reasons';
import { buttonActionNames, forms } from '../../web/editor/elements';

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

    lab.test('end no sentence with a time, which may end with a full stop itself, as `10:50 a.m.` and `2026 г.` do', () => {
        const ending = ['en', ...others].flatMap((language) => Object.entries(read(language)).filter(([, text]) => /\{\{(?:time|until|when)\}\}\./.test(text)).map(([key]) => `${language}: ${key}`));
        expect(ending).to.equal([]);
    });

    lab.test('name buttons and parts of a page by their own words', () => {
        const labels = (text: string): string[] => Object.keys(english).filter((key) => english[key] === text);
        const named = Object.entries(english).flatMap(([key, text]) => [...text.matchAll(/“([^{}”]+)”/g)].map(([, name = '']) => ({ key, found: labels(name) }))).filter(({ found }) => found.length > 0);
        expect(named).to.not.be.empty();
        for (const language of others) {
            const texts = read(language);
            expect(named.filter(({ key, found }) => !found.some((label) => texts[key]?.includes(texts[label] ?? key))), language).to.equal([]);
        }
    });

    lab.test('have a text for each value of an enum that pages show', () => {
        const keys = [
            ...visibilities.flatMap((level) => [`visibility.${level}`, `editor.visibility_${level}`, `editor.visibility_${level}_means`]),
            ...memberRoles.map((role) => `editor.role_${role}`), ...changeKinds.map((kind) => `editor.kind_${kind}`), ...classRoles.map((role) => `classes.is_${role}`), ...publishLevels.map((level) => `classes.publish_${level}`), ...reportReasons.map((reason) => `player.reason_${reason}`),
            ...acts.map((act) => `log.${act}`), ...adminActs.map((act) => `admin.act_${act}`), ...levels.map((level) => `admin.level_${level}`), ...offReasons.map((reason) => `admin.off_${reason}`), ...permissions.map((name) => `admin.permission_${name}`),
            ...[...webhookEvents, TEST_EVENT].map((event) => `webhooks.event_${event.replace('.', '_')}`), ...offReasons.map((reason) => `webhooks.off_${reason}`), ...deliveryStates.map((state) => `webhooks.is_${state}`),
            ...statedTypes.flatMap((type) => [`decisions.of_${type}`, `moderation.thing_${type}`]),
            ...Object.keys(forms).map((form) => `editor.type_${form}`), ...['text', 'link', 'button'].map((form) => `editor.new_${form}`), ...buttonActionNames.map((action) => `editor.button_${action}`)
        ];
        expect(keys.filter((key) => !(key in english))).to.equal([]);
    });

    lab.test('name no error that the service does not have', () => {
        const own = ['later', 'network', 'other', 'project_number', 'required', 'suspended_until', 'too_short', 'username_characters', 'username_length', 'username_scripts'];
        const codes = Object.keys(english).filter((key) => key.startsWith('error.')).map((key) => baseOf(key).slice('error.'.length));
        expect(codes.filter((code) => !own.includes(code) && !Object.hasOwn(errorDefinitions, code))).to.equal([]);
        expect(own.filter((code) => Object.hasOwn(errorDefinitions, code))).to.equal([]);
    });

    lab.test('have a text for each key that a page names', () => {
        const named = [...sources.matchAll(/\bt\((?:[^'`()]*\? )?'([a-z_]+(?:\.[a-z_]+)+)'(?: : '([a-z_]+(?:\.[a-z_]+)+)')?/g)].flatMap(([, first, second]) => [first, second].filter((key) => key !== undefined));
        expect(named.length).to.be.above(100);
        expect(named.filter((key) => !(key in english) && !(`${key}_other` in english))).to.equal([]);
    });
});
