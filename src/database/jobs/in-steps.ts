/** How it ended: all was done, the service was asked to end, or a step threw an error. */
export type Outcome = 'done' | 'ended' | 'failed';

interface Token {
    token: string;
}

/** Work that one instance does at a time, which has a lease. */
export interface WorkInSteps<Claimed extends Token, Step> {
    /** Leases it; undefined if another instance has the lease, or it is not due. */
    claim(): Promise<Claimed | undefined>;
    steps(claimed: Claimed): AsyncIterable<Step>;
    /** Has the lease go on after a step, and notes how far it is. @returns the new token; undefined if the lease was lost */
    renew(token: string, step: Step): Promise<string | undefined>;
    /** Ends the lease. */
    release(token: string, outcome: Outcome, claimed: Claimed): Promise<void>;
}

/**
 * Does work in steps, as long as it has the lease.
 * @param signal ends it between two steps
 * @returns whether all was done
 */
export async function workInSteps<Claimed extends Token, Step>(work: WorkInSteps<Claimed, Step>, signal: AbortSignal): Promise<boolean> {
    const { claim, steps, renew, release } = work;
    const claimed = await claim();
    if (claimed === undefined) {
        return false;
    }

    let token: string | undefined = claimed.token;
    let outcome: Outcome = 'failed';
    try {
        for await (const step of steps(claimed)) {
            token = await renew(token, step);
            if (token === undefined) {
                return false;
            }

            if (signal.aborted) {
                break;
            }
        }

        outcome = signal.aborted ? 'ended' : 'done';
        return outcome === 'done';
    }
    finally {
        if (token !== undefined) {
            await release(token, outcome, claimed);
        }
    }
}
