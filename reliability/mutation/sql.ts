import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildSync, transformSync } from 'esbuild';
import { Client } from 'pg';

import { sqlMutants } from './conditions';
import type { SqlMutant } from './conditions';
import { LabTests } from './lab';
import type { Result, TestSource } from './lab';

/** A change of SQL, and whether the tests noticed it. */
export interface SqlResult extends Placed {
    was: string;
    /** the test that noticed it; undefined if none did */
    noticed: string | undefined;
}

const root = process.cwd();
const folder = join(root, '.stryker-tmp', 'compiled');
const format = { format: 'cjs', platform: 'node', target: 'node20', logLevel: 'warning' } as const;

/** Compiles the current sources, for tests that run in this process. */
function compiledSuite(tests: readonly TestSource[], database: string): LabTests {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    buildSync({ entryPoints: ['client/src/**/*.ts', 'src/**/*.ts', 'src/**/*.tsx', 'migrations/*.ts', 'test/**/*.ts'], outbase: root, outdir: folder, ...format });
    for (const file of ['openapi.json', 'package.json', '.env.example']) {
        copyFileSync(join(root, file), join(folder, file));
    }

    // The scripts and styles of the pages, as they were built.
    mkdirSync(join(folder, 'dist'));
    symlinkSync(join(root, 'dist', 'site'), join(folder, 'dist', 'site'));
    const suite = new LabTests(folder, database, tests);
    suite.load();
    return suite;
}

/** Runs each test alone, without any change. */
export const runAlone = (tests: readonly TestSource[], database: string): Promise<Result[]> => compiledSuite(tests, database).runAlone();

/** A change, and its place. */
interface Placed extends SqlMutant {
    file: string;
    line: number;
}

/** All changes of a file. */
function mutantsOf(file: string): Placed[] {
    const source = readFileSync(join(root, file), 'utf8');
    return sqlMutants(source).map((mutant) => ({ ...mutant, file, line: source.slice(0, mutant.start).split('\n').length }));
}

/** Compiles a source file again, after some texts in it were replaced. The last ones come first, so that the positions of the others stay. */
function recompile(file: string, replacements: readonly Pick<SqlMutant, 'start' | 'end' | 'text'>[]): void {
    const source = replacements.reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), readFileSync(join(root, file), 'utf8'));
    writeFileSync(join(folder, file.replace(/\.ts$/, '.js')), transformSync(source, { loader: 'ts', ...format }).code);
}

/**
 * Runs all tests with a comment at the place of each change, and sees which of them are in what a test sends to PostgreSQL.
 * @returns the names of the tests for each change
 * @throws if a test fails
 */
async function findTests(suite: LabTests, mutants: readonly Placed[]): Promise<Set<string>[]> {
    const found = mutants.map(() => new Set<string>());
    const { query } = Client.prototype;
    let current = '';
    suite.onStep = (test, file) => {
        current = test ?? file;
    };

    Client.prototype.query = new Proxy(query, {
        apply(target, client, given: unknown[]) {
            const [sent] = given;
            const text = typeof sent === 'object' && sent !== null && 'text' in sent ? sent.text : sent;
            for (const [, n] of String(text).matchAll(/\/\* change (\d+) \*\//g)) {
                found[Number(n)]?.add(current);
            }

            return Reflect.apply(target, client, given);
        }
    });
    try {
        for (const file of new Set(mutants.map((mutant) => mutant.file))) {
            const marks = mutants.flatMap(({ file: its, start }, n) => (its === file ? [{ start, end: start, text: `/* change ${n} */` }] : []));
            recompile(file, marks.sort((a, b) => b.start - a.start));
        }

        suite.load();
        const results = await suite.run(undefined, false);
        const wrong = results.find(({ failure }) => failure !== undefined);
        if (wrong !== undefined) {
            throw new Error(`${wrong.name} fails without any change: ${wrong.failure}`);
        }

        // What the set-up of a file sends counts for all of its tests.
        return found.map((by) => new Set(results.filter(({ name, file }) => by.has(name) || by.has(file)).map(({ name }) => name)));
    }
    finally {
        Client.prototype.query = query;
        suite.onStep = () => undefined;
        mutants.forEach(({ file }) => recompile(file, []));
    }
}

/** Changes the SQL of some files, or only at these places of them, one at a time, and reports each time whether the tests noticed. */
export async function mutateSql(files: readonly string[], at: readonly string[], tests: readonly TestSource[], database: string, tell: (result: SqlResult) => void): Promise<void> {
    if (files.length === 0) {
        return;
    }

    const mutants = files.flatMap(mutantsOf).filter(({ file, line }) => at.length === 0 || at.some((place) => `/${file}:${line}`.endsWith(`/${place}`)));
    const suite = compiledSuite(tests, database);
    const found = await findTests(suite, mutants);
    for (const [n, mutant] of mutants.entries()) {
        const { file, start, end } = mutant;
        recompile(file, [mutant]);
        suite.load();
        const failed = (await suite.run(found[n], true)).find(({ failure }) => failure !== undefined);
        const source = readFileSync(join(root, file), 'utf8');
        tell({ ...mutant, was: source.slice(start, end), noticed: failed?.name });
        recompile(file, []);
    }
}
