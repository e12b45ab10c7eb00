import { ProviderFailure } from './ask';

/** Consecutive failures that open the circuit. */
const FAILURES = 5;
/** Milliseconds that the circuit stays open. */
const REST = 10_000;

/** Does the work, or throws at once if the circuit is open. */
export type Circuit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * A circuit breaker: after several consecutive failures, all calls fail at once for a while. Then one call is tried; until it
 * has succeeded, all others still fail.
 * @throws ProviderFailure if the work failed or was not tried, with the seconds after which to try again
 */
export function circuit(now: () => number): Circuit {
    let failures = 0;
    let openUntil = 0;

    return async (work) => {
        if (failures >= FAILURES) {
            if (now() < openUntil) {
                throw new ProviderFailure(Math.ceil((openUntil - now()) / 1000));
            }

            openUntil = now() + REST;
        }

        try {
            const result = await work();
            failures = 0;
            return result;
        }
        catch (error) {
            ++failures;
            openUntil = now() + REST;
            throw new ProviderFailure(failures < FAILURES ? 1 : REST / 1000, error);
        }
    };
}
