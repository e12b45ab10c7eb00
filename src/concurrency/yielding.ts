/** Milliseconds for which work on one request may keep the event loop to itself, as long as its steps are small. */
const MOST = 5;

const nextTurn = (): Promise<void> => new Promise((resolve) => {
    setImmediate(resolve);
});

/**
 * For long work, to be awaited between its steps: lets other requests in whenever this one has had its time. What is
 * undefined need not be awaited, which costs a step of its own.
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
