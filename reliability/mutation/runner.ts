import { readFileSync } from 'node:fs';

import { LabTests } from './lab';
import type { TestSource } from './lab';
import { isProse } from './prose';
import { loadTestRunnerApi } from './stryker';
import type { MutantCoverage, MutantRunOptions, RunResult } from './stryker';

/** What Stryker's instrumentation and its runners exchange. */
interface Instrumentation {
    activeMutant?: string;
    currentTestId?: string;
    hitCount?: number;
    hitLimit?: number;
    mutantCoverage?: MutantCoverage;
}

declare global {
    // eslint-disable-next-line @hapi/no-var
    var __stryker__: Instrumentation;
}

const api = loadTestRunnerApi();

/** Runs lab's tests in Stryker's own process, and only those that reach the mutant. */
class LabRunner {
    static readonly inject = ['options'] as const;
    readonly #tests: LabTests;
    /** whether the loaded code may have been changed by a mutant that was active then */
    #stale = true;

    constructor({ lab: { files, database } }: { lab: { files: TestSource[]; database: string } }) {
        this.#tests = new LabTests(process.cwd(), database, files);
        this.#tests.onStep = (test, file) => {
            globalThis.__stryker__.currentTestId = test ?? file;
        };
    }

    capabilities(): { reloadEnvironment: boolean } {
        return { reloadEnvironment: true };
    }

    async init(): Promise<void> {
        globalThis.__stryker__ = { currentTestId: undefined };
        await api;
    }

    async dryRun(): Promise<RunResult> {
        this.#load();
        return await this.#run(undefined, false);
    }

    async mutantRun({ activeMutant: { id }, testFilter, sandboxFileName, reloadEnvironment, hitLimit, disableBail }: MutantRunOptions): Promise<RunResult> {
        const { MutantRunStatus, toMutantRunResult } = await api;
        Object.assign(globalThis.__stryker__, { activeMutant: reloadEnvironment ? id : undefined, hitLimit, hitCount: 0 });
        // What a module computed at load time could hide a mutant.
        const remembers = /^let /m.test(readFileSync(sandboxFileName, 'utf8'));
        if (this.#stale || reloadEnvironment || remembers) {
            try {
                this.#load();
            }
            catch (error) {
                return { status: MutantRunStatus.Error, errorMessage: `Cannot be loaded: ${String(error)}` };
            }
        }

        globalThis.__stryker__.activeMutant = id;
        const only = testFilter && new Set(testFilter);
        return toMutantRunResult(await this.#run(only, !disableBail));
    }

    #load(): void {
        globalThis.__stryker__.currentTestId = undefined;
        this.#stale = true;
        this.#tests.load();
        this.#stale = globalThis.__stryker__.activeMutant !== undefined;
    }

    async #run(only: ReadonlySet<string> | undefined, bail: boolean): Promise<RunResult> {
        const { DryRunStatus, TestStatus, determineHitLimitReached } = await api;
        const results = await this.#tests.run(only, bail);
        const { hitCount, hitLimit, mutantCoverage } = globalThis.__stryker__;
        return determineHitLimitReached(hitCount, hitLimit) ?? {
            status: DryRunStatus.Complete,
            tests: results.map(({ name: id, file, ms: timeSpentMs, failure }) => {
                const test = { id, name: id, fileName: file, timeSpentMs };
                return failure === undefined ? { ...test, status: TestStatus.Success } : { ...test, status: TestStatus.Failed, failureMessage: failure };
            }),
            mutantCoverage: mutantCoverage && byTests(mutantCoverage, results)
        };
    }
}

/** Counts the coverage of set-up and clean-up for each test of a file. */
function byTests({ static: loading, perTest }: MutantCoverage, results: readonly { name: string; file: string }[]): MutantCoverage {
    return {
        static: loading,
        perTest: Object.fromEntries(results.map(({ name, file }) => [name, { ...perTest[file], ...perTest[name] }]))
    };
}

export const strykerPlugins = [
    { kind: 'TestRunner', name: 'lab', injectableClass: LabRunner },
    { kind: 'Ignore', name: 'prose', value: { shouldIgnore: isProse } }
];
