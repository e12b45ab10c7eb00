import { Client } from 'pg';

import { isCluster } from './on-cluster';

/** One statement as it was passed to a connection. */
export interface Sent {
    text: string;
    values: unknown[];
    /** the number of rows of its result, when it has one */
    rows?: number;
}

/** What a job may or may not meet: notes when tokens were last used, once a second for all requests together, and what a connection begins with. */
const ofOthers = /update tokens t set last_used_at|^select pg_backend_pid\(\) as pid|^set plan_cache_mode/;

/** The statements of a job, and of everything else that runs meanwhile but those of others: each call of pg's `query` is a round trip. */
export async function queriesOf(job: () => Promise<unknown>): Promise<Sent[]> {
    const sent: Sent[] = [];
    await watching((query, send) => {
        if (!ofOthers.test(query.text)) {
            sent.push(query);
        }

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

type Watch = (query: Sent, send: () => unknown) => unknown;

let watch: Watch | undefined;

/** Sends a statement of the service on a cluster, where it becomes others: whoever watches sees it as on a plain database. */
export const sendWatched = (query: unknown, send: () => unknown): unknown => (watch === undefined ? send() : watch(sentBy(query), send));

async function watching<T>(by: Watch, job: () => Promise<T>): Promise<T> {
    const original = Client.prototype.query;
    const query = function (this: Client, ...args: unknown[]): unknown {
        return by(sentBy(args[0]), () => Reflect.apply(original, this, args));
    };

    watch = by;
    Object.assign(Client.prototype, isCluster ? {} : { query });
    try {
        return await job();
    }
    finally {
        watch = undefined;
        Object.assign(Client.prototype, { query: original });
    }
}

function sentBy(query: unknown): Sent {
    if (typeof query !== 'object' || query === null || !('text' in query)) {
        return { text: String(query), values: [] };
    }

    return { text: String(query.text), values: 'values' in query && Array.isArray(query.values) ? query.values : [] };
}
