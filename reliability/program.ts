/** Prints a line. */
export const out = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the main function of a program whose exit handlers delete folders and databases. However it ends, they run. */
export function runProgram(main: () => Promise<void>): void {
    process.setMaxListeners(0);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.once(signal, () => process.exit(1));
    }

    void main().catch((error: unknown) => {
        out(error instanceof Error ? String(error.stack) : String(error));
        process.exitCode = 1;
    }).finally(() => process.exit());
}
