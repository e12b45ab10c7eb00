/** One request to the API: by HTTP, or injected into a server in this process. `body` of the answer is its parsed JSON. */
export type Send = (method: string, path: string, body?: unknown, token?: string) => Promise<{ status: number; body: unknown }>;

/** The service said no: which call it was, and what was answered. */
export class RefusedCall extends Error {
    readonly status: number;
    readonly code: string | undefined;

    constructor(call: string, status: number, answer: unknown) {
        super(`${call} was answered ${status}: ${JSON.stringify(answer)}`);
        this.name = 'RefusedCall';
        this.status = status;
        const code = lookUp(answer, ['code']);
        this.code = typeof code === 'string' ? code : undefined;
    }
}

/** The parsed body of a 2xx answer. @throws RefusedCall on any other */
export const call = async function (send: Send, method: string, path: string, body?: unknown, token?: string): Promise<unknown> {
    const answer = await send(method, path, body, token);
    if (answer.status < 200 || answer.status > 299) {
        throw new RefusedCall(`${method} ${path}`, answer.status, answer.body);
    }

    return answer.body;
};

/** What stands at a path inside parsed JSON, or undefined. */
export const lookUp = function (json: unknown, path: string[]): unknown {
    let found = json;
    for (const step of path) {
        if (typeof found !== 'object' || found === null) {
            return undefined;
        }

        found = Object.entries(found).find(([name]) => name === step)?.[1];
    }

    return found;
};

/** The text at a dotted path of an answer, such as `user.id`. @throws Error where there is none */
export const textAt = function (answer: unknown, path: string): string {
    const found = lookUp(answer, path.split('.'));
    if (typeof found !== 'string') {
        throw new Error(`No text at ${path} of the answer ${JSON.stringify(answer)}`);
    }

    return found;
};

/** The list at a dotted path of an answer. @throws Error where there is none */
export const listAt = function (answer: unknown, path: string): unknown[] {
    const found = lookUp(answer, path.split('.'));
    if (!Array.isArray(found)) {
        throw new Error(`No list at ${path} of the answer ${JSON.stringify(answer)}`);
    }

    return found;
};
