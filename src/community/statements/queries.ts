import { fromUser, joinActiveUser } from '../../accounts/users/fragments';
import type { ShortPlace, ShortRow } from '../../api/request/short-lists';
import { inAllShards, inProject, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { jsonObject, milliseconds, orNull } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fault, notFound } from '../../api/errors/errors';
import { somebodyJson } from '../../api/representations/user';
import { APPEAL_DAYS, MAX_LISTED } from '../../limits';
import { existing } from '../../rules/existing';
import { insertNotices } from '../notices/fragments';
import { statementJson } from './json';
import type { AppealOutcome, Decision, StatedType } from './json';

/** Rows that are read for a page: one more than it can have. */
const READ = MAX_LISTED + 1;

const list = statement({
    parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' }, place: inAllShards({ kind: 'newest', count: READ })
}, `
    select s.id::text as id, ${statementJson} as json from statements s
        where s.user_id = $1 and s.id < $2 order by s.id desc limit ${READ}`);

/** Statements for a user, newest first, and one more than a page can have. */
export const listStatements = (db: Database, userId: string, { beforeId }: ShortPlace): Promise<ShortRow[]> =>
    run(db, list, [userId, beforeId]);

const ofUser = statement({
    parameters: ['bigint', 'bigint'], row: { project: 'text' }, place: inAllShards()
}, 'select s.project_id::text as project from statements s where s.id = $2 and s.user_id = $1');

const own = statement({ parameters: ['bigint', 'bigint'], row: { appealed: 'boolean', closed: 'boolean' }, place: writing(inProject(1)) }, `
    select s.appealed_at is not null as appealed, (s.ended_at is not null or s.at < now() - interval '${APPEAL_DAYS} days') as closed
        from statements s where s.project_id = $1 and s.id = $2 for update`);

const add = statement({ parameters: ['bigint', 'bigint', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    update statements s set appeal = $3, appealed_at = now() where s.project_id = $1 and s.id = $2 returning ${statementJson} as json`);

/**
 * Appeals against a decision. Needs a transaction.
 * @returns the JSON text of the statement
 * @throws 404 if nothing with this id was stated to the user, 409 if they have appealed already, or it is too late
 */
export async function addAppeal(trx: Database, userId: string, id: string, text: string): Promise<string> {
    const place = await runOne(trx, ofUser, [userId, id]);
    // What it says is read once it is locked.
    const found = place && await runOne(trx, own, [place.project, id]);
    if (place === undefined || found === undefined) {
        throw notFound('statement');
    }

    if (found.appealed || found.closed) {
        throw fault(found.appealed ? 'appealed' : 'appeal_closed');
    }

    return (await runAlways(trx, add, [place.project, id, text])).json;
}

const moderator = `(select ${somebodyJson} ${fromUser('s.moderator_id')})`;

const open = statement({
    parameters: ['timestamp with time zone', 'bigint'], row: { id: 'text', json: 'text', time: 'text' }, place: inAllShards()
}, `
    select s.id::text as id, ${jsonObject({ statement: statementJson, user: somebodyJson, moderator: orNull(moderator) })} as json, ${milliseconds('s.appealed_at')}::text as time
    from statements s ${joinActiveUser('s.user_id')}
    where s.appealed_at is not null and s.outcome is null and (s.appealed_at, s.id) > ($1::timestamptz, $2::bigint)
        order by s.appealed_at, s.id limit ${READ}`);

/**
 * Appeals that nobody has decided on, the oldest first, and one more than a page can have. @param time of the last one before them, in
 * milliseconds
 */
export async function listAppeals(
    db: Database, { time, afterId }: { time: string; afterId: string }
): Promise<(ShortRow & { time: string })[]> {
    const rows = await run(db, open, [new Date(Number(time)).toISOString(), afterId]);
    const place = ({ time: at, id }: { time: string; id: string }): bigint => BigInt(at) * 2n ** 64n + BigInt(id);
    return rows.sort((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, READ);
}

/** A statement, and the thing that it is about. */
const statedColumns = {
    id: 'text',
    /** 0 for a user or a picture */
    projectId: 'text',
    userId: 'text',
    decision: known<Decision>('text'),
    type: known<StatedType>('text'),
    thingId: 'text',
    picture: 'text?'
} as const;
export type StatedThing = RowOf<typeof statedColumns>;

const ofAppeal = statement({ parameters: ['bigint'], row: statedColumns, place: inAllShards() }, `
    select s.id::text as id, s.project_id::text as "projectId", s.user_id::text as "userId", s.decision, s.type, s.thing_id::text as "thingId", s.picture
    from statements s where s.id = $1 and s.appealed_at is not null`);

/** A statement against which somebody has appealed. @throws 404 if nobody has */
export async function findAppeal(db: Database, id: string): Promise<StatedThing> {
    return existing(await runOne(db, ofAppeal, [id]), 'appeal');
}

// Locked first, and looked at by a statement of its own: the one that waits for the lock sees moderators as they were.
const hold = statement({
    parameters: ['bigint', 'bigint'], place: writing(inProject(1))
}, 'select from statements where project_id = $1 and id = $2 for update');
const look = statement({ parameters: ['bigint', 'bigint', 'bigint'], row: { decided: 'boolean', own: 'boolean' }, place: inProject(1) }, `
    select s.outcome is not null as decided, is_own_decision($3, s.user_id, s.moderator_id) as own
        from statements s where s.project_id = $1 and s.id = $2`);

const decide = statement({ parameters: ['bigint', 'bigint', 'bigint', 'text', 'text'], place: writing(inProject(1)) }, `
    with s as (
        update statements set outcome = $4, outcome_reason = $5, decided_by = $3, decided_at = now()
            where project_id = $1 and id = $2 returning project_id, user_id, id
    )
    ${insertNotices} select project_id, user_id, 'appeal', null::bigint, id from s`);

/**
 * Decides on an appeal, and tells the person. What it is about is locked already. Needs a transaction, which also undoes what was decided
 * if it is reversed.
 * @throws 403 `own_decision` if the moderator is the person concerned, or has decided it and there is another one; 409 if somebody has
 * decided on the appeal meanwhile
 */
export async function decideAppeal(
    trx: Database, { projectId, id }: StatedThing, moderatorId: string, outcome: AppealOutcome, reason: string
): Promise<void> {
    await run(trx, hold, [projectId, id]);
    const found = existing(await runOne(trx, look, [projectId, id, moderatorId]), 'appeal');
    if (found.own) {
        throw fault('own_decision');
    }

    if (found.decided) {
        throw fault('appeal_decided');
    }

    await run(trx, decide, [projectId, id, moderatorId, outcome, reason]);
}

const one = statement({
    parameters: ['bigint', 'bigint'], row: { json: 'text' }, place: inProject(1)
}, `select ${statementJson} as json from statements s where s.project_id = $1 and s.id = $2`);

/** The JSON text of a statement. */
export const showStatement = async (db: Database, { projectId, id }: StatedThing): Promise<string> =>
    (await runAlways(db, one, [projectId, id])).json;
