/** What `npm test` creates once for all test files. */
export interface Shared {
    /** `dist`, as `npm start` builds it */
    build: null;
    /** `client/dist` */
    client: null;
    /** private keys, as PEM */
    rsaKeys: string[];
    /** the URL of a PostgreSQL server, and the name of a migrated database there to clone */
    engine: { url: string; template: string };
    /** the URL of a running service, and the file with its log */
    product: { url: string; log: string };
}

/**
 * Asks the test runner (`tools/test`) for something that it creates once for all files.
 * @returns undefined if there is no runner, because the file is run by `npx lab`
 */
export function fromRunner<Name extends keyof Shared>(name: Name): Promise<Shared[Name]> | undefined {
    if (process.env.PAGEWRIGHT_TEST_RUNNER === undefined || process.send === undefined) {
        return undefined;
    }

    return new Promise((resolve, reject) => {
        const listener = (message: unknown): void => {
            const { made, value, error } = JSON.parse(String(message));
            if (made !== name) {
                return;
            }

            process.off('message', listener);
            if (error === undefined) {
                resolve(value);
            }
            else {
                reject(new Error(error));
            }
        };

        process.on('message', listener);
        process.send?.(JSON.stringify({ make: name }));
    });
}
