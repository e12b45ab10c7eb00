import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { withLookups } from '../../../src/database/citus/pages';
import { placeOf } from '../../../src/database/citus/places';
import { root } from '../../support/program';

export const lab = Lab.script();
const { describe, it } = lab;

interface Found {
    at: string;
    text: string;
}

/** All statements of the service, as its modules make them when they are loaded, with the file of each. */
async function statements(): Promise<Found[]> {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', `require('./tools/test/typescript').register(); require('./test/support/statements.ts')`], { cwd: root, maxBuffer: 2 ** 26 });
    return JSON.parse(stdout);
}

describe('where a statement runs on a cluster', () => {
    it('is said by its text', () => {
        expect(placeOf('select 1 from users where id = $1')).to.equal({ kind: 'here' });
        expect(placeOf('select * from projects p where p.id = $2')).to.equal({ kind: 'project', parameter: 2, writes: false });
        expect(placeOf('select from projects where id = $1 for no key update')).to.equal({ kind: 'project', parameter: 1, writes: true });
        expect(placeOf('update pages g set x = $3 where g.id = $2 and project_id = $1')).to.equal({ kind: 'project', parameter: 1, writes: true });
        expect(placeOf('/* place: in $4 */ select log_act($1, $2, $3, $4)')).to.equal({ kind: 'project', parameter: 4, writes: true });
        expect(placeOf('/* place: one */ select 1')).to.equal({ kind: 'project', parameter: null, writes: false });
        expect(placeOf('/* place: new */ insert into projects values ($1)')).to.equal({ kind: 'new', beside: null });
        expect(placeOf('/* place: new $2 */ insert into projects values ($1)')).to.equal({ kind: 'new', beside: 2 });
        expect(placeOf('/* place: each $1 */ delete from trending')).to.equal({ kind: 'each', parameter: 1, rows: false, writes: true });
        expect(placeOf('/* place: rows $1 */ select 1')).to.equal({ kind: 'each', parameter: 1, rows: true, writes: false });
        expect(placeOf('/* place: records project_id */ select 1')).to.equal({ kind: 'records', field: 'project_id' });
        expect(placeOf('/* place: lookup */ select 1')).to.equal({ kind: 'lookup' });
        expect(placeOf('/* place: items $2 */ select 1')).to.equal({ kind: 'everywhere', writes: false, merge: { kind: 'items', count: 2 } });
        expect(placeOf('/* place: newest 500 */ select 1')).to.equal({ kind: 'everywhere', writes: false, merge: { kind: 'newest', count: 500 } });
        expect(placeOf('/* place: latest changed */ select 1')).to.equal({ kind: 'everywhere', writes: false, merge: { kind: 'latest', column: 'changed' } });
        expect(placeOf('/* place: everywhere */ delete from pages')).to.equal({ kind: 'everywhere', writes: true, merge: { kind: 'rows' } });
        expect(placeOf('/* place: sum */ select 1')).to.equal({ kind: 'everywhere', writes: false, merge: { kind: 'sum' } });
    });

    it('is nowhere if its text does not say it', () => {
        expect(placeOf('select count(*) from projects')).to.equal({ kind: 'nowhere' });
        expect(placeOf('select from pages g where g.id = $1')).to.equal({ kind: 'nowhere' });
        expect(placeOf('select from projects p, projects r where p.id = $1 and r.id = $2 and r.project_id = $2')).to.equal({ kind: 'nowhere' });
        expect(placeOf('/* place: somewhere */ select 1')).to.equal({ kind: 'nowhere' });
    });

    it('of many lookups at once is all shards, or the coordinator', () => {
        expect(placeOf('/* place: together */ select l.* from unnest($1::bigint[]) a (p1) cross join lateral (select 1 from projects p where p.id = a.p1) l').kind).to.equal('everywhere');
        expect(placeOf('/* place: together */ select l.* from unnest($1::bigint[]) a (p1) cross join lateral (select 1 from users u where u.id = a.p1) l').kind).to.equal('here');
    });

    it('is known for each statement of the service but those of what is refused there', async () => {
        const all = await statements();
        expect(all.length).to.be.above(300);
        // What looks projects up is left with no name of a distributed table, which the coordinator would refuse beside its own tables.
        const lookups = all.filter(({ text }) => placeOf(text).kind === 'lookup').map(({ at, text }) => [at, placeOf(withLookups(text).replace(/\/\* place: \w+ \*\//, '')).kind]);
        expect(lookups.length).to.be.above(10);
        expect(lookups.filter(([, kind]) => kind !== 'here')).to.equal([]);
        const nowhere = all.filter(({ text }) => placeOf(text).kind === 'nowhere').map(({ at }) => at);
        expect(nowhere.sort()).to.equal(['src/operations/cli/lift-queries.ts', 'src/operations/cli/lift-queries.ts', 'src/operations/maintenance/run.ts']);
    });
});
