import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { known } from '../../../src/database/declaration';
import { arrayParameter } from '../../../src/database/statements/array-parameter';
import { runAlways, statement } from '../../../src/database/statements/statement';
import { expectQuick } from '../../support/clock';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('arrayParameter()', () => {
    let database: TestDatabase;

    before(async () => {
        database = await emptyDatabase();
    });

    after(() => database.drop());

    const texts = statement({ parameters: ['json[]'], row: { texts: known<(string | null)[]>('text[]') } }, 'select $1::json[]::text[] as texts');
    const sum = statement({ parameters: ['integer[]'], row: { sum: 'integer' } }, 'select sum(n)::integer as sum from unnest($1::integer[]) n');

    it('sends JSON texts just as they are, and nulls', async () => {
        const sent = ['{"a": "\\"\\\\,{}"}', null, '{}', '"é😀"', '{"b":null}'];
        expect(await runAlways(database.db, texts, [arrayParameter('json', sent)])).to.equal({ texts: sent });
        expect(await runAlways(database.db, texts, [arrayParameter('json', ['{}'])])).to.equal({ texts: ['{}'] });
    });

    it('leaves other types to pg', async () => {
        expect(await runAlways(database.db, sum, [arrayParameter('integer', [1, 2, null])])).to.equal({ sum: 3 });
    });

    it('takes no time for each quote in a JSON text', () => {
        const text = `{"a":"${'\\"'.repeat(1024 * 1024)}"}`;
        const { user: began } = process.cpuUsage();
        arrayParameter('json', [text]);
        expectQuick((process.cpuUsage().user - began) / 1000, 100);
    });
});
