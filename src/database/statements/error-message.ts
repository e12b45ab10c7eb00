/** The text of an error for operators: its message without the stack. Some of Node's network errors have only a code. */
export function errorMessage(error: unknown): string {
    if (!(error instanceof Error)) {
        return String(error);
    }

    return error.message || ('code' in error ? String(error.code) : error.name);
}
