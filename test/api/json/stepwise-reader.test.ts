import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import fc from 'fast-check';

import { JsonText, RefusedObject } from '../../../src/api/json/json-text';
import { StepwiseReader } from '../../../src/api/json/stepwise-reader';
import { NotJson } from '../../../src/api/json/tokens';

export const lab = script();

/** Reads a text in steps of this many characters. */
function read(text: string, characters = 3): StepwiseReader {
    const reader = new StepwiseReader(text, 'secret');
    while (reader.step(characters)) {
        // Other work could run here.
    }

    return reader;
}

/** The result of reading a text, with its free-form objects put back. */
function written(text: string, characters?: number): string {
    const { skeleton } = read(text, characters);
    return [...skeleton.objects].reduce((whole, [name, object]) => whole.replace(JSON.stringify(name), () => (object instanceof JsonText ? object.text : object.why)), skeleton.join());
}

/** Sorts keys as JSON.parse does, which puts numbers first. */
const key = fc.oneof(fc.constantFrom('attributes', 'styles', 'constructor', 'é"\\', ''), fc.string()).filter((name) => !/^\d+$/.test(name) && name !== '__proto__');

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 6 }, fc.constantFrom(null, true, false, -0, 1e21, 1e-7, 0.1, 123456789012345680000), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: 'binary' }), fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }))
}));

lab.experiment('A text that is read in steps', () => {

    lab.test('comes out as JSON.stringify writes it, however it was written', () => {
        fc.assert(fc.property(value, fc.constantFrom(undefined, 1, '\t\r\n'), fc.integer({ min: 1, max: 50 }), (thing, space, characters) => {
            const escaped = JSON.stringify(thing, null, space).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
            for (const text of [JSON.stringify(thing, null, space), ` ${escaped}\n`]) {
                expect(written(text, characters)).to.equal(JSON.stringify(JSON.parse(text)));
            }
        }), { seed: 10, numRuns: 200 });
    });

    lab.test('may have a lot of white space', () => {
        const long = Array.from({ length: 3000 }, (_, n) => n);
        expect(written(JSON.stringify({ attributes: { long } }, null, 4))).to.equal(JSON.stringify({ attributes: { long } }));
    });

    lab.test('is accepted if JSON.parse accepts it', () => {
        const pieces = ['{', '}', '[', ']', ',', ':', '"', '"a"', '"attributes"', '\\', '\\u00', 'null', 'tru', 'true', '0', '01', '-', '-1', '1.', '.5', '1e', '1E+5', ' ', '\n', '\u0001', '\u00a0', 'x', '\ufeff'];
        const isJson = (text: string, parse: (text: string) => unknown): boolean => {
            try {
                parse(text);
                return true;
            }
            catch (error) {
                expect(error).to.satisfy((thrown) => thrown instanceof SyntaxError || thrown instanceof NotJson);
                return false;
            }
        };

        const random = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => some.join(''));
        const cut = fc.tuple(value, fc.nat(), fc.constantFrom(...pieces)).map(([thing, at, piece]) => {
            const text = JSON.stringify(thing);
            return `${text.slice(0, at % (text.length + 1))}${piece}${text.slice(at % (text.length + 1) + 1)}`;
        });
        fc.assert(fc.property(fc.oneof(random, cut), (text) => {
            expect(isJson(text, read), text).to.equal(isJson(text, JSON.parse));
        }), { seed: 11, numRuns: 2000 });
    });

    lab.test('is rejected at the place where it is no longer JSON', () => {
        for (const [text, position] of [['{"a": nul}', 6], ['[1,]', 3], ['{"a" 1}', 5], ['{"a":1,}', 7], ['{1}', 1], ['[1}', 2], ['"a', 2], ['"\n"', 1], ['', 0], ['[', 1], ['1 2', 2], ['["\\x"]', 1], ['{"a":"b"]', 8], ['-', 0]] as const) {
            expect(() => read(text), text).to.throw(NotJson, `not JSON at ${position}`);
        }

        const error = expect(() => read('{"attributes":{"__proto__":1}}')).to.throw(NotJson);
        expect(error.reason).to.equal('the key __proto__ is not allowed');
    });

    lab.test('keeps duplicate keys of a free-form object, and the order of its keys', () => {
        expect(written('{"attributes":{"b":1,"2":0,"1":0,"b":2}}')).to.equal('{"attributes":{"b":1,"2":0,"1":0,"b":2}}');
    });

    lab.test('writes small and flat free-form objects as JSON.stringify does', () => {
        const members = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join(',');
        for (const object of ['{}', '{"a":0}', '{"a":-0}', '{"a":1.50}', '{"a":1e2}', '{"a":123456789012345678}', '{"a":true,"b":null,"":false}', '{"a":"é\u2028"}', '{"a":"\\u0041"}', '{ "a" : 1 }',
            `{"a":"${'x'.repeat(501)}"}`, `{${members(51)}}`, `{${members(52)}}`]) {
            expect(written(`{"styles":${object}}`)).to.equal(JSON.stringify({ styles: JSON.parse(object) }));
        }

        for (const object of ['{"a":01}', '{"a":1,}', '{"a"}', '{"a":tru}', '{"a":"\n"}', '{"a":1', '{"__proto__":1}']) {
            expect(() => read(`{"styles":${object}}`)).to.throw(NotJson);
        }
    });

    lab.test('holds back free-form objects that cannot be stored', () => {
        const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
        const { skeleton: { objects } } = read(`[{"attributes":${nested(32)},"styles":${nested(33)}},{"attributes":{"a":[${nested(31)},[{"b":1}],"}\\"]"]}},{"styles":{"a":"${'é'.repeat(1024 * 1024)}"}}]`);
        expect([...objects.values()].map((object) => (object instanceof RefusedObject ? object.why : 'stored'))).to.equal(['stored', 'too deep', 'too deep', 'too large']);
    });

    lab.test('names what cannot be stored by its path', () => {
        const { faults } = read('[{"a":[1,"\\u0000",{"styles":{"b\\udfff":[1e999]}}]}]');
        expect(faults).to.equal([
            { path: '0.a.1', message: '"0.a.1" contains the character U+0000, which cannot be stored' },
            { path: '0.a.2.styles.b\ufffd', message: 'a key of "0.a.2.styles" contains half of a surrogate pair, which is not a character' },
            { path: '0.a.2.styles.b\ufffd.0', message: '"0.a.2.styles.b\ufffd.0" is a number that is too large' }
        ]);
        expect(read(`[${'"\\u0000",'.repeat(100)}1]`).faults.length).to.equal(20);
        expect(read(`${`{"${'k'.repeat(90)}":`.repeat(9)}1e999${'}'.repeat(9)}`).faults[0]?.path.length).to.equal(3 * 91 - 1);
    });

    lab.test('has a limited number of values outside of free-form objects', () => {
        expect(() => read(`[${'1,'.repeat(49_999)}1]`, 1000)).to.not.throw();
        expect(() => read(`[${'1,'.repeat(50_000)}1]`, 1000)).to.throw();
        expect(() => read(`{"attributes":{"a":[${'[],'.repeat(100_000)}1]}}`, 1000)).to.not.throw();
    });
});
