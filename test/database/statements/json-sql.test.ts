import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { isoTime, jsonObject, plainQuoted, quoted } from '../../../src/database/statements/json-sql';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('SQL that makes JSON', () => {
    let database: TestDatabase;

    before(async () => {
        database = await cloneDatabase();
    });

    after(() => database.drop());

    /** The rows of a query in another time zone than UTC. */
    const rowsOf = <Row>(sql: string) => database.db.transaction(async (trx) => {
        await trx.raw(`set local timezone = 'Asia/Kathmandu'; set local datestyle = 'German'`);
        const { rows } = await trx.raw<{ rows: Row[] }>(sql);
        return rows;
    });

    it('shows times in UTC with three decimals', async () => {
        const times = ['2026-01-01T10:00:00.000Z', '2024-02-29T23:59:59.999Z', '1970-01-01T00:00:00.100Z', '9999-12-31T23:59:59.120Z', '0001-01-01T00:00:00.001Z'];
        for (const time of times) {
            expect(await rowsOf(`select ${isoTime(`'${time}'::timestamptz`)} as time`)).to.equal([{ time }]);
        }

        expect(await rowsOf(`select ${isoTime('null::timestamptz')} as time`)).to.equal([{ time: null }]);
    });

    it('shows times as to_char does', async () => {
        const [row] = await rowsOf(`
            select count(*)::int as count, count(*) filter (where ${isoTime('t')} = to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::int as same
            from (
                select ('1970-01-01T00:00:00Z'::timestamptz + make_interval(secs => n * 1234567.891))::timestamptz(3) as t from generate_series(0, 3000) n
                union all select ('2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n / 1000.0))::timestamptz(3) from generate_series(0, 1000) n
            ) x`);
        expect(row).to.equal({ count: 4002, same: 4002 });
    });

    it('rounds times of a higher precision', async () => {
        expect(await rowsOf(`select ${isoTime(`'2026-01-01T10:00:00.999999Z'::timestamptz`)} as time`)).to.equal([{ time: '2026-01-01T10:00:01.000Z' }]);
    });

    it('joins texts that follow one another', async () => {
        const sql = jsonObject({ id: plainQuoted('n'), inner: jsonObject({ empty: `'[' || '' || ']'`, text: quoted('t') }), more: `'1'` });
        expect(sql).not.to.include(`' || '`);
        expect(await rowsOf(`select ${sql} as json from (select 7 as n, 'a"b'' || ''c'::text as t) x`)).to.equal([{ json: `{"id":"7","inner":{"empty":[],"text":"a\\"b' || 'c"},"more":1}` }]);
    });
});
