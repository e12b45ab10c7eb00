import { Client } from 'pg';

/** One statement as it was passed to a connection. */
export interface Sent {
    text: string;
    values: unknown[];
    /** the number of rows of its result, when it has one */
    rows?: number;
}

/** The statements of a job, and of everything else that runs meanwhile: each call of pg's `query` is a round trip. */
export async function queriesOf(job: () => Promise<unknown>): Promise<Sent[]> {
    const sent: Sent[] = [];
    await watching((query, send) => {
        sent.push(query);
        const answer = send();
        return answer instanceof Promise ? answer.then((result) => {
            query.rows = result?.rows?.length;
            return result;
        }) : answer;
    }, job);
    return sent;
}

/** Does something right before the first statement that matches a pattern; if that throws, the statement fails. */
export async function interrupted<T>(pattern: RegExp, interrupt: () => Promise<unknown>, job: () => Promise<T>): Promise<T> {
    let done = false;
    return await watching(({ text }, send) => {
        if (done || !pattern.test(text)) {
            return send();
        }

        done = true;
        return interrupt().then(send);
    }, job);
}

async function watching<T>(watch: (query: Sent, send: () => unknown) => unknown, job: () => Promise<T>): Promise<T> {
    const original = Client.prototype.query;
    const query = function (this: Client, ...args: unknown[]): unknown {
        return watch(sentBy(args[0]), () => Reflect.apply(original, this, args));
    };

    Object.assign(Client.prototype, { query });
    try {
        return await job();
    }
    finally {
        Object.assign(Client.prototype, { query: original });
    }
}

function sentBy(query: unknown): Sent {
    if (typeof query !== 'object' || query === null || !('text' in query)) {
        return { text: String(query), values: [] };
    }

    return { text: String(query.text), values: 'values' in query && Array.isArray(query.values) ? query.values : [] };
}
