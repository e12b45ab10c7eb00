/** Milliseconds of a turn of the event loop in which requests are started. */
const MOST = 10;

/**
 * Starts requests in the order in which they came, as many as there is time for in a turn of the event loop. If a thousand
 * clients sent one at once, the database's answers would wait until all of them are started, once for each statement of a
 * transaction; and so would new connections, of which Node accepts one a turn.
 */
export function pacedStart(): (start: () => void) => void {
    const waiting: (() => void)[] = [];
    /** when the first request of this turn was started */
    let began: number | undefined;
    const hasTime = (): boolean => {
        if (began === undefined) {
            began = performance.now();
            setImmediate(() => {
                began = undefined;
            });
        }

        return performance.now() - began < MOST;
    };

    // One of these is scheduled for each waiting request, since what was started goes on between two of them only.
    const startNext = (): void => {
        if (hasTime()) {
            waiting.shift()?.();
        }
        else {
            setImmediate(startNext);
        }
    };

    return (start) => {
        if (waiting.length === 0 && hasTime()) {
            start();
        }
        else {
            waiting.push(start);
            setImmediate(startNext);
        }
    };
}
