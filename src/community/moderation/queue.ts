import { fromProjectsWithAuthor, joinLiveProject } from '../../projects/fragments';
import { fromUser, joinUser } from '../../accounts/users/fragments';
import { inAllShards, inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { mayRead } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { faultWith, forbidden, notFound } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import type { ScoredPlace } from '../../api/request/pagination';
import { MAX_REPORTS_A_DAY, MAX_SHOWN_REPORTS, REPORTS_TO_REOPEN } from '../../limits';
import { projectJson } from '../../api/representations/project';

/** A report, as a user sends it. */
export interface Report {
    reason: string;
    text: string;
}

// The reporter's row is locked, so that simultaneous reports of the same user are counted one after the other.
const begin = statement({ parameters: ['bigint', 'bigint', 'boolean', 'boolean'], row: { own: 'boolean', revision: 'integer' }, place: writing(inProject(1)) }, `
    with u as materialized (select u.id ${fromUser('$2')} for no key update)
    select p.user_id = u.id as own, p.revision from u ${joinLiveProject('$1')} and ${mayRead('p', { id: 'u.id', moderator: '$3::boolean', teaches: '$4::boolean' })}`);

const look = statement({ parameters: ['bigint', 'bigint'], row: { round: 'integer', known: 'boolean' }, place: writing(inProject(1)) }, `
    with q as (insert into report_queue (project_id) values ($1) on conflict (project_id) do update set project_id = excluded.project_id returning round)
    select q.round, exists (select from reports where project_id = $1 and user_id = $2) as known from q`);

const sentLately = statement({ parameters: ['bigint'], row: { wait: 'integer' }, place: inAllShards() }, `
    select ceil(extract(epoch from at + interval '1 day' - now()))::int as wait from reports where user_id = $1 and at > now() - interval '1 day'`);

const reportJson = jsonObject({ project_id: plainQuoted('r.project_id'), reason: plainQuoted('r.reason'), text: quoted('r.text'), created_at: plainQuoted(isoTime('r.at')) });

const add = statement({ parameters: ['bigint', 'bigint', 'text', 'text', 'integer', 'integer'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with r as (
        insert into reports (project_id, user_id, reason, text, round) values ($1, $2, $3, $4, $5) returning *
    ), counted as (
        update report_queue q set count = q.count + 1, newest_at = r.at,
            open = q.open or q.count + 1 >= case when q.decided_revision is distinct from $6::int then 1 else ${REPORTS_TO_REOPEN} end
        from r where q.project_id = r.project_id
    )
    select ${reportJson} as json from r`);

const replace = statement({ parameters: ['bigint', 'bigint', 'text', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `update reports r set reason = $3, text = $4 where project_id = $1 and user_id = $2 returning ${reportJson} as json`);

/**
 * Reports a project. Needs a transaction.
 * @returns the JSON text of the report, and whether it is the first one of this user for this project
 * @throws 404 if the user may not see the project, 403 if it is their own, 429 if they have sent too many reports
 */
export async function addReport(trx: Database, projectId: string, { id: userId, moderator, teaches = false }: CurrentUser, { reason, text }: Report): Promise<{ json: string; first: boolean }> {
    const found = await runOne(trx, begin, [projectId, userId, moderator, teaches]);
    if (found === undefined) {
        throw notFound('project');
    }

    if (found.own) {
        throw forbidden('This project is your own. Remove it, or ask a moderator.');
    }

    const [{ round, known }, sent] = await Promise.all([runAlways(trx, look, [projectId, userId]), run(trx, sentLately, [userId])]);
    if (known) {
        return { ...await runAlways(trx, replace, [projectId, userId, reason, text]), first: false };
    }

    if (sent.length >= MAX_REPORTS_A_DAY) {
        const wait = Math.min(...sent.map((report) => report.wait));
        throw faultWith('rate_limited', [wait], { retryAfter: wait });
    }

    return { ...await runAlways(trx, add, [projectId, userId, reason, text, round, found.revision]), first: true };
}

const ofRound = 'from reports r where r.project_id = q.project_id and r.round = q.round';
const ofGuests = 'from guest_reports r where r.project_id = q.project_id and r.round = q.round';

/** SQL for the JSON text of the reports in the row `q` of report_queue. `state` is an SQL expression. */
const entryJson = (state: string): string => jsonObject({
    project: `(select ${projectJson} ${fromProjectsWithAuthor} where p.id = q.project_id)`,
    count: 'q.count',
    reasons: `coalesce((select json_object_agg(c.reason, c.n order by c.reason) from (select r.reason, count(*) as n from (select r.reason ${ofRound} union all select r.reason ${ofGuests}) r group by r.reason) c)::text, '{}')`,
    newest_at: plainQuoted(isoTime('q.newest_at')),
    state: plainQuoted(state),
    newest: `'[' || coalesce((select string_agg(${jsonObject({
        by: jsonObject({ id: plainQuoted('u.id'), username: quoted('u.username') }), reason: plainQuoted('r.reason'), text: quoted('r.text'), at: plainQuoted(isoTime('r.at'))
    })}, ',' order by r.at desc, r.user_id) from (select r.* ${ofRound} order by r.at desc, r.user_id limit ${MAX_SHOWN_REPORTS}) r ${joinUser('r.user_id')}), '') || ']'`,
    guests: `'[' || coalesce((select string_agg(${jsonObject({ reason: plainQuoted('r.reason'), text: quoted('r.text'), at: plainQuoted(isoTime('r.at')) })}, ',' order by r.at desc, r.viewer) from (select r.* ${ofGuests} order by r.at desc, r.viewer limit ${MAX_SHOWN_REPORTS}) r), '') || ']'`
});

/** A page of the queue. `ids` are those of the projects. */
const queuePageColumns = {
    ids: 'text[]',
    items: 'text',
    score: 'text?',
    id: 'text?'
} as const;
type QueuePage = RowOf<typeof queuePageColumns>;

const list = statement({ parameters: ['bigint', 'bigint', 'integer'], row: queuePageColumns, place: inAllShards({ kind: 'queue' }) }, `
    with picked as materialized (
        select q.* from report_queue q ${joinLiveProject('q.project_id')}
        where q.open and (q.count, q.project_id) < ($1::bigint, $2::bigint) order by q.count desc, q.project_id desc limit $3::int + 1
    ), shown as (select * from picked order by count desc, project_id desc limit $3),
    last as (select count, project_id from shown where (select count(*) from picked) > $3 order by count, project_id limit 1)
    select coalesce((select string_agg(${entryJson(`'open'`)}, ',' order by q.count desc, q.project_id desc) from shown q), '') as items,
        array(select project_id::text from shown) as ids, (select count::text from last) as score, (select project_id::text from last) as id`);

/** Reported projects that no moderator has decided about, the most reported first. */
export function listReports(db: Database, { score, beforeId, count }: ScoredPlace): Promise<QueuePage> {
    return runAlways(db, list, [score, beforeId, count]);
}

const hold = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, 'select from report_queue where project_id = $1 and open for update');
const entry = statement({ parameters: ['bigint', 'text'], row: { json: 'text' }, place: inProject(1) }, `select ${entryJson('$2::text')} as json from report_queue q where q.project_id = $1`);

/**
 * Locks the open reports of a project, after the project's own row.
 * @throws 404 if there are none
 */
export async function lockReports(trx: Database, projectId: string): Promise<void> {
    if (await runOne(trx, hold, [projectId]) === undefined) {
        throw notFound('open report of this project');
    }
}

/** The JSON text of the reports of a project in the queue, as decided. */
export async function showReports(trx: Database, projectId: string, state: string): Promise<string> {
    return (await runAlways(trx, entry, [projectId, state])).json;
}

const close = statement({ parameters: ['bigint', 'integer'], place: writing(inProject(1)) }, 'update report_queue set open = false, count = 0, round = round + 1, decided_revision = $2 where project_id = $1');

/** Closes the reports of a project, if there are any. `revision` is that of the project at the decision. */
export async function closeReports(trx: Database, projectId: string, revision: number): Promise<void> {
    await runOne(trx, close, [projectId, revision]);
}
