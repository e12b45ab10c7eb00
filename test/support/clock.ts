/** Does a job so many milliseconds later, by every clock in this process. */
export async function later<Result>(milliseconds: number, job: () => Promise<Result>): Promise<Result> {
    const real = Date.now;
    Date.now = () => real() + milliseconds;
    try {
        return await job();
    }
    finally {
        Date.now = real;
    }
}
