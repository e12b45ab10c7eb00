/** The results of one run of a scenario. Times in milliseconds, CPU in microseconds a request. */
export interface Sample {
    perSecond: number | null;
    /** to the baseline, within the round */
    ratio: number | null;
    p50: number | null;
    p95: number | null;
    p99: number | null;
    /** the longest, of all rounds */
    max: number | null;
    /** longest stall of the event loop, of all rounds */
    stall: number | null;
    /** how late a reader at a fixed pace was itself, of all rounds */
    late: number | null;
    /** of the server process */
    cpu: number | null;
    /** of all of PostgreSQL's processes */
    pgCpu: number | null;
    /** the time of each call, if each was timed */
    times?: readonly number[];
}

export type Figure = Exclude<keyof Sample, 'times'>;

export const nothing: Sample = { perSecond: null, ratio: null, p50: null, p95: null, p99: null, max: null, stall: null, late: null, cpu: null, pgCpu: null };

/** How the rounds of each figure are combined. */
const together: Readonly<Record<Figure, (values: readonly number[]) => number>> = {
    perSecond: median, ratio: median, p50: median, p95: median, p99: median, cpu: median, pgCpu: median, max: worst, stall: worst, late: worst
};

const figures = (['perSecond', 'ratio', 'p50', 'p95', 'p99', 'max', 'stall', 'late', 'cpu', 'pgCpu'] as const) satisfies readonly Figure[];

/** The target for a figure. */
export interface Goal {
    figure: Figure;
    least?: number;
    most?: number;
}

/** What a ratio compares with: `yardstick` and `hapi` in requests a second (more is better), `sql` in time (less is better). */
export type Baseline = 'yardstick' | 'hapi' | 'sql' | null;

/** A scenario over all rounds. */
export interface Result {
    name: string;
    title: string;
    baseline: Baseline;
    goals: readonly Goal[];
    /** null if there is no goal */
    met: boolean | null;
    /** medians of the rounds; if each call was timed, percentiles of all calls of all rounds */
    median: Sample;
    rounds: readonly Sample[];
    failure: string | null;
}

/** Another figure: one value and its target. */
export interface Fact {
    title: string;
    value: string;
    target: string;
    met: boolean;
}

export function median(values: readonly number[]): number {
    return percentile(values, 50);
}

function worst(values: readonly number[]): number {
    return Math.max(...values);
}

/** The nearest rank; of an even number of values, the median is the mean of the two in the middle. */
export function percentile(values: readonly number[], percent: number): number {
    const sorted = [...values].sort((a, b) => a - b);
    const at = Math.max(1, Math.ceil(sorted.length * percent / 100));
    const value = sorted[at - 1] ?? NaN;
    return percent === 50 && sorted.length % 2 === 0 ? (value + (sorted[at] ?? NaN)) / 2 : value;
}

/** A sample of calls that were timed one by one. */
export function sampleOf(times: readonly number[]): Sample {
    return { ...nothing, times, p50: median(times), p95: percentile(times, 95), p99: percentile(times, 99), max: Math.max(...times) };
}

export function mediansOf(samples: readonly Sample[]): Sample {
    const pairs = figures.map((figure) => {
        const values = samples.map((sample) => sample[figure]).filter((value) => value !== null);
        return [figure, values.length > 0 ? together[figure](values) : null] as const;
    });
    const medians: Sample = { ...nothing, ...Object.fromEntries(pairs) };
    const times = samples.flatMap((sample) => sample.times ?? []);
    if (times.length === 0) {
        return medians;
    }

    const { p50, p95, p99, max } = sampleOf(times);
    return { ...medians, p50, p95, p99, max };
}

export function isMet(goals: readonly Goal[], sample: Sample): boolean | null {
    return goals.length === 0 ? null : goals.every(({ figure, least, most }) => {
        const value = sample[figure];
        return value !== null && (least === undefined || value >= least) && (most === undefined || value <= most);
    });
}
