import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import { engine } from '../../test/support/database';
import { out } from '../program';
import { groups } from './groups';
import type { Part } from './groups';
import { mutateSql, runAlone } from './sql';
import { loadCore } from './stryker';

/** The smallest share of mutants, in percent, that the tests of a group must notice. */
const LEAST = 85;

const compile = 'esbuild client/src/**/*.ts src/**/*.ts src/**/*.tsx migrations/*.ts test/**/*.ts --outbase=. --outdir=. --format=cjs --platform=node --target=node20 --log-level=warning';

interface Task {
    part: Part;
    /** of the reports */
    name: string;
    database: string;
    concurrency: number;
    /** places in SQL, such as `queries.ts:24`; all if there are none */
    at: readonly string[];
}

/** How many mutants (or tests) there were, and how many were noticed (or passed). */
interface Score {
    noticed: number;
    all: number;
}

/** Changes code with Stryker's mutators. */
async function mutateCode({ part, name, database, concurrency }: Task): Promise<Score> {
    const { Stryker } = await loadCore();
    const stryker = new Stryker({
        mutate: [...part.mutate],
        testRunner: 'lab',
        plugins: [join(__dirname, 'runner.js')],
        lab: { files: part.tests, database },
        ignorers: ['prose'],
        coverageAnalysis: 'perTest',
        concurrency,
        buildCommand: compile,
        ignorePatterns: ['**', '!client/src/**', '!src/**', '!migrations/**', '!test/**', '!dist/site/**', '!openapi.json', '!package.json', '!tsconfig.json', '!.env.example'],
        incremental: true,
        incrementalFile: `reports/mutation/${name}.incremental.json`,
        reporters: ['json', 'html', 'progress-append-only'],
        jsonReporter: { fileName: `reports/mutation/${name}.json` },
        htmlReporter: { fileName: `reports/mutation/${name}.html` },
        timeoutMS: 30_000,
        warnings: { unknownOptions: false, preprocessorErrors: true, unserializableOptions: true, slow: false }
    });
    const results = await stryker.runMutationTest();
    const count = (...statuses: string[]): number => results.filter(({ status }) => statuses.includes(status)).length;
    for (const { status, fileName, location: { start }, mutatorName, replacement } of results) {
        if (status === 'Survived' || status === 'NoCoverage') {
            out(`${status} ${relative('.', fileName)}:${start.line}:${start.column} ${mutatorName}: ${replacement}`);
        }
    }

    const noticed = count('Killed', 'Timeout');
    // A program that does not start says nothing about the tests.
    out(`${count('RuntimeError')} more cannot be loaded, and ${count('Ignored')} are in text for people.`);
    return { noticed, all: noticed + count('Survived', 'NoCoverage') };
}

/** Changes the conditions in SQL, which Stryker treats as plain text. */
async function mutateConditions({ part: { sql = [], tests }, database, at }: Task): Promise<Score> {
    const score = { noticed: 0, all: 0 };
    await mutateSql(sql, at, tests, database, ({ file, line, kind, was, text, noticed: by }) => {
        score.all += 1;
        score.noticed += by === undefined ? 0 : 1;
        const change = `${file}:${line} ${kind}: ${was} → ${text}`.replace(/\s+/g, ' ');
        out(by === undefined ? `Survived ${change}` : `noticed ${change}, by ${by}`);
    });
    return score;
}

/** Changes nothing, and counts the tests that pass without the others. */
async function checkAlone({ part: { tests }, database }: Task): Promise<Score> {
    const results = await runAlone(tests, database);
    const failed = results.filter(({ failure }) => failure !== undefined);
    failed.forEach(({ name, failure }) => out(`Fails alone: ${name}: ${failure}`));
    return { noticed: results.length - failed.length, all: results.length };
}

/** A part with only those of its files that a text is in. */
const only = ({ mutate, sql = [], tests }: Part, file: string): Part => ({ mutate: mutate.filter((name) => name.includes(file)), sql: sql.filter((name) => name.includes(file)), tests });

/** `npm run test:mutation -- [--kind code|SQL|alone] [--file part of a name] [--at file.ts:line] [--concurrency n] [group or part…]`: exits with 1 if too few mutants are noticed. */
async function main(): Promise<void> {
    const { values: { kind, file, at, concurrency }, positionals } = parseArgs({
        options: { kind: { type: 'string' }, file: { type: 'string', default: '' }, at: { type: 'string', multiple: true, default: [] }, concurrency: { type: 'string', default: '2' } }, allowPositionals: true
    });
    const wanted = (...names: string[]): boolean => positionals.length === 0 || names.some((name) => positionals.includes(name));
    const { url: database } = await engine();
    process.env.TEST_DATABASE_URL = database;
    for (const [group, parts] of Object.entries(groups)) {
        for (const [what, mutate] of [['alone', checkAlone], ['code', mutateCode], ['SQL', mutateConditions]] as const) {
            const score = { noticed: 0, all: 0 };
            for (const [index, part] of parts.entries()) {
                if (wanted(group, `${group}-${index}`) && (kind === undefined || kind === what)) {
                    const { noticed, all } = await mutate({ part: only(part, file), name: `${group}-${index}`, database, concurrency: Number(concurrency), at });
                    out(`${group}-${index}, ${what}: ${noticed} of ${all}`);
                    score.noticed += noticed;
                    score.all += all;
                }
            }

            if (score.all > 0) {
                const share = 100 * score.noticed / score.all;
                out(`${group}, ${what}: ${score.noticed} of ${score.all}, ${share.toFixed(1)} %`);
                process.exitCode = share < (what === 'alone' ? 100 : LEAST) ? 1 : process.exitCode;
            }
        }
    }
}

// `process.exit` is needed, because the embedded PostgreSQL would keep this process alive.
void main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
}).finally(() => process.exit());
