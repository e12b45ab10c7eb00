import { fromProjectsWithAuthor, joinLiveProject } from '../../projects/fragments';
import { fromUser } from '../../accounts/users/fragments';
import { inAllShards, inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { existing } from '../../rules/existing';
import { keepReadable } from '../../rules/keep-readable';
import { mayRead } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { forbidden, notFound } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import { REPORTS_TO_REOPEN } from '../../limits';
import { projectJson } from '../../api/representations/project';
import { entryColumns, entryJson } from '../reporters/entry';
import { checkReportLimit } from '../reporters/limit';
import { isOfStanding } from '../reporters/standing';
import { holdAutomatically, lockForModeration } from './holds';

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

const reportJson = jsonObject({ project_id: plainQuoted('r.project_id'), reason: plainQuoted('r.reason'), text: quoted('r.text'), created_at: plainQuoted(isoTime('r.at')) });

const add = statement({ parameters: ['bigint', 'bigint', 'text', 'text', 'integer', 'integer', 'boolean'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with r as (
        insert into reports (project_id, user_id, reason, text, round, trusted) values ($1, $2, $3, $4, $5, $7) returning *
    ), counted as (
        update report_queue q set count = q.count + 1, newest_at = r.at,
            open = q.open or q.count + 1 >= case when q.decided_revision is distinct from $6::int then 1 else ${REPORTS_TO_REOPEN} end
        from r where q.project_id = r.project_id
    )
    select ${reportJson} as json from r`);

const replace = statement({ parameters: ['bigint', 'bigint', 'text', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `update reports r set reason = $3, text = $4 where project_id = $1 and user_id = $2 returning ${reportJson} as json`);

const countTrusted = statement({ parameters: ['bigint', 'integer', 'integer'], row: { count: 'integer' }, place: inProject(1) }, `
    select count(*)::int as count from (select from reports where project_id = $1 and round = $2 and trusted limit $3::int) r`);

/**
 * Reports a project. Needs a transaction. With `holdAfter`, it is held once so many people of standing have reported it since the last decision.
 * @returns the JSON text of the report, and whether it is the first one of this user for this project
 * @throws 404 if the user may not see the project, 403 if it is their own, 429 if they have sent too many reports
 */
export async function addReport(
    trx: Database, projectId: string, sender: CurrentUser, { reason, text }: Report, holdAfter: number | null
): Promise<{ json: string; first: boolean }> {
    const { id: userId, moderator, teaches = false } = sender;
    const find = async (): Promise<{ revision: number }> => {
        const found = existing(await runOne(trx, begin, [projectId, userId, moderator, teaches]), 'project');
        if (found.own) {
            throw forbidden('This project is your own. Remove it, or ask a moderator.');
        }

        return found;
    };

    const trusted = holdAfter !== null && await isOfStanding(trx, userId);
    // Who may not see it waits for no lock.
    await (trusted ? find() : keepReadable(trx, projectId, sender));
    // As whoever decides does: the project is locked before its reports. Somebody may have held it, or made it private, meanwhile.
    const project = trusted ? await lockForModeration(trx, projectId) : undefined;
    const { revision } = await find();

    const { round, known } = await runAlways(trx, look, [projectId, userId]);
    if (known) {
        return { ...await runAlways(trx, replace, [projectId, userId, reason, text]), first: false };
    }

    await checkReportLimit(trx, userId);
    const { json } = await runAlways(trx, add, [projectId, userId, reason, text, round, revision, trusted]);
    if (project !== undefined && !project.isHeld && (await runAlways(trx, countTrusted, [projectId, round, holdAfter])).count === holdAfter) {
        await holdAutomatically(trx, project);
    }

    return { json, first: true };
}

const entryOf = (state: string): string => entryJson({
    kind: 'project',
    about: { project: `(select ${projectJson} ${fromProjectsWithAuthor} where p.id = q.project_id)` },
    from: 'from reports r where r.project_id = q.project_id and r.round = q.round',
    fromGuests: 'from guest_reports r where r.project_id = q.project_id and r.round = q.round',
    state
});

const list = statement({ parameters: ['bigint', 'bigint', 'integer'], row: entryColumns, place: inAllShards() }, `
    select q.count::text, q.project_id::text as id, q.project_id::text as project, ${entryOf(`'open'`)} as json from (
        select q.* from report_queue q ${joinLiveProject('q.project_id')}
        where q.open and (q.count, q.project_id) < ($1::bigint, $2::bigint) order by q.count desc, q.project_id desc limit $3::int
    ) q order by q.count desc, q.project_id desc`);

/** Reported projects that no moderator has decided about, the most reported first. On a cluster, so many of each shard. */
export function listReportedProjects(db: Database, score: string, beforeId: string, count: number): Promise<RowOf<typeof entryColumns>[]> {
    return run(db, list, [score, beforeId, count]);
}

const hold = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, 'select from report_queue where project_id = $1 and open for update');
const entry = statement({
    parameters: ['bigint', 'text'], row: { json: 'text' }, place: inProject(1)
}, `select ${entryOf('$2::text')} as json from report_queue q where q.project_id = $1`);

/** Locks the open reports of a project, after the project's own row. @throws 404 if there are none */
export async function lockReports(trx: Database, projectId: string): Promise<void> {
    if (await runOne(trx, hold, [projectId]) === undefined) {
        throw notFound('open report of this project');
    }
}

/** The JSON text of the reports of a project in the queue, as decided. */
export async function showReports(trx: Database, projectId: string, state: string): Promise<string> {
    return (await runAlways(trx, entry, [projectId, state])).json;
}
