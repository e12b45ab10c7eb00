/** Milliseconds that work on one request may hold the event loop, if its steps are small. */
const MOST = 5;

let last = Promise.resolve();

/** Resolves in a turn of the event loop that nobody else waits for here, so that the steps of many requests do not follow each other in one turn. */
export function nextTurn(): Promise<void> {
    last = last.then(() => new Promise((resolve) => {
        setImmediate(resolve);
    }));
    return last;
}

/**
 * Returns a function to call between the steps of long work. When the work has held the event loop for too long, the function returns a
 * promise that resolves in the next turn, so that other requests go on; else it returns undefined, because awaiting costs a step too.
 */
export function pauses(): () => Promise<void> | undefined {
    let began = performance.now();
    return () => {
        const now = performance.now();
        if (now - began <= MOST) {
            return undefined;
        }

        return nextTurn().then(() => {
            began = performance.now();
        });
    };
}
