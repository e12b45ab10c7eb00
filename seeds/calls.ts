/** A body that is not JSON. */
export interface FileBody {
    type: string;
    bytes: Buffer;
}

/** Sends one request to the API: by HTTP, or injected into a server in this process. `body` is the parsed JSON of the response. */
export type Send = (method: string, path: string, body?: unknown, token?: string, file?: FileBody) => Promise<{ status: number; body: unknown }>;

/** The service rejected a call: which one, and its response. */
export class RefusedCall extends Error {
    readonly status: number;
    readonly code: string | undefined;

    constructor(call: string, status: number, answer: unknown) {
        super(`${call} returned ${status}: ${JSON.stringify(answer)}`);
        this.name = 'RefusedCall';
        this.status = status;
        const code = lookUp(answer, ['code']);
        this.code = typeof code === 'string' ? code : undefined;
    }
}

/** The parsed body of a 2xx response. @throws RefusedCall for any other response */
export const call = async function (send: Send, method: string, path: string, body?: unknown, token?: string, file?: FileBody): Promise<unknown> {
    const answer = await send(method, path, body, token, file);
    if (answer.status < 200 || answer.status > 299) {
        throw new RefusedCall(`${method} ${path}`, answer.status, answer.body);
    }

    return answer.body;
};

/** The value at a path inside parsed JSON, or undefined. */
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

/** The text at a dotted path of a response, such as `user.id`. @throws Error if there is none */
export const textAt = function (answer: unknown, path: string): string {
    const found = lookUp(answer, path.split('.'));
    if (typeof found !== 'string') {
        throw new Error(`No text at ${path} of the answer ${JSON.stringify(answer)}`);
    }

    return found;
};

/** The list at a dotted path of a response. @throws Error if there is none */
export const listAt = function (answer: unknown, path: string): unknown[] {
    const found = lookUp(answer, path.split('.'));
    if (!Array.isArray(found)) {
        throw new Error(`No list at ${path} of the answer ${JSON.stringify(answer)}`);
    }

    return found;
};
