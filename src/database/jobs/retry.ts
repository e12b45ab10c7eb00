/** Seconds until the second attempt, how many times as long each further pause is, and the longest. */
export interface Backoff {
    first: number;
    times: number;
    longest: number;
}

/** Seconds until something is tried again that has failed so many times; about, so that many do not come together. */
export function retryAfter(failures: number, { first, times, longest }: Backoff): number {
    return Math.min(first * times ** (failures - 1), longest) * (0.75 + Math.random() / 2);
}
