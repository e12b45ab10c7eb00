import { pathToFileURL } from 'node:url';

import { programFile } from '../../test/support/programs';

/*
 * What is used of Stryker, which only the nightly tests install.
 */

/** How often mutants were reached: while modules were loaded, and in each test. */
export interface MutantCoverage {
    static: Record<string, number>;
    perTest: Record<string, Record<string, number>>;
}

export interface TestResult {
    id: string;
    name: string;
    fileName: string;
    timeSpentMs: number;
    status: number;
    failureMessage?: string;
}

export interface RunResult {
    status: string;
    tests?: TestResult[];
    mutantCoverage?: MutantCoverage;
    errorMessage?: string;
}

export interface MutantRunOptions {
    activeMutant: { id: string };
    testFilter?: string[];
    sandboxFileName: string;
    reloadEnvironment: boolean;
    hitLimit?: number;
    disableBail: boolean;
}

interface Core {
    Stryker: new (options: object) => { runMutationTest(): Promise<{ status: string; fileName: string; location: { start: { line: number; column: number } }; mutatorName: string; replacement?: string }[]> };
}

interface TestRunnerApi {
    DryRunStatus: Record<'Complete', string>;
    MutantRunStatus: Record<'Error', string>;
    TestStatus: Record<'Success' | 'Failed', number>;
    determineHitLimitReached(hitCount: number | undefined, hitLimit: number | undefined): RunResult | undefined;
    toMutantRunResult(result: RunResult): RunResult;
}

export const loadCore = (): Promise<Core> => import(pathToFileURL(programFile('@stryker-mutator/core/dist/src/index.js')).href);

export const loadTestRunnerApi = (): Promise<TestRunnerApi> => import(pathToFileURL(programFile('@stryker-mutator/api/dist/src/test-runner/index.js')).href);
