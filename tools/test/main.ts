import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';

import { root } from '../../test/support/program';
import { prepare, report } from './coverage';
import { TestProcess } from './process';
import type { Outcome } from './process';
import { SharedThings } from './shared';
import { useMemory } from './temporary';

/** Files that are run once more if they fail: what makes more of them fail is not that they ran beside others. */
const MOST_AGAIN = 2;

const usage = `usage: npm test [-- FILE|FOLDER…]

Runs types, lint and the tests of the service, several files at a time, and demands that they run all of src.
With files or folders, it runs nothing but their tests.

  --others     runs only what is left out without it: the tests of pages in a browser, of packages, of the examples and the guide, and of the tools of development
  --coverage   demands that all of src is run, though the tests are not all
  --again      a file that fails is run once more when all others have ended, if no more than ${MOST_AGAIN} do. What failed at first is printed at the end, and does not count if it passes
  --remember   writes the seconds that each file took into tools/test/durations.json, by which the longest are started first
`;

/** Tests that measure time. They run when all others have ended, beside each other, because they mostly wait. */
const timed = ['test/projects/bulk/line.test.ts', 'test/api/protection/requests.test.ts', 'test/api/protection/slow-clients.test.ts', 'test/client/after-a-lesson.test.ts'];

/**
 * Tests of what is not the API: the built programs in processes of their own, packages as they are packed and installed, examples, the guide, the tools of development, and how pages look and work in a browser.
 * Files, and folders. `.ci/run` has a step for them, with pages in all languages and colours.
 */
const others = [
    'reliability/', 'test/docs/', 'test/tools/', 'test/browser.test.ts', 'test/client/package.test.ts', 'test/docker.test.ts', 'test/examples.test.ts', 'test/packed.test.ts',
    'test/operations/process/heap-growth.test.ts', 'test/operations/process/own-storage.test.ts', 'test/operations/process/process.test.ts', 'test/api/description/viewer/axe.test.ts', 'test/api/description/viewer/browser.test.ts',
    'test/site/account', 'test/site/admin', 'test/site/apps', 'test/site/archive', 'test/site/assignments', 'test/site/axe', 'test/site/browser', 'test/site/classes', 'test/site/day', 'test/site/editor',
    'test/site/html-file', 'test/site/keyboard', 'test/site/lesson', 'test/site/mail', 'test/site/offline.', 'test/site/passkeys', 'test/site/personal-tokens', 'test/site/publish', 'test/site/sign-up', 'test/site/webhooks', 'test/site/zoom'
];

const compiler = 'node_modules/@typescript/native/bin/tsc';

/** Runs beside the tests, as they do. The next run checks only what has changed. */
const checks = [
    ['types', 'node', [compiler, '--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo']],
    ['site', 'node', [compiler, '-p', 'web']],
    ['lint', 'npm', ['run', '--silent', 'lint']]
] as const;

const source = join(root, 'src');
const remembered = join(__dirname, 'durations.json');
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function testFiles(path: string): string[] {
    const files = statSync(path).isFile() ? [path] : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
    return files.filter((file) => file.endsWith('.test.ts')).map((file) => relative(root, resolve(file)));
}

/** The files of a run that names none. */
const ownFiles = (isOthers: boolean): string[] => ['test', 'reliability'].flatMap(testFiles).filter((file) => others.some((place) => file.startsWith(place)) === isOthers);

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

    /** Runs the files that have failed once more, one after the other, each in a new process. @returns those that then pass, with what had failed */
    async again(): Promise<Map<string, string>> {
        const before = this.failures;
        for (const file of before.keys()) {
            await this.test(file, this.#processes.length);
        }

        return new Map([...before].filter(([file]) => !this.failures.has(file)));
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

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
    const paths = args.filter((arg) => !['--again', '--coverage', '--others', '--remember'].includes(arg));
    if (paths.some((path) => path.startsWith('-'))) {
        print(usage);
        return args.includes('--help') ? 0 : 2;
    }

    const isOthers = args.includes('--others');
    const isWhole = paths.length === 0 && !isOthers;
    const durations: Record<string, number> = JSON.parse(readFileSync(remembered, 'utf8'));
    // New files start first, because they may take long.
    const files = (paths.length === 0 ? ownFiles(isOthers) : paths.flatMap(testFiles)).sort((a, b) => (durations[b] ?? Infinity) - (durations[a] ?? Infinity) || a.localeCompare(b));
    const withCoverage = isWhole || args.includes('--coverage');
    useMemory();
    const run = new Run(withCoverage);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => {
            print(`${signal}: stopping`);
            void run.end().finally(() => process.exit(130));
        });
    }

    // More than there are processors, because tests also wait.
    const places = 2 * availableParallelism();
    if (paths.length === 0) {
        // Some of the longest tests need it, and it takes a while to build and start.
        run.things.make('product').catch(() => undefined);
    }

    try {
        await run.all([
            ...isWhole ? checks.map(([name, command, rest]): Task => run.check.bind(run, name, command, rest)) : [],
            ...files.filter((file) => !timed.includes(file)).map((file): Task => run.test.bind(run, file))
        ], places);
        await run.all(files.filter((file) => timed.includes(file)).map((file): Task => run.test.bind(run, file)), places);
        const unsteady = args.includes('--again') && run.failures.size <= MOST_AGAIN ? await run.again() : new Map<string, string>();
        const code = await conclude(run, withCoverage, args.includes('--remember') ? durations : undefined);
        unsteady.forEach((output, file) => print(`\n! ${file} failed beside others, and passed alone. Find out why:\n${beginning(output)}`));
        return code;
    }
    finally {
        await run.end();
    }
}

/** As much of what a failure printed as is repeated at the end, where somebody looks first. */
const beginning = (output: string): string => output.split('\n', 40).map((line) => `  ${line}`.slice(0, 500)).join('\n');

async function conclude(run: Run, withCoverage: boolean, durations: Record<string, number> | undefined): Promise<number> {
    const outcomes = [...run.outcomes.values()];
    const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0);
    const { percent, missing } = withCoverage ? await run.coverage() : { percent: 100, missing: [] };
    const wrong = [
        ...[...run.failedChecks, ...run.failures].map(([name, output]) => `${name}\n${beginning(output)}`),
        ...missing.map(({ file, lines }) => `not run by any test, or not each branch of it: ${file}, line ${lines.join(', ')}`),
        ...sum(({ passed, skipped }) => passed + skipped.length) === 0 ? ['no tests'] : []
    ];
    if (durations !== undefined) {
        const all = { ...durations, ...Object.fromEntries([...run.outcomes].map(([file, { seconds }]) => [file, Math.round(seconds)])) };
        writeFileSync(remembered, `${JSON.stringify(Object.fromEntries(Object.entries(all).sort()), null, 4)}\n`);
    }

    print('');
    wrong.forEach((what) => print(`✗ ${what}`));
    print(`${process.uptime().toFixed()} s, of which ${sum(({ cpu }) => cpu).toFixed()} s CPU in tests${withCoverage ? `; coverage ${percent.toFixed(2)} %` : ''}`);
    const skipped = sum((outcome) => outcome.skipped.length);
    print(`${sum(({ passed }) => passed)} passed, ${sum(({ failed, failures }) => Math.max(failed, failures.length > 0 ? 1 : 0))} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
    return wrong.length > 0 ? 1 : 0;
}

void main(process.argv.slice(2)).then((code) => process.exit(code), (error: unknown) => {
    print(String(error instanceof Error ? error.stack : error));
    process.exit(1);
});
