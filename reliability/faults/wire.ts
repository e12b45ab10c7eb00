import { Agent, request as httpRequest } from 'node:http';

/** Where requests go: a process that may be killed at any moment, or a proxy in front of several. */
export interface Target {
    /** null while it is down */
    url: string | null;
    /** of the current process; different after each start */
    name: string;
    /** the number of requests in progress, by kind */
    under: Map<string, number>;
    /** the number of responses since its start */
    answered: number;
}

export interface Call {
    method: string;
    path: string;
    /** bytes, or what is sent as JSON */
    body?: unknown;
    /** of bytes */
    type?: string;
    token?: string;
    /** an `Idempotency-Key` */
    key?: string;
    agent?: string;
    /** other headers */
    headers?: Readonly<Record<string, string>>;
}

export interface Answer {
    status: number;
    retryAfter: string | undefined;
    // The caller knows the type of the response; a wrong assumption shows as a finding.
    // eslint-disable-next-line no-restricted-syntax
    body: any;
    bytes: Buffer;
    ms: number;
}

/** Milliseconds after which a request counts as hanging: longer than all limits of the service. */
export const PATIENCE = 45_000;

/** A request without a response in time, which must never happen. */
export class Hung extends Error {}

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** Closes idle connections, because the server is about to close them. */
export function dropIdle(): void {
    Object.values(agent.freeSockets).flat().forEach((socket) => socket?.destroy());
}

/** Closes all connections, so that the process can end. */
export const closeWire = (): void => agent.destroy();

/**
 * Sends a request; returns null if the connection broke before the response was complete, so its outcome is unknown.
 * @throws Hung
 */
export async function send(target: Target, kind: string, { method, path, body, type = 'application/json', token, key, agent: userAgent, headers: others }: Call, patience = PATIENCE): Promise<Answer | null> {
    const { url, under, name } = target;
    if (url === null) {
        return null;
    }

    const started = performance.now();
    const sentBytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const headers = {
        ...others,
        ...token !== undefined && { authorization: `token ${token}` },
        ...key !== undefined && { 'idempotency-key': key },
        ...userAgent !== undefined && { 'user-agent': userAgent },
        ...sentBytes !== undefined && { 'content-type': type, 'content-length': sentBytes.length }
    };
    under.set(kind, (under.get(kind) ?? 0) + 1);
    try {
        const answer = await new Promise<Answer | null>((resolve, reject) => {
            const sent = httpRequest(new URL(path, url), { method, headers, agent }, (response) => {
                const parts: Buffer[] = [];
                response.on('data', (part) => parts.push(part));
                response.on('error', () => resolve(null));
                response.on('close', () => resolve(response.complete ? {
                    status: Number(response.statusCode),
                    retryAfter: response.headers['retry-after'],
                    body: parsed(Buffer.concat(parts).toString()),
                    bytes: Buffer.concat(parts),
                    ms: performance.now() - started
                } : null));
            });
            sent.setTimeout(patience, () => {
                reject(new Hung(`${method} ${path} has no answer after ${patience} ms`));
                sent.destroy();
            });
            sent.on('error', () => resolve(null));
            sent.end(sentBytes);
        });
        if (answer !== null && target.name === name) {
            target.answered++;
        }

        return answer;
    }
    finally {
        under.set(kind, (under.get(kind) ?? 0) - 1);
    }
}

function parsed(text: string): unknown {
    try {
        return JSON.parse(text);
    }
    catch {
        return text;
    }
}
