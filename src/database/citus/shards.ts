import type { Client } from 'pg';

import { parseLike } from '../samples';
import type { Declared, ShardMerge } from '../declaration';
import { askedOfShard, merged } from './merging';
import { rowOf, textOf, textsOf } from './values';
import type { Asked, Row } from './values';

type Query = Pick<Client, 'query' | 'getTransactionStatus'>;
interface Found {
    rows: { found: string[] }[];
}

const write = { name: 'write-shard', text: 'insert into at_project (project_id, sql, params) values ($1, $2, $3) returning found' };
const read = { name: 'read-shard', text: 'select read_in_shard($1, $2, $3) as found' };
const writeAll = { name: 'write-shards', text: 'insert into at_project (project_id, sql, params) select project_id, $1, $2 from shards returning found' };
const readAll = { name: 'read-shards', text: 'select read_everywhere(project_id, $1, $2) as found from shards' };
const drawId = { name: 'draw-project', text: `select nextval('projects_id_seq')::text as id` };
const drawBeside = { name: 'draw-beside', text: 'select id::text from project_ids_beside($1::bigint) as id' };

/** Tells the functions of src/database/citus/shard-functions.ts that a statement returns no rows. */
const mark = (text: string, { columns }: Declared): string => (columns === null && !/^\s*(?:\/\*[^*]*\*\/\s*)*select\b/.test(text) ? '!' : '');

/** A statement's text for its shard: its parameters are elements of one array of texts. In a write, the time is that of the coordinator's transaction. */
function inShard(text: string, declared: Declared, writes: boolean): string {
    const own = text
        .replace(/\$([0-9]+)/g, (_all, n: string) => `($1[${n}])::${String(declared.parameters[Number(n) - 1])}`)
        .replaceAll(`nextval('pages_id_seq')`, 'public.next_thing_id()')
        .replaceAll(`nextval('elements_id_seq')`, 'public.next_thing_id()')
        .replaceAll(`nextval('projects_id_seq')`, `current_setting('pagewright.project')::bigint`);
    return mark(text, declared) + (writes ? own.replaceAll('now()', `current_setting('pagewright.now')::timestamptz`) : own);
}

/** Runs the statements of one connection in shards. */
export class Shards {
    readonly #client: Query;

    /** @param client sends what it is given as it is */
    constructor(client: Query) {
        this.#client = client;
    }

    /** Runs a statement in the shard of a project. */
    async inOne({ text, values, declared }: Asked, project: unknown, writes: boolean): Promise<Row[]> {
        const params = declared.parameters.map((type, n) => textOf(values[n], type));
        const { rows }: Found = await this.#client.query({ ...writes ? write : read, values: [project, inShard(text, declared, writes), params] });
        return rows.flatMap(({ found }) => found).map((one) => rowOf(one, declared.columns));
    }

    /** Runs a statement that makes a project, whose id is drawn before. @param beside the id of a project in whose shard it has to be */
    async inNew(asked: Asked, beside: unknown): Promise<Row[]> {
        const { rows: [drawn] } = await this.#client.query<{ id: string }>(beside === undefined ? drawId : { ...drawBeside, values: [beside] });
        return await this.inOne(asked, drawn?.id, true);
    }

    /** Runs a statement in all shards, in one transaction if it writes. */
    async inAll(asked: Asked, writes: boolean, merge: ShardMerge): Promise<Row[]> {
        const { text, values, declared } = askedOfShard(merge, asked);
        const params = declared.parameters.map((type, n) => textOf(values[n], type));
        const { rows }: Found = await this.#client.query({ ...writes ? writeAll : readAll, values: [inShard(text, declared, writes), params] });
        return merged(merge, rows.map(({ found }) => found), asked);
    }

    /** Runs a statement for each project in the array that is a parameter. @param together whether its other arrays have an element for each project too */
    async inEach({ text, values, declared }: Asked, parameter: number, together: boolean, writes: boolean): Promise<Row[]> {
        const projects = [values[parameter - 1]].flat();
        const isList = (at: number): boolean => at === parameter - 1 || (together && declared.parameters[at]?.endsWith('[]') === true);
        return await this.#asOne(projects.length > 1 && writes, async () => {
            const found: Row[] = [];
            for (const [n, project] of projects.entries()) {
                const own = values.map((value, at) => (isList(at) ? [Buffer.isBuffer(value) ? textsOf(value)[n] : [value].flat()[n]] : value));
                const rows = await this.inOne({ text, values: own, declared }, project, writes);
                // Which of the elements a row is for: here it always was the only one.
                found.push(...rows.map((row) => (together ? { ...row, n: n + 1 } : row)));
            }

            return found;
        });
    }

    /** Runs a statement for each project of JSON records, in the order of their ids. @param fields those with the id of the project, one for each parameter with records */
    async inRecords({ text, values, declared }: Asked, fields: readonly string[]): Promise<Row[]> {
        const groups = new Map<string, unknown[][]>();
        for (const [n, field] of fields.entries()) {
            const records = parseLike<Record<string, unknown>[]>(String(values[n]), [{}]);
            for (const record of records) {
                const id = String(record[field]);
                const group = groups.get(id) ?? fields.map(() => []);
                groups.set(id, group);
                group[n]?.push(record);
            }
        }

        const found: Row[] = [];
        for (const [id, group] of [...groups].sort(([a], [b]) => Number(a) - Number(b))) {
            found.push(...await this.inOne({ text, values: [...group.map((records) => JSON.stringify(records)), ...values.slice(fields.length)], declared }, id, true));
        }

        return found;
    }

    /** Several statements instead of one: all of them or none. */
    async #asOne<Result>(several: boolean, work: () => Promise<Result>): Promise<Result> {
        if (!several || this.#client.getTransactionStatus() === 'T') {
            return await work();
        }

        await this.#client.query('begin');
        try {
            const result = await work();
            await this.#client.query('commit');
            return result;
        }
        catch (error) {
            await this.#client.query('rollback').catch(Boolean);
            throw error;
        }
    }
}
