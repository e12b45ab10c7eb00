import { Query } from 'pg';
import type { Client, Connection } from 'pg';

/** PostgreSQL's description of a statement that it does not run. */
export interface Description {
    /** names of the types of its parameters */
    parameters: string[];
    /** with the table that has it, null if it is computed; and whether it is one of a table that can have nulls: of others nobody knows */
    columns: { name: string; type: string; table: string | null; isNullable: boolean }[];
}

interface Raw {
    oids: number[];
    columns: { name: string; dataTypeID: number; tableID: number; columnID: number }[];
}

/** pg's query, which is parsed and described, and neither bound nor run. It depends on the internals of pg 8.23. */
class DescribeQuery extends Query {
    readonly found: Raw = { oids: [], columns: [] };
    declare text: string;

    constructor(text: string, callback: (error: Error | null) => void) {
        super({ text, values: [] }, callback);
    }

    requiresPreparation(): boolean {
        return true;
    }

    prepare(connection: Connection): void {
        connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
            this.found.oids = dataTypeIDs;
        });
        connection.parse({ text: this.text, name: '', types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
    }

    handleRowDescription({ fields }: { fields: Raw['columns'] }): void {
        this.found.columns = fields;
    }
}

async function namesOf(client: Pick<Client, 'query'>, oids: readonly number[]): Promise<string[]> {
    const { rows } = await client.query<{ names: string[] }>(
        'select array(select format_type(oid, null) from unnest($1::oid[]) with ordinality as t (oid, n) order by n) as names', [oids]);
    return rows.flatMap(({ names }) => names);
}

async function nullable(client: Pick<Client, 'query'>, columns: Raw['columns']): Promise<boolean[]> {
    const { rows } = await client.query<{ nullable: boolean[] }>(`
        select array(select coalesce(not a.attnotnull, false) from unnest($1::oid[], $2::int[]) with ordinality as c (of, at, n)
            left join pg_attribute a on a.attrelid = c.of and a.attnum = c.at and a.attnum > 0 order by n) as nullable`, [columns.map(({ tableID }) => tableID), columns.map(({ columnID }) => columnID)]);
    return rows.flatMap((row) => row.nullable);
}

/** Parameters and columns of a statement. @throws what PostgreSQL says against it */
export async function describe(client: Pick<Client, 'query'>, text: string): Promise<Description> {
    const { oids, columns } = await new Promise<Raw>((resolve, reject) => {
        const query: DescribeQuery = new DescribeQuery(text, (error) => (error === null ? resolve(query.found) : reject(error)));
        client.query(query);
    });
    const types = await namesOf(client, columns.map(({ dataTypeID }) => dataTypeID));
    const { rows } = await client.query<{ id: number; name: string }>('select oid::int as id, relname as name from pg_class where oid = any($1::oid[])', [columns.map(({ tableID }) => tableID)]);
    const tables = new Map(rows.map(({ id, name }) => [id, name]));
    const nulls = await nullable(client, columns);
    return {
        parameters: await namesOf(client, oids),
        columns: columns.map(({ name, tableID }, n) => ({ name, type: String(types[n]), table: tables.get(tableID) ?? null, isNullable: nulls[n] === true }))
    };
}
