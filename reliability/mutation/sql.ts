import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildSync, transformSync } from 'esbuild';

import { sqlMutants } from './conditions';
import type { SqlMutant } from './conditions';
import { LabTests } from './lab';
import type { Result, TestSource } from './lab';

/** A change of SQL, its place, and whether the tests noticed it. */
export interface SqlResult extends SqlMutant {
    file: string;
    line: number;
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

/** Changes the SQL of some files, one place at a time, and reports each time whether the tests noticed. */
export async function mutateSql(files: readonly string[], tests: readonly TestSource[], database: string, tell: (result: SqlResult) => void): Promise<void> {
    if (files.length === 0) {
        return;
    }

    const suite = compiledSuite(tests, database);
    const [wrong] = (await suite.run(undefined, true)).filter(({ failure }) => failure !== undefined);
    if (wrong !== undefined) {
        throw new Error(`${wrong.name} fails without any change: ${wrong.failure}`);
    }

    for (const file of files) {
        const source = readFileSync(join(root, file), 'utf8');
        const compiled = join(folder, file.replace(/\.ts$/, '.js'));
        const original = readFileSync(compiled, 'utf8');
        for (const mutant of sqlMutants(source)) {
            const { start, end, text } = mutant;
            writeFileSync(compiled, transformSync(source.slice(0, start) + text + source.slice(end), { loader: 'ts', ...format }).code);
            suite.load();
            const failed = (await suite.run(undefined, true)).find(({ failure }) => failure !== undefined);
            tell({ ...mutant, file, line: source.slice(0, start).split('\n').length, was: source.slice(start, end), noticed: failed?.name });
        }

        writeFileSync(compiled, original);
    }
}
