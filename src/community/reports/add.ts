import { fromActiveUser } from '../../accounts/users/fragments';
import { forbidden, notFound } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import { byLookup, inAllShards, inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { REPORTS_TO_REOPEN } from '../../limits';
import { fromLiveProject } from '../../projects/fragments';
import { existing } from '../../rules/existing';
import { holdUser } from '../../rules/hold-user';
import { keepReadable } from '../../rules/keep-readable';
import { mayRead } from '../../rules/visibility';
import { hasPage } from '../people';
import { fromCommentOf, fromCommentsWithId, isHeldComment, isPresentComment } from '../comments/fragments';
import type { Report } from '../moderation/queue';
import { holdCommentAutomatically, lockComment } from './comments';
import { checkReportLimit } from '../reporters/limit';
import { STANDING_DAYS, isOfStanding } from '../reporters/standing';

/** A comment, or a person: those have the project 0. */
export interface ReportedThing {
    projectId: string;
    type: 'comment' | 'user';
    id: string;
}

const ofThing = '$1 and r.type = $2 and r.thing_id = $3';
const thingTypes = ['bigint', 'text', 'bigint'] as const;

const place = statement({ parameters: ['bigint'], row: { id: 'bigint' }, place: inAllShards() }, `select k.project_id as id ${fromCommentsWithId('$1')}`);

/** The id of the project that a comment is on. @throws 404 if there is no such comment */
export async function projectOfComment(db: Database, comment: string): Promise<string> {
    const found = existing(await runOne(db, place, [comment]), 'comment');
    return found.id;
}

// Of a held comment, others than its author know only that there is one.
const findComment = statement({
    parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'boolean'], row: { own: 'boolean', edited: 'timestamp with time zone?' },
    place: inProject(1)
}, `
    select coalesce(k.user_id = $3, false) as own, k.edited_at as edited
        ${fromCommentOf('$1', '$2')} and ${isPresentComment} and (not ${isHeldComment} or $4 or k.user_id = $3)
        and exists (select ${fromLiveProject('$1')}
            and ${mayRead('p', { id: '$3::bigint', moderator: '$4::boolean', teaches: '$5::boolean' })})`);

const findPerson = statement({ parameters: ['bigint'], row: { id: 'bigint' }, place: byLookup }, `select u.id ${fromActiveUser('$1')} and ${hasPage}`);

const look = statement({ parameters: [...thingTypes, 'bigint'], row: { round: 'integer', known: 'boolean' }, place: writing(inProject(1)) }, `
    with q as (insert into thing_report_queue (project_id, type, thing_id) values ($1, $2, $3)
        on conflict (project_id, type, thing_id) do update set project_id = excluded.project_id returning round)
    select q.round, exists (select from thing_reports r
        where r.project_id = ${ofThing} and r.user_id = $4 and r.round = q.round) as known from q`);

const reportJson = jsonObject({
    kind: plainQuoted('r.type'), thing_id: plainQuoted('r.thing_id'),
    project_id: `case when r.project_id = 0 then 'null' else ${plainQuoted('r.project_id')} end`,
    reason: plainQuoted('r.reason'), text: quoted('r.text'), created_at: plainQuoted(isoTime('r.at'))
});

// What a moderator has decided about comes back by one report if the comment was edited since, or if the decision about a person is some
// days old.
const add = statement({
    parameters: ['bigint', 'text', 'bigint', 'bigint', 'text', 'text', 'integer', 'boolean', 'timestamp with time zone'],
    row: { json: 'text' }, place: writing(inProject(1))
}, `
    with r as (
        insert into thing_reports as r (project_id, type, thing_id, user_id, reason, text, round, trusted)
            values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (project_id, type, thing_id, user_id) do update set reason = excluded.reason, text = excluded.text, round = excluded.round, trusted = excluded.trusted, at = excluded.at returning *
    ), counted as (
        update thing_report_queue q set count = q.count + 1, newest_at = r.at, open = q.open or q.count + 1 >= case
            when q.decided_at is null or q.decided_at < $9::timestamptz or q.type = 'user'
                and q.decided_at < now() - interval '${STANDING_DAYS} days' then 1 else ${REPORTS_TO_REOPEN} end
        from r where q.project_id = r.project_id and q.type = r.type and q.thing_id = r.thing_id
    )
    select ${reportJson} as json from r`);

const replace = statement({ parameters: [...thingTypes, 'bigint', 'text', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    update thing_reports r set reason = $5, text = $6 where r.project_id = ${ofThing} and r.user_id = $4 returning ${reportJson} as json`);

const countTrusted = statement({ parameters: [...thingTypes, 'integer', 'integer'], row: { count: 'integer' }, place: inProject(1) }, `
    select count(*)::int as count from (select from thing_reports r
        where r.project_id = ${ofThing} and r.round = $4 and r.trusted limit $5::int) r`);

/** A report as it is stored, and whether it is the first one of its sender since the last decision. */
interface Added {
    json: string;
    first: boolean;
}

/** Adds or replaces a report. The sender is locked. @throws 429 */
async function addTo(
    trx: Database, { projectId, type, id }: ReportedThing, userId: string, { reason, text }: Report,
    { edited = null, trusted = false }: { edited?: Date | null; trusted?: boolean } = {}
): Promise<Added & { round: number }> {
    const { round, known } = await runAlways(trx, look, [projectId, type, id, userId]);
    if (known) {
        return { ...await runAlways(trx, replace, [projectId, type, id, userId, reason, text]), first: false, round };
    }

    await checkReportLimit(trx, userId);
    return { ...await runAlways(trx, add, [projectId, type, id, userId, reason, text, round, trusted, edited]), first: true, round };
}

/**
 * Reports a comment. Needs a transaction. With `holdAfter`, it is held once so many people of standing have reported it since the last
 * decision.
 * @throws 404 if the user may not read it, 403 if it is their own, 429 if they have sent too many reports
 */
export async function addCommentReport(
    trx: Database, thing: ReportedThing, sender: CurrentUser, report: Report, holdAfter: number | null
): Promise<Added> {
    const { projectId, id } = thing;
    const { id: userId, moderator, teaches = false } = sender;
    const find = async (): Promise<Date | null> => {
        const found = existing(await runOne(trx, findComment, [projectId, id, userId, moderator, teaches]), 'comment');
        if (found.own) {
            throw forbidden('This comment is your own. Remove it, or ask a moderator.');
        }

        return found.edited;
    };

    // Who may not read it waits for no lock.
    await find();
    const trusted = holdAfter !== null && await isOfStanding(trx, userId);
    // The project and the comment are locked before its reports, as by whoever decides; and before the sender, as by whoever comments on a project of theirs.
    const comment = trusted ? await lockComment(trx, projectId, id) : undefined;
    await (comment === undefined && keepReadable(trx, projectId, sender));
    await holdUser(trx, userId);
    // Somebody may have held it meanwhile.
    const edited = await find();
    const { round, ...added } = await addTo(trx, thing, userId, report, { edited, trusted });
    if (comment !== undefined && added.first && !comment.isHeld
        && (await runAlways(trx, countTrusted, [projectId, 'comment', id, round, holdAfter])).count === holdAfter) {
        await holdCommentAutomatically(trx, comment);
    }

    return added;
}

/**
 * Reports a person. Needs a transaction. @throws 404 if they have no public page, 403 if it is oneself, 429 if the user has sent too many
 * reports
 */
export async function addUserReport(trx: Database, id: string, { id: userId }: CurrentUser, report: Report): Promise<Added> {
    await holdUser(trx, userId);
    if (await runOne(trx, findPerson, [id]) === undefined) {
        throw notFound('user');
    }

    if (id === userId) {
        throw forbidden('This is your own account.');
    }

    const { json, first } = await addTo(trx, { projectId: '0', type: 'user', id }, userId, report);
    return { json, first };
}
