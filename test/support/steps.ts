/**
 * The longest step of a job on the main thread, in milliseconds of processor time, so that it is no longer on a busy machine, where steps also wait.
 * A step is a turn of the event loop, with whatever else is done in it.
 */
export async function longestStep(job: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    let isRunning = true;
    let before = process.cpuUsage();
    const watch = (): void => {
        const { user, system } = process.cpuUsage(before);
        before = process.cpuUsage();
        longest = Math.max(longest, (user + system) / 1000);
        if (isRunning) {
            setImmediate(watch);
        }
    };

    setImmediate(watch);
    try {
        await job();
    }
    finally {
        await new Promise(setImmediate);
        isRunning = false;
    }

    return longest;
}
