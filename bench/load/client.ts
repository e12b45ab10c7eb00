import { Agent, request } from 'node:http';

export interface Answer {
    status: number;
    etag: string;
    body: string;
    /** from the first byte sent to the last one received */
    ms: number;
}

export interface Call {
    method?: string;
    path: string;
    headers?: Readonly<Record<string, string>>;
    body?: string | Buffer;
}

/** Times calls one by one, over persistent connections. */
export class Client {
    readonly #agent: Agent;
    readonly #base: string;

    constructor(base: string, connections: number) {
        this.#base = base;
        this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    }

    /** @throws Error if the status is not the expected one */
    call({ method = 'GET', path, headers = {}, body }: Call, expected: number): Promise<Answer> {
        return new Promise((resolve, reject) => {
            const began = performance.now();
            const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
            const sent = request(`${this.#base}${path}`, { method, agent: this.#agent, headers: { ...body !== undefined && { 'content-type': 'application/json' }, ...headers, ...length }, timeout: 60_000 }, (response) => {
                const chunks: Buffer[] = [];
                response.on('data', (chunk: Buffer) => chunks.push(chunk));
                response.once('error', reject);
                response.once('end', () => {
                    const answer = {
                        status: response.statusCode ?? 0, etag: response.headers.etag ?? '', body: Buffer.concat(chunks).toString(), ms: performance.now() - began
                    };
                    if (answer.status === expected) {
                        resolve(answer);
                    }
                    else {
                        reject(new Error(`${method} ${path} returned ${answer.status}, not ${expected}: ${answer.body.slice(0, 500)}`));
                    }
                });
            });
            sent.once('timeout', () => sent.destroy(new Error(`${method} ${path} took more than a minute`)));
            sent.once('error', reject);
            sent.end(body);
        });
    }

    close(): void {
        this.#agent.destroy();
    }
}
