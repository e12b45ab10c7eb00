import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { root } from '../../test/support/program';
import { changedSince, testsOf } from './changed';
import { prepare, report } from './coverage';
import { TestProcess } from './process';
import type { Outcome } from './process';
import { SharedThings } from './shared';
import { useOneFolder } from './temporary';
import { tierOf } from './tiers';

const usage = `usage: npm test [-- FILE|FOLDER…]

Runs types, lint and the tests of the service, several files at a time. With files or folders, it runs nothing but their tests.

  --changed [COMMIT]  runs the tests for what differs from a commit (HEAD): those that import it, and those in the folder of the same name
  --tier ci|nightly   runs the tests that .ci/run or .ci/nightly adds
  --all               runs the tests of all tiers, without types and lint
  --tests             leaves types and lint out
  --coverage          demands that all of src is run

tools/test/README.md says which tests are in which tier, and why the runner is as it is.
`;

const compiler = 'node_modules/@typescript/native/bin/tsc';

/** Runs beside the tests, as they do. The next run checks only what has changed. */
const checks = [
    // Of what ships. `npm run lint`, as .ci/run does, has the tests and the tools too, which take as long again.
    ['lint', 'node', ['node_modules/eslint/bin/eslint.js', '--cache', '--cache-location', '.cache/eslint', '--cache-strategy', 'content', 'src', 'web', 'client/src']],
    ['imports', 'npm', ['run', '--silent', 'postlint']],
    ['types', 'node', [compiler, '--noEmit', '--incremental', '--tsBuildInfoFile', '.cache/types.tsbuildinfo']],
    ['types of the client', 'node', [compiler, '--noEmit', '-p', 'client']],
    ['types of the website', 'node', [compiler, '-p', 'web']],
    ['types of the examples for phones', 'node', [compiler, '-p', 'examples/phones']]
] as const;

const source = join(root, 'src');
/** How many seconds each file took at the last run here: the longest start first. */
const remembered = join(root, '.cache/durations.json');
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function testFiles(path: string): string[] {
    const files = statSync(path).isFile() ? [path] : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
    return files.filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules')).map((file) => relative(root, resolve(file)));
}

const allFiles = (): string[] => ['test', 'reliability'].flatMap(testFiles);

/** What the command line asks for. */
interface Wish {
    files: string[];
    /** whether to check types and lint */
    isWhole: boolean;
    coverage: boolean;
}

/** @returns undefined where the arguments make no sense */
async function wishOf(args: readonly string[]): Promise<Wish | undefined> {
    const { values, positionals } = parseArgs({
        args: [...args], allowPositionals: true, options: { changed: { type: 'boolean' }, tier: { type: 'string' }, all: { type: 'boolean' }, tests: { type: 'boolean', default: false }, coverage: { type: 'boolean' }, help: { type: 'boolean' } }
    });
    const { changed, tier, all, tests, coverage = false, help } = values;
    if (help || tier !== undefined && tier !== 'ci' && tier !== 'nightly') {
        return undefined;
    }

    if (changed) {
        const differing = changedSince(positionals[0] ?? 'HEAD');
        const files = await testsOf(differing, allFiles().filter((file) => tierOf(file) === 'test' || differing.includes(file)));
        print(`${differing.length} file(s) have changed: ${files.length} file(s) of tests`);
        return { files, isWhole: !tests, coverage };
    }

    const files = positionals.length > 0 ? positionals.flatMap(testFiles) : allFiles().filter((file) => all || tierOf(file) === (tier ?? 'test'));
    return { files, isWhole: positionals.length === 0 && tier === undefined && !all && !tests, coverage };
}

/** Something to run, in one of the places for tasks. */
type Task = (place: number) => Promise<void>;

/** Runs tasks from a shared list, a number at a time, each in a process of its own. */
class Run {
    readonly things = new SharedThings();
    readonly outcomes = new Map<string, Outcome>();
    /** by their names, what they printed */
    readonly failedChecks = new Map<string, string>();
    /** whether to count what is run: when the counters are in place */
    readonly #coverage: Promise<boolean>;
    readonly #processes: (TestProcess | undefined)[] = [];
    #isOver = false;

    constructor(coverage: boolean) {
        this.#coverage = coverage ? prepare(source).then(() => true) : Promise.resolve(false);
    }

    async check(name: string, command: string, args: readonly string[]): Promise<void> {
        await this.things.make('client');
        const began = performance.now();
        const [passed, output] = await new Promise<[boolean, string]>((end) => {
            execFile(command, args, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => end([error === null, `${stdout}${stderr}`.trim()]));
        });
        print(`${passed ? '✓' : '✗'} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
        if (!passed) {
            this.failedChecks.set(name, output);
            print(output);
        }
    }

    async test(file: string, place: number): Promise<void> {
        const coverage = await this.#coverage;
        // Tests read the description that the build makes.
        await this.things.make('client');
        const kept = this.#processes[place];
        const runner = kept?.isAlive ? kept : new TestProcess({ coverage, make: this.things.make });
        this.#processes[place] = runner;
        const outcome = await runner.run(file);
        this.outcomes.set(file, outcome);
        const { passed, failed, skipped, failures, seconds, cpu } = outcome;
        print(`${failures.length === 0 ? '✓' : '✗'} ${file}: ${passed} passed${failed > 0 ? `, ${failed} failed` : ''} (${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s CPU)`);
        skipped.forEach((title) => print(`  skipped: ${title}`));
        failures.forEach((failure) => print(`\n${failure}\n`));
    }

    /** What failed, by file. */
    get failures(): Map<string, string> {
        return new Map([...this.outcomes].flatMap(([file, { failures }]) => (failures.length > 0 ? [[file, failures.join('\n\n')]] : [])));
    }

    async all(tasks: readonly Task[], places: number): Promise<void> {
        const left = [...tasks];
        await Promise.all(Array.from({ length: places }, async (_one, place) => {
            for (let task = left.shift(); task !== undefined && !this.#isOver; task = left.shift()) {
                await task(place);
            }
        }));
    }

    /** How much of src all processes together have run, and the lines that none has run completely, with all branches. */
    async coverage(): Promise<{ percent: number; missing: { file: string; lines: number[] }[] }> {
        const alive = this.#processes.flatMap((each) => (each?.isAlive ? [each] : []));
        return report(source, await Promise.all(alive.map((each) => each.counted())));
    }

    async end(): Promise<void> {
        this.#isOver = true;
        this.#processes.forEach((each) => each?.end());
        await this.things.stop();
    }
}

const readDurations = (): Record<string, number> => (existsSync(remembered) ? JSON.parse(readFileSync(remembered, 'utf8')) : {});

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
    const wish = await wishOf(args).catch((error: unknown) => {
        print(error instanceof Error ? error.message : String(error));
        return undefined;
    });
    if (wish === undefined) {
        print(usage);
        return args.includes('--help') ? 0 : 2;
    }

    const durations = readDurations();
    // Where nothing is known, a large file takes long.
    const weights = new Map(wish.files.map((file) => [file, durations[file] ?? statSync(file).size / 1000]));
    const files = [...wish.files].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
    useOneFolder();
    const run = new Run(wish.coverage);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => {
            print(`${signal}: stopping`);
            void run.end().finally(() => process.exit(130));
        });
    }

    try {
        // More than there are processors, because tests also wait.
        await run.all([
            ...wish.isWhole ? checks.map(([name, command, rest]): Task => run.check.bind(run, name, command, rest)) : [],
            ...files.map((file): Task => run.test.bind(run, file))
        ], 2 * availableParallelism());
        return await conclude(run, wish.coverage, durations);
    }
    finally {
        await run.end();
    }
}

/** As much of what a failure printed as is repeated at the end, where somebody looks first. */
const beginning = (output: string): string => output.split('\n', 40).map((line) => `  ${line}`.slice(0, 500)).join('\n');

async function conclude(run: Run, withCoverage: boolean, durations: Record<string, number>): Promise<number> {
    const outcomes = [...run.outcomes.values()];
    const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0);
    const { percent, missing } = withCoverage ? await run.coverage() : { percent: 100, missing: [] };
    const wrong = [
        ...[...run.failedChecks, ...run.failures].map(([name, output]) => `${name}\n${beginning(output)}`),
        ...missing.map(({ file, lines }) => `not run by any test, or not each branch of it: ${file}, line ${lines.join(', ')}`),
        ...sum(({ passed, skipped }) => passed + skipped.length) === 0 ? ['no tests'] : []
    ];
    mkdirSync(dirname(remembered), { recursive: true });
    writeFileSync(remembered, JSON.stringify({ ...durations, ...Object.fromEntries([...run.outcomes].map(([file, { seconds }]) => [file, Math.round(seconds)])) }, null, 4));

    print('');
    wrong.forEach((what) => print(`✗ ${what}`));
    print(`${process.uptime().toFixed()} s, of which ${sum(({ cpu }) => cpu).toFixed()} s CPU in tests${withCoverage ? `; coverage ${percent.toFixed(2)} %` : ''}`);
    const skipped = sum((outcome) => outcome.skipped.length);
    new Set(outcomes.flatMap((outcome) => outcome.missing ?? [])).forEach((program) => print(`Skipped for want of ${program}`));
    print(`${sum(({ passed }) => passed)} passed, ${sum(({ failed, failures }) => Math.max(failed, failures.length > 0 ? 1 : 0))} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
    return wrong.length > 0 ? 1 : 0;
}

void main(process.argv.slice(2)).then((code) => process.exit(code), (error: unknown) => {
    print(String(error instanceof Error ? error.stack : error));
    process.exit(1);
});
