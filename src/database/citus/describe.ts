import { Query } from 'pg';
import type { Client, Connection } from 'pg';

/** PostgreSQL's description of a statement that it does not run. */
export interface Description {
    /** names of the types of its parameters */
    parameters: string[];
    /** the columns of its result, with the object ids of their types */
    columns: { name: string; dataTypeID: number }[];
}

interface Raw {
    oids: number[];
    columns: Description['columns'];
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

    handleRowDescription({ fields }: { fields: Description['columns'] }): void {
        this.found.columns = fields;
    }
}

/** Parameters and columns of a statement, as the coordinator has them. */
export async function describe(client: Pick<Client, 'query'>, text: string): Promise<Description> {
    const { oids, columns } = await new Promise<Raw>((resolve, reject) => {
        const query: DescribeQuery = new DescribeQuery(text, (error) => (error === null ? resolve(query.found) : reject(error)));
        client.query(query);
    });
    const { rows } = await client.query<{ names: string[] }>(
        'select array(select format_type(oid, null) from unnest($1::oid[]) with ordinality as t (oid, n) order by n) as names', [oids]);
    return { parameters: rows.flatMap(({ names }) => names), columns };
}
