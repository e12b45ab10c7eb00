import { byCitus } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { leaseIn } from '../../database/jobs/lease';
import type { Replica } from '../../database/statements/replica';
import type { Database } from '../../database/statements/connection';
import { bool, isoTime, jsonObject, plainQuoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_COUNTED, STATISTICS_DAYS, STATISTICS_SECONDS } from '../../limits';

/*
 * Nothing is counted for them but the requests of a day (daily-counts.ts). Whoever looks gets what all instances keep for a minute. After that, one
 * instance counts anew, on the replica if there is one: at most so many rows of each table, and beyond that it takes PostgreSQL's estimate.
 */

/** Whoever has it counts. */
const lease = leaseIn('claimed_until', 30);

const keptColumns = { json: 'text?', fresh: 'boolean' } as const;
const kept = statement({ row: keptColumns }, `select json, coalesce(at > now() - interval '${STATISTICS_SECONDS} seconds', false) as fresh from kept_statistics where name = 'place'`);
const claim = statement({ row: { claimed: 'boolean' } }, `
    update kept_statistics s set claimed_until = ${lease.until} where name = 'place' and ${lease.isFree('s')} and (at is null or at <= now() - interval '${STATISTICS_SECONDS} seconds') returning true as claimed`);
const keep = statement({ parameters: ['text'] }, `update kept_statistics set json = $1, at = now(), claimed_until = now() where name = 'place'`);

/** SQL for a count of a table, exact up to a bound and PostgreSQL's estimate beyond. */
const countOf = (table: string): string => `(
    select ${jsonObject({ count: `greatest(c.count, case when c.count > ${MAX_COUNTED} then e.reltuples end)::bigint`, estimated: bool(`c.count > ${MAX_COUNTED}`) })}
    from (select count(*) from (select from ${table} limit ${MAX_COUNTED} + 1) counted) c, pg_class e where e.oid = '${table}'::regclass)`;

/** SQL for the length of a queue, up to a bound. */
const lengthOf = (rows: string): string => `(
    select ${jsonObject({ count: `least(c.count, ${MAX_COUNTED})`, more: bool(`c.count > ${MAX_COUNTED}`) })} from (select count(*) from (select from ${rows} limit ${MAX_COUNTED} + 1) counted) c)`;

const sizeOf = (...tables: string[]): string => `(${tables.map((table) => `pg_total_relation_size('${table}')`).join(' + ')})`;

const dayJson = jsonObject({
    day: plainQuoted(`to_char(d.day, 'YYYY-MM-DD')`), requests: 'coalesce(c.requests, 0)', edits: 'coalesce(c.edits, 0)', errors: 'coalesce(c.errors, 0)', sign_ups: 'coalesce(c.sign_ups, 0)'
});

const countedColumns = { people: 'text', projects: 'text', assets: 'text', bytes: 'text', queues: 'text', days: 'text', at: 'text' } as const;
const counted = statement({ row: countedColumns, place: byCitus }, `
    select ${countOf('users')} as people, ${countOf('projects')} as projects, ${countOf('assets')} as assets,
        ${jsonObject({ database: 'pg_database_size(current_database())', projects: sizeOf('projects', 'pages', 'elements'), history: sizeOf('versions', 'project_changes') })} as bytes,
        ${jsonObject({ webhooks: lengthOf(`webhook_deliveries where state = 'waiting'`), search: lengthOf('search_queue'), reports: lengthOf('report_queue where open') })} as queues,
        (select string_agg(${dayJson}, ',' order by d.day desc)
            from (select (now() at time zone 'UTC')::date - n as day from generate_series(0, ${STATISTICS_DAYS - 1}) n) d left join daily_counts c on c.day = d.day) as days,
        ${isoTime('now()')} as at`);

const jsonOf = ({ at, people, projects, assets, bytes, queues, days }: RowOf<typeof countedColumns>): string => {
    return `{"at":"${at}","people":${people},"projects":${projects},"assets":${assets},"bytes":${bytes},"queues":${queues},"days":[${days}]}`;
};

/**
 * The JSON text of the statistics, at most about a minute old: while one instance counts, the others show what was counted before.
 * @param read reads what may lag
 */
export async function showStatistics(db: Database, read: Replica['read']): Promise<string> {
    const { json, fresh } = await runAlways(db, kept, []);
    if (json !== null && (fresh || await runOne(db, claim, []) === undefined)) {
        return json;
    }

    const now = jsonOf(await read((from) => runAlways(from, counted, [])));
    await run(db, keep, [now]);
    return now;
}
