import type { Request, Server } from '@hapi/hapi';

import { statusOf } from '../../api/request/responses';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';

/** Milliseconds that requests are counted for one statement. */
const COLLECT = 60_000;

/** The counts of a day. */
interface Counts {
    requests: number;
    /** writes to projects and what is in them */
    edits: number;
    /** responses that say that the service failed */
    errors: number;
    signUps: number;
}

const nothing = (): Counts => ({ requests: 0, edits: 0, errors: 0, signUps: 0 });

const add = statement({ parameters: ['bigint', 'bigint', 'bigint', 'bigint'] }, `
    insert into daily_counts as c (day, requests, edits, errors, sign_ups) values ((now() at time zone 'UTC')::date, $1, $2, $3, $4)
    on conflict (day) do update set requests = c.requests + excluded.requests, edits = c.edits + excluded.edits, errors = c.errors + excluded.errors, sign_ups = c.sign_ups + excluded.sign_ups`);

/** Whether a request with this path, as its route has it, changes projects. Who is present does not. */
const isEdit = (path: string): boolean => /^\/users\/\{user\}\/(?:projects|bulk|imports)/.test(path) && !path.endsWith('/presence');

/** Counts what this process answers, and adds that to the counts of the day once a minute, so that no request waits for it. A process that is killed loses a minute. */
class DailyCounts {
    readonly #db: Database;
    #counts = nothing();
    #timer: NodeJS.Timeout | undefined;
    #writing: Promise<void> | undefined;

    constructor(db: Database) {
        this.#db = db;
    }

    count({ response, route: { method, path } }: Request): void {
        const status = statusOf(response);
        ++this.#counts.requests;
        if (status >= 500) {
            ++this.#counts.errors;
        }
        else if (method !== 'get' && status < 300) {
            this.#counts.edits += Number(isEdit(path));
            this.#counts.signUps += Number(path === '/users' && status === 201);
        }

        this.#timer ??= setTimeout(() => void this.write(), COLLECT).unref();
    }

    /** Writes what was counted. Counts that cannot be written are kept for the next time. */
    async write(): Promise<void> {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        await this.#writing;
        this.#writing = this.#writeCounts();
        await this.#writing;
    }

    async #writeCounts(): Promise<void> {
        const counts = this.#counts;
        this.#counts = nothing();
        if (counts.requests > 0) {
            await run(this.#db, add, [counts.requests, counts.edits, counts.errors, counts.signUps]).catch(() => {
                for (const name of ['requests', 'edits', 'errors', 'signUps'] as const) {
                    this.#counts[name] += counts[name];
                }
            });
        }
    }
}

/** Counts the requests of a server by days. */
export function countDays(server: Server, db: Database): void {
    const counts = new DailyCounts(db);
    server.events.on('response', (request) => counts.count(request));
    server.ext('onPostStop', () => counts.write());
}
