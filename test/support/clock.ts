/** Runs a job some milliseconds later, by every clock in this process. */
export function later<Result>(milliseconds: number, job: () => Promise<Result>): Promise<Result> {
    const real = Date.now;
    return by(() => real() + milliseconds, job);
}

/** Runs a job with all clocks of this process stopped, however busy the machine is. */
export function still<Result>(job: () => Promise<Result>): Promise<Result> {
    const now = Date.now();
    return by(() => now, job);
}

async function by<Result>(clock: () => number, job: () => Promise<Result>): Promise<Result> {
    const real = Date.now;
    Date.now = clock;
    try {
        return await job();
    }
    finally {
        Date.now = real;
    }
}

/** Milliseconds that a job takes, the best of three runs, so that other work on the machine matters little. */
export async function quickest(job: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < 3; ++n) {
        const from = performance.now();
        await job();
        times.push(performance.now() - from);
    }

    return Math.min(...times);
}

/** Whether this run measures: the nightly tests, alone on a machine. Elsewhere a time depends on what else the machine does. */
export const isMeasuring = process.env.MEASURE === 'on';

/** Expects that something took at most some milliseconds, where times are measured. */
export function expectQuick(milliseconds: number, most: number, what = 'milliseconds'): void {
    if (isMeasuring && milliseconds > most) {
        throw new Error(`Expected ${what} to be at most ${most}: ${milliseconds.toFixed(0)}`);
    }
}
