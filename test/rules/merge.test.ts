import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { checkSizes, mergeFields } from '../../src/rules/merge';
import { JsonText, emptyObject } from '../../src/api/json/json-text';
import { membersOf } from '../../src/api/json/members';

export const lab = script();
const { describe, it } = lab;

/** What the tests give as free-form objects, as JSON text; other fields as they are. */
type Given = Record<string, unknown>;

const isObject = (name: string): boolean => name === 'attributes' || name === 'styles';

const given = (fields: Given): object => Object.fromEntries(Object.entries(fields).map(([name, value]) => {
    return [name, isObject(name) ? new JsonText(typeof value === 'string' ? value : JSON.stringify(value)) : value];
}));

/** The merged fields, free-form objects as their text; or the conflicts. */
async function merged(base: Given | null, mine: Given, current: Given): Promise<Given | string[]> {
    const { fields, conflicts } = await mergeFields(base && given(base), given(mine), given(current));
    const shown = Object.entries(fields).map(([name, value]: [string, unknown]) => [name, value instanceof JsonText ? value.text : value]);
    return conflicts.length > 0 ? conflicts : Object.fromEntries(shown);
}

const large = (order: readonly string[]): string => `{"big":{${order.map((key) => `"${key}":"${'x'.repeat(100_000)}"`).join(',')}}}`;
const many = (count: number, more: object): object => ({ ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])), ...more });

describe('a merge', () => {
    const cases: { of: string; base: Given | null; mine: Given; current: Given; gives: Given | string[] }[] = [
        { of: 'a field that only I changed', base: { title: 'a' }, mine: { title: 'b' }, current: { title: 'a' }, gives: { title: 'b' } },
        { of: 'a field that only the others changed', base: { title: 'a' }, mine: { title: 'a' }, current: { title: 'b' }, gives: { title: 'b' } },
        { of: 'a field that both changed alike', base: { title: 'a' }, mine: { title: 'b' }, current: { title: 'b' }, gives: { title: 'b' } },
        { of: 'a field that both changed', base: { title: 'a', description: '' }, mine: { title: 'b', description: 'x' }, current: { title: 'c', description: 'y' }, gives: ['/title', '/description'] },
        { of: 'a field that I do not send', base: { title: 'a', description: '' }, mine: { title: 'b' }, current: { title: 'a', description: 'x' }, gives: { title: 'b' } },
        { of: 'a thumbnail, as a whole', base: { thumbnail: { 320: 'a' } }, mine: { thumbnail: { 320: 'a', 640: 'b' } }, current: { thumbnail: { 320: 'c' } }, gives: ['/thumbnail'] },
        { of: 'a thumbnail that is there as text', base: { thumbnail: new JsonText('{"320":"a"}') }, mine: { thumbnail: { 320: 'a' } }, current: { thumbnail: new JsonText('{"320":"c"}') }, gives: { thumbnail: { 320: 'c' } } },
        { of: 'a thumbnail in another order', base: { thumbnail: new JsonText('{"640":"b","320":"a"}') }, mine: { thumbnail: { 320: 'a', 640: 'b' } }, current: { thumbnail: { 320: 'c' } }, gives: { thumbnail: { 320: 'c' } } },
        { of: 'a place that only I changed', base: { x: 0, y: 0 }, mine: { x: 1 }, current: { x: 0, y: 0 }, gives: { x: 1 } },
        { of: 'a place that only the others changed', base: { x: 0, y: 0 }, mine: { x: 0, y: 0 }, current: { x: 5, y: 6 }, gives: { x: 5, y: 6 } },
        { of: 'places that differ, though in one coordinate each', base: { x: 0, y: 0 }, mine: { x: 1 }, current: { x: 0, y: 1 }, gives: ['/position'] },
        { of: 'places that differ in both', base: { x: 0, y: 0 }, mine: { x: 1, y: 1 }, current: { x: 2, y: 2 }, gives: ['/position'] },
        { of: 'the same place', base: { x: 0, y: 0 }, mine: { y: 1 }, current: { x: 0, y: 1 }, gives: { y: 1 } },
        { of: 'different keys', base: { styles: { a: 1, b: 1 } }, mine: { styles: { a: 2, b: 1 } }, current: { styles: { a: 1, b: 2 } }, gives: { styles: '{"a":2,"b":2}' } },
        { of: 'keys that both added', base: { styles: {} }, mine: { styles: { a: 1 } }, current: { styles: { b: 1 } }, gives: { styles: '{"b":1,"a":1}' } },
        { of: 'the same key that both added', base: { styles: {} }, mine: { styles: { a: 1 } }, current: { styles: { a: 2 } }, gives: ['/styles/a'] },
        { of: 'the same key that both added with one value', base: { styles: {} }, mine: { styles: { a: [1] } }, current: { styles: { a: [1] } }, gives: { styles: '{"a":[1]}' } },
        { of: 'a key that I removed', base: { styles: { a: 1, b: 1 } }, mine: { styles: { b: 1 } }, current: { styles: { a: 1, b: 2 } }, gives: { styles: '{"b":2}' } },
        { of: 'a key that the others removed', base: { styles: { a: 1, b: 1 } }, mine: { styles: { a: 1, b: 2 } }, current: { styles: { b: 1 } }, gives: { styles: '{"b":2}' } },
        { of: 'a key that both removed', base: { styles: { a: 1, b: 1 } }, mine: { styles: { b: 1 } }, current: { styles: { b: 1, c: 1 } }, gives: { styles: '{"b":1,"c":1}' } },
        { of: 'a key that I removed and the others changed', base: { styles: { a: 1 } }, mine: { styles: {} }, current: { styles: { a: 2 } }, gives: ['/styles/a'] },
        { of: 'a key that I changed and the others removed', base: { styles: { a: 1 } }, mine: { styles: { a: 2 } }, current: { styles: {} }, gives: ['/styles/a'] },
        { of: 'a key within a key', base: { styles: { a: { b: 1, c: 1 } } }, mine: { styles: { a: { b: 2, c: 1 } } }, current: { styles: { a: { b: 1, c: 2 } } }, gives: ['/styles/a'] },
        { of: 'values in another order', base: { styles: { a: { b: 1, c: 1 }, d: 1 } }, mine: { styles: { a: { c: 1, b: 1 }, d: 2 } }, current: { styles: { a: { b: 2, c: 1 }, d: 1 } }, gives: { styles: '{"a":{"b":2,"c":1},"d":2}' } },
        { of: 'two objects', base: { attributes: { a: 1 }, styles: { a: 1 } }, mine: { attributes: { a: 2 }, styles: { a: 2 } }, current: { attributes: { a: 3 }, styles: { a: 3 } }, gives: ['/attributes/a', '/styles/a'] },
        { of: 'keys that a pointer has to escape', base: { styles: {} }, mine: { styles: { 'a/b~c': 1, '': 1 } }, current: { styles: { 'a/b~c': 2, '': 2 } }, gives: ['/styles/a~1b~0c', '/styles/'] },
        { of: 'keys that objects have of their own', base: { styles: '{}' }, mine: { styles: '{"__proto__":1,"toString":1}' }, current: { styles: '{"constructor":2}' }, gives: { styles: '{"constructor":2,"__proto__":1,"toString":1}' } },
        { of: 'the key __proto__ of both', base: { styles: '{}' }, mine: { styles: '{"__proto__":1}' }, current: { styles: '{"__proto__":2}' }, gives: ['/styles/__proto__'] },
        { of: 'numbers, which keep their digits', base: { styles: '{"a":1.50,"b":1}' }, mine: { styles: '{"a":1.5,"b":2}' }, current: { styles: '{"c":12345678901234567890,"a":1.50,"b":1}' }, gives: { styles: '{"c":12345678901234567890,"a":1.5,"b":2}' } },
        { of: 'text with blanks', base: { styles: '{ "a" : [ 1, 2 ] , "b" : "x" }' }, mine: { styles: '{"a":[1,2],"b":"y"}' }, current: { styles: '{"a":[1,2,3],"b":"x"}' }, gives: { styles: '{"a":[1,2,3],"b":"y"}' } },
        { of: 'a long value in another order, of which the text counts', base: { styles: large(['a', 'b', 'c']) }, mine: { styles: large(['b', 'a', 'c']) }, current: { styles: large(['c', 'a', 'b']) }, gives: ['/styles/big'] },
        { of: 'an object that was not there', base: {}, mine: { styles: { a: 1 } }, current: { styles: { b: 1 } }, gives: { styles: '{"b":1,"a":1}' } },
        { of: 'very many keys, as a whole', base: { styles: many(10_000, {}) }, mine: { styles: many(10_000, { a: 1 }) }, current: { styles: many(10_000, { b: 1 }) }, gives: ['/styles'] },
        { of: 'very many keys that both removed', base: { styles: many(10_001, {}) }, mine: { styles: { a: 1 } }, current: { styles: { b: 1 } }, gives: ['/styles'] },
        { of: 'very many keys that the others added', base: { styles: {} }, mine: { styles: { a: 1 } }, current: { styles: many(10_001, {}) }, gives: ['/styles'] },
        { of: 'very many keys that only the others changed', base: { styles: many(10_001, {}) }, mine: { styles: many(10_001, {}) }, current: { styles: '{}' }, gives: { styles: '{}' } },
        { of: 'fields with an unknown base', base: null, mine: { title: 'a', x: 1, styles: { a: 1, b: 1 } }, current: { title: 'a', x: 1, y: 1, styles: { b: 2, a: 1, c: 1 } }, gives: ['/styles/b', '/styles/c'] },
        { of: 'a place with an unknown base', base: null, mine: { x: 1 }, current: { x: 2, y: 1 }, gives: ['/position'] },
        { of: 'nothing', base: null, mine: {}, current: { title: 'a' }, gives: {} }
    ];
    for (const { of, base, mine, current, gives } of cases) {
        it(`of ${of}`, async () => {
            expect(await merged(base, mine, current)).to.equal(gives);
        });
    }

    it('does not change what it is given', async () => {
        const mine = { styles: new JsonText('{"a":1}') };
        await mergeFields({ styles: emptyObject }, mine, { styles: new JsonText('{"b":1}') });
        expect(mine.styles.text).to.equal('{"a":1}');
    });

    it('is refused if an object is too large after it', () => {
        const attributes = new JsonText(`{"a":"${'é'.repeat(1024 * 1024)}"}`);
        expect(() => checkSizes({ title: 'x', attributes })).to.throw(/"attributes" would be larger than 2 MiB after the merge/);
        expect(() => checkSizes({ title: 'x', styles: emptyObject })).to.not.throw();
    });
});

describe('the members of an object', () => {
    const cases: [string, [string, string][]][] = [
        ['{}', []],
        [' { } ', []],
        ['{"a":1}', [['a', '1']]],
        ['{"a":{"b":[1,{"c":"}"}]},"d":"\\"],{","e":[]}', [['a', '{"b":[1,{"c":"}"}]}'], ['d', '"\\"],{"'], ['e', '[]']]],
        [' { "a" : null , "\\u00e9\\"" :\n-1.0e2 } ', [['a', 'null'], ['é"', '-1.0e2']]],
        ['{"a":1,"a":2}', [['a', '2']]]
    ];
    for (const [text, members] of cases) {
        it(`${text} are its keys with the texts of their values`, () => {
            expect([...membersOf(text, 10) ?? []]).to.equal(members);
        });
    }

    it('are not given if they are too many', () => {
        expect(membersOf('{"a":1,"b":2}', 1)).to.be.undefined();
    });

    it('end with the text', () => {
        expect([...membersOf('{"a":"x', 1) ?? []]).to.equal([['a', '"x']]);
        expect([...membersOf('{"a":[1', 1) ?? []]).to.equal([['a', '[1']]);
    });
});
