import { Client } from 'pg';

import { runProgram } from '../reliability/program';
import { cloneDatabase } from '../test/support/database';
import { allStatements } from '../test/support/declarations';

const usage = `usage: npm run sql [-- TEXT]

Prints the statements of the service whose file or text contains TEXT, as PostgreSQL gets them, with the plan of each on an empty database.
Without TEXT, it prints how many each file has.
`;

async function main(wanted = ''): Promise<void> {
    const found = (await allStatements()).filter(({ at, text }) => at.includes(wanted) || text.includes(wanted));
    if (wanted === '' || found.length === 0) {
        const files = [...new Set(found.map(({ at }) => at))].sort();
        process.stdout.write(`${files.map((file) => `${String(found.filter(({ at }) => at === file).length).padStart(3)} ${file}\n`).join('')}\n${usage}`);
        process.exitCode = found.length === 0 ? 1 : 0;
        return;
    }

    const database = await cloneDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    for (const { at, text, parameters, columns } of found) {
        const plan = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${text}`).then(({ rows }) => rows.map((row) => row['QUERY PLAN']), (error: Error) => [`no plan: ${error.message}`]);
        process.stdout.write(`-- ${at}\n-- parameters: ${parameters.join(', ') || 'none'}\n-- row: ${JSON.stringify(columns)}\n${text.trim()};\n${plan.map((line) => `-- ${line}`).join('\n')}\n\n`);
    }

    await client.end();
    await database.drop();
}

runProgram(() => main(process.argv[1]));
