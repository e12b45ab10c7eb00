import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { sqlMutants } from './conditions';

export const lab = Lab.script();
const { describe, it } = lab;

describe('changes of SQL', () => {
    /** The source after each change. */
    const changed = (source: string): string[] => sqlMutants(source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end));

    const cases: [why: string, source: string, expected: string[]][] = [
        ['a condition', '`select 1 from a where a.id = $1`', ['`select 1 from a where (a.id = $1 or true)`']],
        ['each of two', '`delete from a where a.id = $1 and b is null`', [
            '`delete from a where (a.id = $1 or true) and b is null`', '`delete from a where a.id = $1 and (b is null or true)`'
        ]],
        ['a comparison of what may be null', '`delete from a where a.id = $1 and b is distinct from $2`', [
            '`delete from a where (a.id = $1 or true) and b is distinct from $2`', '`delete from a where a.id = $1 and (b is distinct from $2 or true)`'
        ]],
        ['a join', '`from a join b on b.id = a.id where true`', ['`from a join b on (b.id = a.id or true) where true`', '`from a join b on b.id = a.id where (true or true)`']],
        ['either of two', '\'(f.user_id = $4 or $5)\'', ['\'(f.user_id = $4 or ($5 and false))\'', '\'(f.user_id = $4 and $5)\'', '\'((f.user_id = $4 and false) or $5)\'']],
        ['each of two about a row that has a name', '`(${row}.a = \'x\' and ${row}.b_at is null)`', [
            '`(${row}.a = \'x\' and (${row}.b_at is null or true))`', '`((${row}.a = \'x\' or true) and ${row}.b_at is null)`'
        ]],
        ['a condition that stands alone', '\'f.id = $2\'', ['\'(f.id = $2 or true)\'']],
        ['what is made of other text', '`from a where x and ${holds(\'a or b\')} returning x`', [
            '`from a where (x or true) and ${holds(\'a or b\')} returning x`', '`from a where x and (${holds(\'a or b\')} or true) returning x`'
        ]],
        ['a comparison, a count and a lock', '`update a set n = a.n + 1 where at_at > $1 for share`', [
            '`update a set n = a.n + 1 where (at_at > $1 or true) for share`', '`update a set n = a.n + 1 where at_at < $1 for share`',
            '`update a set n = a.n where at_at > $1 for share`', '`update a set n = a.n + 1 where at_at > $1 `'
        ]],
        ['nothing of an insert that may meet another', '`insert into a on conflict do nothing`', []],
        ['nothing of what is no SQL', 'import x from \'where\'; const y = \'This and that, from where you sign in.\'; if (a > b) z();', []]
    ];
    for (const [why, source, expected] of cases) {
        it(`are made of ${why}`, () => {
            expect(changed(source)).to.equal(expected);
        });
    }
});
