import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { MAX_LAG } from '../../limits';
import { errorMessage } from './error-message';
import { openDatabase } from './connection';
import { lookup, runAlways } from './statement';
import type { Statement } from './statement';

/** Milliseconds by which a public list may lag, including the time that it is cached (section 5 of the contract). */
const mostLag = MAX_LAG * 1000;
/** Time limit in milliseconds of a query to the replica. */
const PATIENCE = 1000;
/** Minimum milliseconds between two checks of the replica's position. */
const EVERY = 500;
/** Milliseconds between two queries of one check. */
const STEP = 25;
/** Milliseconds that a replica is not used after it failed. */
const REST = 5000;

export interface ReplicaOptions {
    /** the primary */
    primary: Knex;
    /** postgres:// URL of one server, not of several behind a load balancer */
    url: string;
    /** most connections at a time */
    pool: number;
    /** milliseconds that responses are cached */
    maxAge: number;
    logger: Logger;
}

/** A streaming replica, for reads that may lag. */
export interface Replica {
    /** Runs `work` on the replica if it lags little enough, else, or if it fails there, on the primary. */
    read<Result>(work: (db: Knex) => Promise<Result>): Promise<Result>;
    close(): Promise<void>;
}

/** How to read what may lag: on the replica, if there is one. */
export const readerOf = (db: Knex, replica: Replica | undefined): Replica['read'] => replica?.read ?? ((work) => work(db));

/** A server's position in the write-ahead log, in bytes, and the id of the cluster. */
interface Position {
    place: bigint;
    cluster: string;
}

const position = (place: string): Statement<{ place: string | null; cluster: string }> => lookup({ row: { place: 'text?', cluster: 'text' } }, `
    select (${place} - '0/0'::pg_lsn)::text as place, (select system_identifier::text from pg_control_system()) as cluster`);

/** The flushed position includes everything that any client has seen, unless `synchronous_commit` is off. */
const written = position(`
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end`);

/** Null if it is not a standby, or no longer one. */
const replayed = position('case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end');

/**
 * Uses a streaming replica for reads that may lag. How old its contents are is measured with the clock of this process only: the
 * primary reports its position in the log, and once the replica has replayed up to there, it has everything that was committed
 * before that query. The checks run in the background while there are reads; no read waits for them.
 */
export function followReplica({ primary, url, pool, maxAge, logger }: ReplicaOptions): Replica {
    const log = logger.child({});
    const replica = openDatabase({ url, pool, timeout: PATIENCE, statementTimeout: PATIENCE, standby: true });
    const mostAge = mostLag - maxAge;
    /** the replica has what was committed before this time */
    let asOf = -Infinity;
    /** positions of the primary at these times, which the replica has not reached yet */
    let ahead: { at: number; place: bigint }[] = [];
    let lookedAt = -Infinity;
    let looking = false;
    let restsUntil = -Infinity;
    let inUse: boolean | undefined;

    /** Whether a result of the replica will be recent enough, including the time of the query. */
    const isUsable = (): boolean => {
        const now = performance.now();
        return now >= restsUntil && now - asOf < mostAge - PATIENCE;
    };

    const tell = (use: boolean, why: string): void => {
        if (use !== inUse) {
            inUse = use;
            if (use) {
                log.info('public lists are read from the replica');
            }
            else {
                log.warn({ why }, 'public lists are read from the primary');
            }
        }
    };

    const forget = (error: unknown): void => {
        ahead = [];
        asOf = -Infinity;
        tell(false, `The replica failed: ${errorMessage(error)}`);
    };

    const positionOf = async (db: Knex, sql: typeof written): Promise<Position> => {
        const { place, cluster } = await runAlways(db, sql, []);
        if (place === null) {
            throw new Error('it is not a standby');
        }

        return { place: BigInt(place), cluster };
    };

    const reached = (): Promise<Position> => positionOf(replica, replayed);

    const look = async (): Promise<void> => {
        const standby = await reached();
        const at = performance.now();
        const { place, cluster } = await positionOf(primary, written);
        // A standby is never ahead of its primary, unless it follows another one, as after a failover.
        if (standby.cluster !== cluster || standby.place > place) {
            throw new Error('it does not follow this primary');
        }

        ahead = [...ahead.filter((one) => at - one.at < mostAge), { at, place }];
        for (let has = standby.place; ;) {
            asOf = Math.max(asOf, ...ahead.filter((one) => one.place <= has).map((one) => one.at));
            ahead = ahead.filter((one) => one.place > has);
            if (ahead.length === 0 || performance.now() - at > PATIENCE) {
                break;
            }

            await sleep(STEP);
            ({ place: has } = await reached());
        }

        tell(isUsable(), `The replica lags by more than ${mostAge - PATIENCE} ms.`);
    };

    const lookAfter = async (): Promise<void> => {
        const now = performance.now();
        if (!looking && now - lookedAt >= EVERY && now >= restsUntil) {
            looking = true;
            lookedAt = now;
            await look().catch(forget);
            looking = false;
        }
    };

    return {
        read: async (work) => {
            void lookAfter();
            if (isUsable()) {
                const since = asOf;
                try {
                    const result = await work(replica);
                    if (performance.now() - since < mostAge) {
                        return result;
                    }
                }
                catch (error) {
                    restsUntil = performance.now() + REST;
                    forget(error);
                }
            }

            return await work(primary);
        },
        close: async () => {
            // Nobody needs the result of a check in progress any more, and its errors are expected.
            log.level = 'silent';
            await replica.destroy();
        }
    };
}
