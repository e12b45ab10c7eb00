import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { idPattern } from '../../../src/api/request/schema';
import { bounded } from '../../../src/api/description/bounds';
import { longestOf } from '../../../src/api/description/longest';

export const lab = script();

lab.experiment('The longest text that a pattern matches', () => {

    for (const [pattern, most] of [
        ['^abc$', 3], ['^[a-z\\]]{2,5}x?$', 6], ['^(?:W/)?"[a-z]{3}"$', 7], ['^(a|bcd)(?:, (?:e|fg)){2}$', 11], ['^me$|^[0-9]{4}$', 4], ['^\\u00e9\\x41\\p{L}\\.{3}$', 6],
        ['^(?=.*x)a{2}(?!b)$', 2], ['^$', 0], ['^a*$', Infinity], ['^[^,]+$', Infinity], ['^(?:ab?){2,}$', Infinity], ['abc$', Infinity], ['^abc', Infinity], ['^a$|b', Infinity], ['\\S', Infinity]
    ] as const) {
        lab.test(`has ${most} characters: ${pattern}`, () => {
            expect(longestOf(pattern)).to.equal(most);
        });
    }

    lab.test('has those of an id', () => {
        expect(longestOf(idPattern.source)).to.equal(19);
    });
});

lab.experiment('Bounds of a schema', () => {

    const cases: readonly (readonly [string, object, object])[] = [
        ['of a text are the narrower of its own and its pattern\'s', { type: 'string', pattern: '^a{9}$', maxLength: 5 }, { maxLength: 5 }],
        ['of an integer are those of JavaScript', { type: 'integer', minimum: 0 }, { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' }],
        ['of a small integer say so', { type: ['integer', 'null'], minimum: -5, maximum: 2 ** 31 - 1 }, { minimum: -5, format: 'int32' }]
    ];
    for (const [what, schema, bounds] of cases) {
        lab.test(what, () => {
            expect(bounded('', schema)).to.include(bounds);
        });
    }

    lab.test('of a constant and of an enum are left as they are', () => {
        for (const schema of [{ type: 'integer', const: 1 }, { type: 'string', enum: ['a'], pattern: '^a$' }]) {
            expect(bounded('', schema)).to.equal(schema);
        }
    });
});
