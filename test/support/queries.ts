import { Client } from 'pg';

/** One statement as it was handed to a connection. */
export interface Sent {
    text: string;
    values: unknown[];
}

/** What a job, and whatever else runs meanwhile, asks of the database: each call of pg's `query` is a round trip. */
export async function queriesOf(job: () => Promise<unknown>): Promise<Sent[]> {
    const sent: Sent[] = [];
    const original = Client.prototype.query;
    const watching = function (this: Client, ...args: unknown[]): unknown {
        const [query] = args;
        sent.push(typeof query === 'object' && query !== null && 'text' in query && 'values' in query && Array.isArray(query.values)
            ? { text: String(query.text), values: query.values } : { text: String(query), values: [] });
        return Reflect.apply(original, this, args);
    };

    Object.assign(Client.prototype, { query: watching });
    try {
        await job();
    }
    finally {
        Object.assign(Client.prototype, { query: original });
    }

    return sent;
}
