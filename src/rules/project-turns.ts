import type { Request, Server } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';
import type { Knex } from 'knex';

import { inAllShards, inProject } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { lookup, run, runOne, statement } from '../database/statements/statement';
import { currentUser } from '../api/request/caller';
import type { CurrentUser } from '../api/request/caller';
import { signalOf } from '../api/request/client-gone';
import { mayRead } from './visibility';

/** Writes of one project that hold a connection to the database at a time: one works, and the next waits for its lock. */
const MOST = 2;

/** Pairs of a user and a project that are remembered. */
const MAX_KNOWN = 10_000;

/** The parts of a request that say which project it writes to. */
export type Writing = Pick<Request, 'active' | 'app' | 'auth' | 'checkStillAllowed' | 'maySee' | 'params' | 'raw'> & { route: { settings: Pick<Request['route']['settings'], 'app'> } };

/**
 * Runs a write to a project when it is its turn. Who may not see the project does not wait for that, and finds nothing: otherwise the time
 * would tell that it exists.
 * @param project its id; that in the path if it is left out
 * @param mayKnow whether the caller may know of it, if that is known already
 * @throws ClientGone if the client leaves before it is its turn
 */
export type InTurn = <Result>(request: Writing, write: () => Promise<Result>, project?: string, mayKnow?: boolean) => Promise<Result>;

declare module '@hapi/hapi' {
    interface Request {
        /** Whether the caller may see this project. @param db a transaction that asks anew; without it, whoever could see it before is not asked for again */
        maySee(project: string, db?: Database): Promise<boolean>;
        /** Whether none of these projects is one that the caller may not see. Those that are gone do not count. */
        maySeeAll(projects: readonly string[], db: Database): Promise<boolean>;
    }
}

const reader = { id: '$2::bigint', moderator: '$3::boolean', teaches: '$4::boolean' };

const seen = lookup({ parameters: ['bigint', 'bigint', 'boolean', 'boolean'], row: { seen: 'boolean' }, place: inProject(1) }, `select true as seen from projects p where p.id = $1 and ${mayRead('p', reader)}`);

const hidden = statement({ parameters: ['bigint[]', 'bigint', 'boolean', 'boolean'], row: { id: 'bigint' }, place: inAllShards() }, `
    select p.id from projects p where p.id = any($1::bigint[]) and ${mayRead('p', reader)} is not true limit 1`);

const sees = async (db: Database, project: string, { id, moderator, teaches = false }: CurrentUser): Promise<boolean> => (await runOne(db, seen, [project, id, moderator, teaches])) !== undefined;

/** Gives requests `maySee`. Every first write of a caller to a project asks, also if there is no such project, so that both take the same time. */
export function rememberReaders(server: Server, db: Knex): void {
    const known = new LRUCache<string, true>({ max: MAX_KNOWN });
    server.decorate('request', 'maySee', async function (this: Request, project, trx) {
        const user = currentUser(this);
        const key = `${user.id} ${project}`;
        if (trx === undefined && known.has(key)) {
            return true;
        }

        const found = await sees(trx ?? db, project, user);
        if (found) {
            known.set(key, true);
        }

        return found;
    });
    server.decorate('request', 'maySeeAll', async function (this: Request, projects, trx) {
        const { id, moderator, teaches = false, projects: only = null } = currentUser(this);
        if (only !== null && projects.some((project: string) => !only.includes(project))) {
            return false;
        }

        return (await run(trx, hidden, [projects, id, moderator, teaches])).length === 0;
    });
}

interface Waiting {
    alone: boolean;
    begin: () => void;
}

/** The writes of a project. */
class Turns {
    #waiting: Waiting[] = [];
    #running = 0;
    #alone = false;

    get isIdle(): boolean {
        return this.#running === 0;
    }

    async run<Result>(write: () => Promise<Result>, alone: boolean, request: Writing): Promise<Result> {
        await new Promise<void>((begin, refuse) => {
            const own = { alone, begin };
            this.#waiting.push(own);
            this.#beginNext();
            if (this.#waiting.includes(own)) {
                // Once it has begun, there is nobody to refuse.
                const signal = signalOf(request);
                signal.addEventListener('abort', () => {
                    this.#leave(own);
                    refuse(signal.reason);
                }, { once: true });
            }
        });
        try {
            return await write();
        }
        finally {
            --this.#running;
            this.#beginNext();
        }
    }

    #leave(own: Waiting): void {
        this.#waiting = this.#waiting.filter((one) => one !== own);
        this.#beginNext();
    }

    #beginNext(): void {
        for (let [next] = this.#waiting; next !== undefined && this.#mayRun(next); [next] = this.#waiting) {
            this.#waiting.shift();
            ++this.#running;
            this.#alone = next.alone;
            next.begin();
        }
    }

    #mayRun({ alone }: Waiting): boolean {
        return this.#running === 0 || (!alone && !this.#alone && this.#running < MOST);
    }
}

/**
 * Lets only a few writes of one project use the database at a time. Each locks the project, so more would not be faster, but the
 * writes of one client could wait for that lock on all connections, and everybody else for a connection. While a write runs that is
 * heavy, and so may hold the lock for long, no other one does.
 */
export function projectTurns(): InTurn {
    const all = new Map<string, Turns>();
    return async (request, write, project = String(request.params.project), mayKnow) => {
        if (!(mayKnow ?? await request.maySee(project))) {
            return write();
        }

        const turns = all.get(project) ?? new Turns();
        all.set(project, turns);
        try {
            return await turns.run(write, request.route.settings.app?.cost === 'heavy', request);
        }
        finally {
            if (turns.isIdle) {
                all.delete(project);
            }
        }
    };
}
