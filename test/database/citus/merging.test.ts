import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { merged } from '../../../src/database/citus/merging';
import { rowOf, textOf, textsOf } from '../../../src/database/citus/values';
import type { Asked } from '../../../src/database/citus/values';
import { inAllShards } from '../../../src/database/declaration';
import type { Columns } from '../../../src/database/declaration';
import { arrayParameter } from '../../../src/database/statements/array-parameter';
import { MAX_LISTED_BYTES } from '../../../src/limits';

export const lab = Lab.script();
const { describe, it } = lab;

const asked = (columns: Columns, text = '', values: unknown[] = []): Asked => ({ text, values, declared: { parameters: [], columns, place: inAllShards() } });

describe('values of statements in shards', () => {
    it('are PostgreSQL\'s texts of parameters', () => {
        const texts: [unknown, string, string | null][] = [
            [null, 'text', null], [undefined, 'bigint', null], [7, 'integer', '7'], [true, 'boolean', 'true'], ['a "b" \\', 'text', 'a "b" \\'],
            [['a', 'b"c\\d', null], 'text[]', '{"a","b\\"c\\\\d",NULL}'], [[], 'bigint[]', '{}'], [[['a'], ['b']], 'text[]', '{{"a"},{"b"}}'],
            [[Buffer.from('ab')], 'bytea[]', '{"\\\\x6162"}'], [Buffer.from('ab'), 'bytea', '\\x6162'], [Buffer.from('ab'), 'text', 'ab'],
            [new Date(0), 'timestamp with time zone', '1970-01-01T00:00:00.000Z'], [{ a: [1] }, 'json', '{"a":[1]}'], [[1], 'json', '[1]']
        ];
        for (const [value, type, text] of texts) {
            expect(textOf(value, type), type).to.equal(text);
        }

        const bytes = arrayParameter('json', ['{"a":"é"}', null, '"\\""']);
        expect(textOf(bytes, 'json[]')).to.equal('{"{\\"a\\":\\"é\\"}",NULL,"\\"\\\\\\"\\""}');
        expect(Buffer.isBuffer(bytes) && textsOf(bytes)).to.equal(['{"a":"é"}', null, '"\\""']);
    });

    it('are what pg makes of a row', () => {
        const described: Columns = { n: 'integer', big: 'bigint', is: 'boolean', text: 'text', at: 'timestamp with time zone', bytes: 'bytea', json: 'json', bigs: 'bigint[]', texts: 'text[]', none: 'text' };
        const row = { n: 1, big: 2, is: true, text: 'a', at: '2026-01-02T03:04:05.678+00:00', bytes: '\\x6162', json: { a: 1 }, bigs: [1, 2], texts: ['a', null], none: null };
        expect(rowOf(JSON.stringify(row), described)).to.equal({
            n: 1, big: '2', is: true, text: 'a', at: new Date('2026-01-02T03:04:05.678Z'), bytes: Buffer.from('ab'), json: { a: 1 }, bigs: ['1', '2'], texts: ['a', null], none: null
        });
    });

    it('keep all digits of large numbers', () => {
        const row = '{"big":9223372036854775807,"bigs":[-9223372036854775808,1],"text":"\\"9223372036854775807","json":{"n":9223372036854775807,"f":0.12345678901234567}}';
        expect(rowOf(row, { big: 'bigint', bigs: 'bigint[]', text: 'text', json: 'json' })).to.equal({
            big: '9223372036854775807', bigs: ['-9223372036854775808', '1'], text: '"9223372036854775807', json: { n: Number('9223372036854775807'), f: Number('0.12345678901234567') }
        });
    });
});

describe('what several shards return', () => {
    const rows = (...shards: object[][]): string[][] => shards.map((shard) => shard.map((row) => JSON.stringify(row)));

    it('is put one after the other', () => {
        expect(merged({ kind: 'rows' }, rows([{ id: 2 }], [], [{ id: 1 }]), asked({ id: 'bigint' }))).to.equal([{ id: '2' }, { id: '1' }]);
    });

    it('is added up, as numbers or as texts', () => {
        expect(merged({ kind: 'sum' }, rows([{ count: 2, most: 1 }], [{ count: 3, most: 0 }]), asked({ count: 'bigint', most: 'integer' }))).to.equal([{ count: '5', most: 1 }]);
    });

    it('is the first or last rows by their ids, however many digits these have', () => {
        const found = rows([{ id: 9 }, { id: 100 }], [{ id: 20 }, { id: 3 }]);
        expect(merged({ kind: 'first', count: 3 }, found, asked({ id: 'bigint' }))).to.equal([{ id: '3' }, { id: '9' }, { id: '20' }]);
        expect(merged({ kind: 'newest', count: 3 }, found, asked({ id: 'bigint' }))).to.equal([{ id: '100' }, { id: '20' }, { id: '9' }]);
    });

    it('is the rows that each of them has', () => {
        const found = rows([{ id: 1 }, { id: 3 }, { id: 12 }], [{ id: 12 }, { id: 2 }, { id: 3 }]);
        expect(merged({ kind: 'every', count: 10 }, found, asked({ id: 'bigint' }))).to.equal([{ id: '3' }, { id: '12' }]);
        expect(merged({ kind: 'every', count: 1 }, found, asked({ id: 'bigint' }))).to.equal([{ id: '3' }]);
    });

    it('is the latest by a column', () => {
        const found = rows([{ id: 1, at: 'b' }, { id: 3, at: 'a' }], [{ id: 2, at: 'b' }]);
        expect(merged({ kind: 'latest', column: 'at' }, found, asked({ id: 'bigint', at: 'text' })).map(({ id }) => id)).to.equal(['2', '1', '3']);
    });

    it('is one row: the first without something, or else the first', () => {
        const described: Columns = { id: 'bigint', since: 'text' };
        expect(merged({ kind: 'pick', column: 'since' }, rows([{ id: 1, since: 'x' }], [{ id: 3, since: null }, { id: 2, since: null }]), asked(described))).to.equal([{ id: '2', since: null }]);
        expect(merged({ kind: 'pick', column: 'since' }, rows([{ id: 5, since: 'x' }], [{ id: 4, since: 'x' }]), asked(described))).to.equal([{ id: '4', since: 'x' }]);
        expect(merged({ kind: 'pick', column: 'since' }, rows([], []), asked(described))).to.equal([]);
    });

    it('is which projects are locked, as all of them know the ids', () => {
        const found = rows([{ id: 1, locked: true }, { id: 2, locked: false }], [{ id: 1, locked: false }, { id: 2, locked: false }]);
        expect(merged({ kind: 'lock' }, found, asked({ id: 'bigint', locked: 'boolean' }))).to.equal([{ id: '1', locked: true }, { id: '2', locked: false }]);
    });

    it('is a page of a list', () => {
        const described: Columns = { items: 'text', rank: 'integer', time: 'bigint', id: 'bigint' };
        const found = rows([{ items: [[0, 5, '1', '{"a":1}'], [1, 9, '2', '{"a":2}']], rank: false }], [{ items: null, rank: false }], [{ items: [[0, 5, '10', '{"a":3}']], rank: false }]);
        const page = (count: number, offset: number): object | undefined => merged({ kind: 'page' }, found, asked(described, 'offset $4', [null, null, count, offset]))[0];
        expect(page(2, 0)).to.equal({ items: '{"a":3},{"a":1}', rank: 0, time: '5', id: '1' });
        expect(page(2, 1)).to.equal({ items: '{"a":1},{"a":2}', rank: null, time: null, id: null });
        expect(page(9, 0)).to.equal({ items: '{"a":3},{"a":1},{"a":2}', rank: null, time: null, id: null });
        const long = rows([{ items: [[0, 5, '1', 'x'.repeat(MAX_LISTED_BYTES)], [0, 4, '2', 'x']], rank: false }]);
        expect(merged({ kind: 'page' }, long, asked(described, 'offset $4', [null, null, 9, null]))).to.equal([{ items: 'x'.repeat(MAX_LISTED_BYTES), rank: 0, time: '5', id: '1' }]);
    });

    it('is items and where the next ones begin', () => {
        const items = rows([{ items: '[{"id":"7","json":"{a}"},{"id":"5","json":"{b}"}]', rank: 0, id: null }], [{ items: '', rank: 0, id: null }], [{ items: '[{"id":"6","json":"{c}"}]', rank: 0, id: '6' }]);
        const described: Columns = { items: 'text', rank: 'integer', id: 'bigint' };
        expect(merged({ kind: 'items', count: 2 }, items, asked(described, '', [0, 2]))).to.equal([{ items: '{a},{c}', rank: 0, id: '6' }]);
        // What comes after the last item of a shard that has more is on the next page.
        expect(merged({ kind: 'items', count: 2 }, items, asked(described, '', [0, 9]))).to.equal([{ items: '{a},{c}', rank: 0, id: '6' }]);
        expect(merged({ kind: 'items', count: 2 }, items.slice(0, 2), asked(described, '', [0, 9]))).to.equal([{ items: '{a},{b}', rank: 0, id: null }]);
    });
});
