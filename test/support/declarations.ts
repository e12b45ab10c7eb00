import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Client } from 'pg';

import { isNullable, typeOf } from '../../src/database/declaration';
import { withLookups } from '../../src/database/citus/pages';
import { describe } from './describe';
import { root } from './program';
import type { Found } from './statements';

/** All statements of the service, as its modules make them when they are loaded. */
export async function allStatements(): Promise<Found[]> {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', `require('./tools/test/typescript').register(); require('./test/support/statements.ts')`], { cwd: root, maxBuffer: 2 ** 26 });
    return JSON.parse(stdout);
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What PostgreSQL says of a statement against the migrated schema that its declaration does not: of nulls, only of columns that are a table's, if the statement does not leave them out. */
export async function faultsOfTypes(client: Client, { text, parameters, columns }: Found): Promise<string[]> {
    try {
        const described = await describe(client, text);
        const own = Object.entries(columns ?? {}).map(([name, column]) => `${name} ${typeOf(column)}`).sort();
        const real = described.columns.map(({ name, type }) => `${name} ${type}`).sort();
        return [
            ...parameters.join(', ') === described.parameters.join(', ') ? [] : [`parameters: ${described.parameters.join(', ')}`],
            ...columns === null || own.join(', ') === real.join(', ') ? [] : [`row: ${real.join(', ')}`],
            ...described.columns.filter(({ name, isNullable: canBeNull }) => canBeNull && columns?.[name] !== undefined && !isNullable(columns[name]) && !text.includes(`${name} is not null`)).map(({ name }) => `${name} can be null`)
        ];
    }
    catch (error) {
        return [reason(error)];
    }
}

const nodesOf = (plan: object): string[] => JSON.stringify(plan).match(/"Node Type": ?"\w+"/g) ?? [];

/** What is wrong with a statement's place. @param client of a role that may read only what the coordinator of a cluster has itself, on a database that is distributed */
export async function faultsOfPlace(client: Client, { text, place, parameters }: Found): Promise<string[]> {
    // This names no table, and has no plan.
    if (text.startsWith('set constraints')) {
        return [];
    }

    try {
        const isBeside = place.kind === 'here' || place.kind === 'lookup';
        await client.query(isBeside ? 'set role beside_projects' : 'reset role');
        const { rows: [row] } = await client.query<{ 'QUERY PLAN': object }>(`explain (generic_plan, format json) ${place.kind === 'lookup' ? withLookups(text) : text}`);
        const writes = nodesOf(row?.['QUERY PLAN'] ?? {}).some((node) => /ModifyTable|LockRows/.test(node)) || /\b(?:add_statement|end_statements|log_act)\(/.test(text);
        const key = place.kind === 'project' || place.kind === 'each' ? place.parameter : null;
        return [
            ...!('writes' in place) || place.writes === writes ? [] : [`it ${writes ? 'writes' : 'only reads'}`],
            ...key === null || parameters[key - 1] === (place.kind === 'each' ? 'bigint[]' : 'bigint') ? [] : [`parameter ${key} has no id of a project`]
        ];
    }
    catch (error) {
        return [reason(error)];
    }
    finally {
        await client.query('reset role');
    }
}
