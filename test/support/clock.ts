/** Does a job so many milliseconds later, by every clock in this process. */
export function later<Result>(milliseconds: number, job: () => Promise<Result>): Promise<Result> {
    const real = Date.now;
    return by(() => real() + milliseconds, job);
}

/** Does a job in no time, by every clock in this process, however busy the machine is. */
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

/** Milliseconds that a job takes at the quickest of three times, so that it counts little what else the machine does. */
export async function quickest(job: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < 3; ++n) {
        const from = performance.now();
        await job();
        times.push(performance.now() - from);
    }

    return Math.min(...times);
}
