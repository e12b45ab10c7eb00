import { join, sep } from 'node:path';

import * as Lab from '@hapi/lab';
import { Client } from 'pg';

declare module '@hapi/lab' {
    /** Runs scripts with lab's own runner, which its types do not include. */
    function execute(script: object, options: { ids: number[]; bail: boolean; timeout: number; 'context-timeout': number }, reporter: { start(): void; test(): void }): Promise<Notebook>;
}

interface Notebook {
    tests: LabTest[];
    errors: unknown[];
}

interface LabTest {
    /** its number in the run */
    id: number;
    title: string;
    duration: number;
    err?: unknown;
    skipped?: boolean;
    fn?: (flags: object) => unknown;
}

interface Experiment {
    experiments: Experiment[];
    tests: LabTest[];
}

/** The tests of one file, with names that are the same in every run. */
interface TestFile {
    file: string;
    root: Experiment;
    tests: LabTest[];
    names: string[];
    wanted: ReadonlySet<string>;
}

export interface Result {
    name: string;
    file: string;
    ms: number;
    /** why it failed; undefined if it did not */
    failure: string | undefined;
}

/** Milliseconds that a test may take unless it says otherwise. */
const TIMEOUT = 20_000;

/** Milliseconds for the set-up and clean-up of tests, which could otherwise wait forever for requests that do not end. */
const CONTEXT_TIMEOUT = 10_000;

/** How many of the tests that failed last run first: the next change is usually close to the one before. */
const FIRST = 2;

/** A file of tests, and a pattern for which of them; all if left out. */
export interface TestSource {
    file: string;
    matching?: string;
}

/** Modules that are not loaded again between runs: the databases' template, and what it needs. */
const lasting = join('test', 'support', 'database.js');

/** Runs tests repeatedly in one process, on compiled code that may change between two runs. */
export class LabTests {
    readonly #folder: string;
    readonly #database: string;
    readonly #files: readonly TestSource[];
    #loaded: TestFile[] = [];
    #first: string[] = [];
    /** milliseconds that each test took last */
    readonly #took = new Map<string, number>();
    /** called with what runs next: a test, or the set-up and clean-up of a file */
    onStep: (test: string | undefined, file: string) => void = () => undefined;

    constructor(folder: string, database: string, files: readonly TestSource[]) {
        this.#folder = folder;
        this.#database = database;
        this.#files = files;
    }

    /** Loads the tests, and the code that they test, as currently compiled. */
    load(): void {
        const kept = new Set<string>();
        keep(require.cache[join(this.#folder, lasting)], kept);
        for (const path of Object.keys(require.cache)) {
            if (path.startsWith(this.#folder + sep) && !path.includes(`${sep}node_modules${sep}`) && !kept.has(path)) {
                delete require.cache[path];
            }
        }

        this.#loaded = this.#files.map(({ file, matching = '' }) => {
            // eslint-disable-next-line no-restricted-syntax
            const { lab } = require(join(this.#folder, file.replace(/\.ts$/, '.js')));

            // Otherwise lab would run it by itself.
            lab._executionScheduled = true;
            return this.#named(file, lab._root, new RegExp(matching));
        });
    }

    #named(file: string, root: Experiment, matching: RegExp): TestFile {
        const tests = testsOf(root);
        const names = tests.map(({ title }, index) => {
            const same = tests.slice(0, index).filter((other) => other.title === title).length;
            return `${file}: ${title}${same > 0 ? ` (${same + 1})` : ''}`;
        });
        for (const [index, test] of tests.entries()) {
            const { fn } = test;
            test.fn = fn && ((flags) => {
                this.onStep(names[index], file);
                return fn(flags);
            });
        }

        return { file, root, tests, names, wanted: new Set(names.filter((_name, index) => matching.test(tests[index]?.title ?? ''))) };
    }

    /** Runs all tests, or the named ones; with `bail` until one fails, and the quickest files first. */
    async run(only: ReadonlySet<string> | undefined, bail: boolean): Promise<Result[]> {
        // eslint-disable-next-line no-restricted-syntax
        require(join(this.#folder, 'test', 'support', 'described.js')).forgetDescriptions();
        const first = new Set(bail ? this.#first.filter((name) => only?.has(name) ?? true) : []);
        const results = new Map<string, Result>();
        for (const round of [first, only]) {
            for (const [file, ids] of this.#inOrder(round, results)) {
                for (const result of await this.#runFile(file, ids, bail)) {
                    results.set(result.name, result);
                    this.#took.set(result.name, result.ms);
                }

                const failed = [...results.values()].find(({ failure }) => failure !== undefined);
                if (bail && failed !== undefined) {
                    this.#first = [failed.name, ...this.#first.filter((name) => name !== failed.name)].slice(0, FIRST);
                    await this.#dropLeft();
                    return [...results.values()];
                }
            }
        }

        return [...results.values()];
    }

    /** Runs each test without the others. A test that needs others would fail for every mutant that it reaches, and so hide mutants that no test notices. */
    async runAlone(): Promise<Result[]> {
        const names = this.#loaded.flatMap(({ wanted }) => [...wanted]);
        const results: Result[] = [];
        for (const name of names) {
            results.push(...await this.run(new Set([name]), false));
        }

        return results;
    }

    /** The numbers of the tests to run in each file, without those that have run: the files that took the least first. */
    #inOrder(only: ReadonlySet<string> | undefined, done: ReadonlyMap<string, Result>): [TestFile, number[]][] {
        const chosen = this.#loaded.map((one) => {
            const ids = one.names.flatMap((name, index) => ((only ?? one.wanted).has(name) && !done.has(name) ? [index + 1] : []));
            const ms = ids.reduce((sum, id) => sum + (this.#took.get(one.names[id - 1] ?? '') ?? 0), 0);
            return { one, ids, ms };
        });
        return chosen.filter(({ ids }) => ids.length > 0).sort((a, b) => a.ms - b.ms).map(({ one, ids }) => [one, ids]);
    }

    async #runFile({ file, root, tests, names }: TestFile, ids: number[], bail: boolean): Promise<Result[]> {
        for (const test of tests) {
            Object.assign(test, { err: undefined, skipped: undefined });
        }

        const between = (): void => this.onStep(undefined, file);
        const notebook = await Lab.execute({ _root: root, _onlyNodes: [] }, { ids, bail, timeout: TIMEOUT, 'context-timeout': CONTEXT_TIMEOUT }, { start: between, test: between });
        const results = notebook.tests.filter(({ skipped }) => !skipped).map(({ id, duration, err }): Result => {
            return { name: names[id - 1] ?? '', file, ms: duration, failure: err === undefined ? undefined : String(err) };
        });
        const [error] = notebook.errors;
        return error === undefined ? results : [...results, { name: names[0] ?? '', file, ms: 0, failure: String(error) }];
    }

    /** Drops the databases that failed tests left behind. */
    async #dropLeft(): Promise<void> {
        const client = new Client({ connectionString: this.#database });
        await client.connect();
        const { rows } = await client.query('select datname from pg_database where datname like $1', [`pagewright\\_test\\_${process.pid}\\_%`]);
        for (const { datname } of rows) {
            await client.query(`drop database ${datname} with (force)`);
        }

        await client.end();
    }
}

const testsOf = ({ tests, experiments }: Experiment): LabTest[] => [...tests, ...experiments.flatMap(testsOf)];

function keep(module: NodeModule | undefined, kept: Set<string>): void {
    if (module !== undefined && !kept.has(module.filename)) {
        kept.add(module.filename);
        for (const child of module.children) {
            keep(child, kept);
        }
    }
}
