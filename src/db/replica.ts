import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { errorMessage } from '../errors/message';
import { openDatabase } from './connection';
import { lookup, runAlways } from './statement';
import type { Statement } from './statement';

/** Milliseconds by which a public list may lag, the time included that it is kept for others: the contract's section 5. */
const MOST_LAG = 5000;
/** Milliseconds that one question to the replica may take. */
const PATIENCE = 1000;
/** Milliseconds from one look at how far the replica is to the next, at least. */
const EVERY = 500;
/** Milliseconds between two questions of one look. */
const STEP = 25;
/** Milliseconds for which nobody is sent to a replica that failed somebody. */
const REST = 5000;

export interface ReplicaOptions {
    /** what it is a replica of */
    primary: Knex;
    /** postgres:// URL of one server: all questions have to arrive at the same one */
    url: string;
    /** most connections at a time */
    pool: number;
    /** milliseconds for which what is read is kept for others */
    maxAge: number;
    logger: Logger;
}

/** A streaming replica, for reads that may lag. */
export interface Replica {
    /** Does `work` on the replica where that lags by little enough; where it does not, or fails there, on the primary. */
    read<Result>(work: (db: Knex) => Promise<Result>): Promise<Result>;
    close(): Promise<void>;
}

/** How far a server is in the write-ahead log, in bytes, and which cluster's log that is. */
type Position<Place> = {
    place: Place;
    cluster: string;
};

const position = <Place>(place: string): Statement<Position<Place>> => lookup(`
    select (${place} - '0/0'::pg_lsn)::text as place, (select system_identifier::text from pg_control_system()) as cluster`);

/** Whatever anybody has seen was flushed before, unless commits do not wait for that. */
const written = position<string>(`
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end`);

/** Null where it is no standby, or no longer one. */
const replayed = position<string | null>('case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end');

/**
 * Follows a streaming replica. How old its contents are is known without any clock but this process's own: the primary is
 * asked how far its log is, and once the replica has replayed that much, it has all that was committed before the question
 * was asked. It is looked after while somebody reads, and nobody waits for that.
 */
export function followReplica({ primary, url, pool, maxAge, logger }: ReplicaOptions): Replica {
    const log = logger.child({});
    const replica = openDatabase({ url, pool, timeout: PATIENCE, statementTimeout: PATIENCE });
    const mostAge = MOST_LAG - maxAge;
    /** the replica has what was committed before this time */
    let asOf = -Infinity;
    /** places in the log of all that was committed before these times, which the replica has not reached yet */
    let ahead: { at: number; place: bigint }[] = [];
    let lookedAt = -Infinity;
    let looking = false;
    let restsUntil = -Infinity;
    let inUse: boolean | undefined;

    /** Whether an answer of the replica, which takes some time, will be young enough. */
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

    const reached = async (): Promise<Position<bigint>> => {
        const { place, cluster } = await runAlways(replica, replayed, []);
        if (place === null) {
            throw new Error('it is not a standby');
        }

        return { place: BigInt(place), cluster };
    };

    const look = async (): Promise<void> => {
        const standby = await reached();
        const at = performance.now();
        const { place, cluster } = await runAlways(primary, written, []);
        // A standby has nothing that its primary has not, unless it followed another one, as after a failover.
        if (standby.cluster !== cluster || standby.place > BigInt(place)) {
            throw new Error('it does not follow this primary');
        }

        ahead = [...ahead.filter((one) => at - one.at < mostAge), { at, place: BigInt(place) }];
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
            // What a look under way finds from now on is of no use, and what fails is nobody's fault.
            log.level = 'silent';
            await replica.destroy();
        }
    };
}
