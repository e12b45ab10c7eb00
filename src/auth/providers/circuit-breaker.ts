import { ProviderFailure } from './ask';

/** Failures in a row that open a circuit. */
const FAILURES = 5;
/** Milliseconds that it then stays open. */
const REST = 10_000;

/** Does the work, or refuses at once. */
export type Circuit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * A circuit breaker: work that has failed several times in a row is left alone for a while, and whoever wants it is told
 * at once. After that, one try decides; while it is under way, all others are still refused.
 * @throws ProviderFailure for work that failed or was refused, with the seconds after which to ask again
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
