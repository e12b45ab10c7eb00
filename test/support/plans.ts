import { randomBytes } from 'node:crypto';

import type { Knex } from 'knex';

import type { Sent } from './queries';

/** The parts of a plan step in EXPLAIN that are used here. */
interface Step {
    'Node Type': string;
    'Relation Name'?: string;
    'Index Name'?: string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    'Rows Removed by Index Recheck'?: number;
    Plans?: Step[];
}

export interface Plan {
    /** every step, such as `Index Scan projects projects_newest_idx` */
    steps: string[];
    /** tables in which something was looked for */
    looked: string[];
    /** tables that are read completely */
    whole: string[];
    /** the most rows that any step reads, including those that it discards */
    mostRead: number;
    /** the most rows that are sorted at a time */
    mostSorted: number;
}

/** Runs a statement with its generic plan, in a transaction that is rolled back, and returns the plan. */
export async function planOf(db: Knex, { text, values }: Sent): Promise<Plan> {
    // Prepared statements survive a rollback, so each needs its own name.
    const name = `explained_${randomBytes(8).toString('hex')}`;
    const trx = await db.transaction();
    try {
        const client = await trx.client.acquireConnection();
        await client.query('set local plan_cache_mode = force_generic_plan');
        await client.query(`prepare ${name} as ${text}`);
        const parameters = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
        const { rows: [row] } = await client.query(`explain (analyze, timing off, format json) execute ${name}${parameters}`);
        return readPlan(row['QUERY PLAN'][0].Plan);
    }
    finally {
        await trx.rollback();
    }
}

function readPlan(root: Step): Plan {
    const steps: Step[] = [];
    const collect = (step: Step): void => {
        steps.push(step);
        step.Plans?.forEach(collect);
    };

    collect(root);
    const read = (step: Step): number => (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0)) * step['Actual Loops'];
    return {
        steps: steps.map((step) => [step['Node Type'], step['Relation Name'], step['Index Name']].filter(Boolean).join(' ')),
        looked: [...new Set(steps.filter((step) => step['Actual Loops'] > 0).flatMap((step) => step['Relation Name'] ?? []))].sort(),
        whole: steps.filter((step) => step['Node Type'] === 'Seq Scan' && step['Actual Loops'] > 0).map((step) => step['Relation Name'] ?? ''),
        mostRead: Math.max(...steps.map(read)),
        mostSorted: Math.max(0, ...steps.filter((step) => /Sort/.test(step['Node Type'])).map((step) => step['Actual Rows']))
    };
}

/** A value as SQL. */
function literal(value: unknown): string {
    if (value === null || value === undefined) {
        return 'null';
    }

    return `'${plain(value).replaceAll('\'', '\'\'')}'`;
}

function plain(value: unknown): string {
    if (Array.isArray(value)) {
        return `{${value.map((inner) => (inner === null ? 'null' : `"${plain(inner).replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
    }

    return Buffer.isBuffer(value) ? textsIn(value) ?? `\\x${value.toString('hex')}` : String(value);
}

/** A parameter that is an array of JSON in PostgreSQL's binary format, as text; undefined for other bytes. */
function textsIn(bytes: Buffer): string | undefined {
    const JSON_OID = 114;
    if (bytes.length < 20 || bytes.readInt32BE(0) !== 1 || bytes.readInt32BE(8) !== JSON_OID) {
        return undefined;
    }

    const texts: (string | null)[] = [];
    for (let at = 20; at < bytes.length;) {
        const length = bytes.readInt32BE(at);
        at += 4;
        texts.push(length < 0 ? null : bytes.toString('utf8', at, at + length));
        at += Math.max(0, length);
    }

    return plain(texts);
}
