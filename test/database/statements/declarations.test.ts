import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Client } from 'pg';

import { inAllShards, inProject, known, writing } from '../../../src/database/declaration';
import type { Columns } from '../../../src/database/declaration';
import { fits, parseLike } from '../../../src/database/samples';
import { lookup, run, statement } from '../../../src/database/statements/statement';
import { distributedDatabase } from '../../support/cluster';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { allStatements, faultsOfPlace, faultsOfTypes } from '../../support/declarations';
import { describe as describeStatement } from '../../support/describe';
import { notOnCluster } from '../../support/on-cluster';
import type { Found } from '../../support/statements';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Options of a test that plans statements without values, which PostgreSQL 15 cannot. */
const asks16 = { skip: process.env.TEST_DATABASE_URL !== undefined, reason: 'it needs `explain (generic_plan)` of PostgreSQL 16' };

describe('the declaration of a statement', notOnCluster('it makes a stand-in of one'), () => {
    const open: { client: Client; database: TestDatabase }[] = [];
    let statements: Found[];
    let plain: Client;
    let cluster: Client;

    const connect = async (database: TestDatabase): Promise<Client> => {
        const client = new Client({ connectionString: database.url });
        await client.connect();
        open.push({ client, database });
        return client;
    };

    before(async () => {
        statements = await allStatements();
        plain = await connect(await cloneDatabase());
        const distributed = await distributedDatabase();
        await distributed.db.raw(`
            drop role if exists beside_projects;
            create role beside_projects;
            grant select, insert, update, delete on all tables in schema public to beside_projects;
            grant usage on all sequences in schema public to beside_projects;
            do $f$ begin execute (
                select string_agg(format('revoke all on %s from beside_projects', logicalrelid), '; ') from pg_dist_partition where partmethod = 'h'
            ); end $f$`);
        cluster = await connect(distributed);
    });

    after(async () => {
        await cluster.query('drop owned by beside_projects; drop role beside_projects');
        for (const { client, database } of open) {
            await client.end();
            await database.drop();
        }
    });

    /** The faults of all, by the file that declares them. */
    const faults = async (find: (one: Found) => Promise<string[]>): Promise<string[]> => {
        const found: string[] = [];
        for (const one of statements) {
            found.push(...(await find(one)).map((fault) => `${one.at}: ${fault} (${one.text.replace(/\s+/g, ' ').trim().slice(0, 80)})`));
        }

        return found;
    };

    const ofNoFile = (made: Omit<Found, 'at'>): Found => ({ ...made, at: '' });

    const right = statement({ parameters: ['bigint'], row: { title: 'text' }, place: inProject(1) }, 'select title from projects where id = $1');

    /** The columns of a statement that locks rows, but for ids, which are not of those rows: only they are read again after a wait. */
    const unlocked = async ({ text }: Found): Promise<string[]> => {
        const rows = [...text.matchAll(/\bfor (?:no key )?(?:update|share) of (\w+)/g)].map(([, row]) => row);
        const locked = rows.flatMap((row) => [...text.matchAll(new RegExp(`\\b(?:from|join) (\\w+) ${row}\\b`, 'g'))].map(([, table]) => table));
        return (await describeStatement(plain, text)).columns.filter(({ name, table }) => name !== 'id' && (table === null || !locked.includes(table))).map(({ name }) => name);
    };

    it('of one that waits for a lock returns no right in a class: what it joins is as it was before the wait', async () => {
        const locks = statements.filter(({ at, text }) => at.startsWith('src/') && at !== 'src/classes/operators.ts' && /\bfor (?:no key )?(?:update|share)\b/.test(text) && text.includes('class_people'));
        expect(locks.map(({ at }) => at)).to.include(['src/classes/access.ts', 'src/rules/last-teacher.ts']);
        const found: string[] = [];
        for (const one of locks) {
            found.push(...(await unlocked(one)).map((name) => `${one.at}: lock first, and ask for "${name}" in a statement after that (src/rules/locked.ts): ${one.text}`));
        }

        expect(found).to.equal([]);
    });

    it('of one that waits for a lock is found out if it returns a right', async () => {
        const text = 'select c.id, c.title, me.role, mu.teacher from classes c join class_people me on me.class_id = c.id join users mu on mu.id = me.user_id for share of c for share of mu';
        expect(await unlocked(ofNoFile({ ...right, text }))).to.equal(['role']);
        expect(await unlocked(ofNoFile({ ...right, text: `with c as (${text}) select c.id, c.role, c.title, c.role = 'teacher' as allowed from c` }))).to.equal(['role', 'allowed']);
    });

    it('says what PostgreSQL says of its parameters and its row', async () => {
        expect(statements.length).to.be.above(350);
        expect(await faults((one) => faultsOfTypes(plain, one))).to.equal([]);
    });

    it('says where it runs on a cluster, and whether it writes', asks16, async () => {
        expect(await faults((one) => faultsOfPlace(cluster, one))).to.equal([]);
    });

    it('has samples of the JSON in its row', () => {
        const untold = statements.filter(({ columns }) => Object.values(columns ?? {}).some((column) => typeof column !== 'string' && /^jsonb?/.test(column.type) && column.samples.length === 0));
        expect(untold.map(({ at, text }) => `${at}: ${text}`)).to.equal([]);
    });

    it('is compared with each row that it returns', async () => {
        const { db, drop } = await cloneDatabase();
        const read = <const Row extends Columns>(row: Row, sql: string): Promise<unknown> => run(db, statement({ row }, `select ${sql}`), []);
        await read({ a: 'text', b: 'text?', c: 'bigint', d: 'integer[]' }, `'x' as a, null as b, 1::bigint as c, array[1] as d`);
        await read({ a: known<{ id: string; more?: number }[] | null>('json?', [{ id: '' }, { id: '', more: 1 }]) }, `'[{"id": "1"}, {"id": "2", "more": 3}]'::json as a union all select null`);
        await expect(read({ a: 'text' }, 'null as a')).to.reject(/"a" is null/);
        await expect(read({ a: 'integer' }, `'1' as a`)).to.reject(/"a" is string, not integer/);
        await expect(read({ a: 'text', b: 'text' }, `'1' as a`)).to.reject(/"b" is missing/);
        await expect(read({ a: known<{ id: string }[]>('json', [{ id: '' }]) }, `'[{"id": "1"}, {"id": 2}]'::json as a`)).to.reject(/"a" is not like/);
        await drop();
    });

    it('has samples that JSON is like, or not', () => {
        const like: [value: unknown, ...samples: unknown[]][] = [
            [1, 2], [null, null], [[], ['']], [['a'], ['']], [{ a: 1, b: 2 }, { a: 0 }], [{ a: null }, { a: 0 }, { a: null }], [{}, { a: 0 }, {}], [{ 12: 'x', 34: 'y' }, { 1: '' }], [{ a: { b: [1] } }, { a: { b: [0] } }], [[1, 'a'], []]
        ];
        const unlike: [value: unknown, ...samples: unknown[]][] = [
            [1, ''], [null, 0], [[1], ['']], [{}, { a: 0 }], [{ a: null }, { a: 0 }], [{ a: { b: ['1'] } }, { a: { b: [0] } }], [{ 12: 1 }, { 1: '' }], [[], {}], [{}, []], [1]
        ];
        expect(like.filter(([value, ...samples]) => !fits(value, samples))).to.equal([]);
        expect(unlike.filter(([value, ...samples]) => fits(value, samples))).to.equal([]);
        expect(parseLike<{ id: string }>('{"id":"1"}', { id: '' })).to.equal({ id: '1' });
        expect(() => parseLike<{ id: string }>('{"id":1}', { id: '' })).to.throw(/not like/);
    });

    it('is rejected if it has a typo or a wrong type', async () => {
        expect(await faultsOfTypes(plain, ofNoFile(right))).to.equal([]);
        expect(await faultsOfTypes(plain, ofNoFile({ ...right, text: 'select titel from projects where id = $1' }))).to.equal(['column "titel" does not exist']);
        expect(await faultsOfTypes(plain, ofNoFile({ ...right, columns: { title: 'integer' } }))).to.equal(['row: title text']);
        expect(await faultsOfTypes(plain, ofNoFile({ ...right, columns: { name: 'text' } }))).to.equal(['row: title text']);
        expect(await faultsOfTypes(plain, ofNoFile({ ...right, parameters: ['text'] }))).to.equal(['parameters: bigint']);
        expect(await faultsOfTypes(plain, ofNoFile({ ...right, parameters: [] }))).to.equal(['parameters: bigint']);
        const label = statement({ row: { label: 'text' } }, 'select label from tokens');
        expect(await faultsOfTypes(plain, ofNoFile(label))).to.equal(['label can be null']);
        expect(await faultsOfTypes(plain, ofNoFile({ ...label, columns: { label: 'text?' } }))).to.equal([]);
        expect(await faultsOfTypes(plain, ofNoFile({ ...label, text: `${label.text} where label is not null` }))).to.equal([]);
    });

    it('is rejected if it has no place or a wrong one', asks16, async () => {
        expect(await faultsOfPlace(cluster, ofNoFile(right))).to.equal([]);
        expect(await faultsOfPlace(cluster, ofNoFile({ ...right, place: { kind: 'here' } }))).to.equal(['permission denied for table projects']);
        expect(await faultsOfPlace(cluster, ofNoFile({ ...right, place: writing(inProject(1)) }))).to.equal(['it only reads']);
        expect(await faultsOfPlace(cluster, ofNoFile({ ...right, text: 'delete from projects where id = $1' }))).to.equal(['it writes']);
        expect(await faultsOfPlace(cluster, ofNoFile({ ...right, text: 'select from projects where id = $1 for update', place: inAllShards() }))).to.equal(['it writes']);
        expect(await faultsOfPlace(cluster, ofNoFile({ ...right, parameters: ['text'] }))).to.equal(['parameter 1 has no id of a project']);
    });

    it('of many lookups at once follows from that of one', () => {
        const one = lookup({ parameters: ['bigint', 'text[]'], row: { json: 'text?' }, place: inProject(1), together: true }, 'select title as json from projects where id = $1 and title <> all($2)');
        expect(one.together?.many.parameters).to.equal(['bigint[]', 'text[]']);
        expect(one.together?.many.columns).to.equal({ nth: 'bigint', json: 'text?' });
        expect(one.together?.many.place).to.equal(inAllShards());
        expect(lookup({ parameters: ['bigint'], together: true }, 'select from users where id = $1').together?.many.place).to.equal({ kind: 'here' });
    });
});
