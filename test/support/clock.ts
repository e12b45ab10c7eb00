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
