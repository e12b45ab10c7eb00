import { expectQuick, isMeasuring } from './clock';

/**
 * The longest step of a job on the main thread, in milliseconds of processor time, so that it is no longer on a busy machine, where steps also wait.
 * A step is a turn of the event loop, or several that take less than a millisecond together: to look after each would take a processor while the job waits.
 */
async function longestStepOf(job: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    let before = process.cpuUsage();
    const look = (): void => {
        const { user, system } = process.cpuUsage(before);
        before = process.cpuUsage();
        longest = Math.max(longest, (user + system) / 1000);
    };

    const timer = setInterval(look, 1);
    try {
        await job();
    }
    finally {
        clearInterval(timer);
        look();
    }

    return longest;
}

/**
 * Does a job, and expects that it is done in small steps where times are measured. A longer step is measured again, because V8 collects
 * garbage and compiles when it wants to.
 * @param most milliseconds that a step may take
 */
export async function expectSmallSteps(most: number, job: () => Promise<unknown>, what?: string): Promise<void> {
    let shortest = await longestStepOf(job);
    for (let tries = 1; isMeasuring && tries < 3 && shortest >= most; ++tries) {
        shortest = Math.min(shortest, await longestStepOf(job));
    }

    expectQuick(shortest, most, what);
}
