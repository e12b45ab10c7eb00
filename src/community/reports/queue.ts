import { fromUser, isActiveUser } from '../../accounts/users/fragments';
import { MAX_ID } from '../../api/request/schema';
import { nextScored } from '../../api/request/pagination';
import type { ScoredPlace } from '../../api/request/pagination';
import { somebodyJson } from '../../api/representations/user';
import { inAllShards, inOneShard, inProject, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { fitting } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fromLiveProject, fromProject } from '../../projects/fragments';
import { fromCommentOf, isPresentComment, judgedCommentJson } from '../comments/fragments';
import { listReportedProjects } from '../moderation/queue';
import type { ReportedThing } from './add';
import type { Rule } from '../report-reasons';
import { entryColumns, entryJson, reportKinds } from '../reporters/entry';
import type { ReportKind } from '../reporters/entry';
import type { CommentDecision, UserDecision } from './input';
import { MAX_TOLD_REPORTERS, tellReporters } from '../reporters/tell';

const about = {
    comment: {
        comment: `(select ${judgedCommentJson} ${fromCommentOf('q.project_id', 'q.thing_id')})`,
        project: `(select ${jsonObject({ id: plainQuoted('p.id'), title: quoted('p.title') })} ${fromProject('q.project_id')})`
    },
    user: { user: `(select ${somebodyJson} ${fromUser('q.thing_id')})` }
} as const;

const entryOf = (kind: 'comment' | 'user', state: string): string => entryJson({
    kind, about: about[kind], state,
    from: 'from thing_reports r where r.project_id = q.project_id and r.type = q.type and r.thing_id = q.thing_id and r.round = q.round'
});

/** SQL for a page of one kind, of what is there. Two of a kind never have the same id. */
const listOf = (kind: 'comment' | 'user', isThere: string): string => `
    select q.count::text, q.thing_id::text as id, q.project_id::text as project, ${entryOf(kind, `'open'`)} as json from (
        select q.* from thing_report_queue q
        where q.open and q.type = '${kind}' and (q.count, q.thing_id) < ($1::bigint, $2::bigint) and ${isThere}
            order by q.count desc, q.thing_id desc limit $3::int
    ) q order by q.count desc, q.thing_id desc`;

const types = ['bigint', 'bigint', 'integer'] as const;
// As values of the row, they are looked up in the order of the index: as joins, all that is open would be read and sorted.
const comments = statement({
    parameters: types, row: entryColumns, place: inAllShards()
}, listOf('comment', `(select true ${fromLiveProject('q.project_id')}) and (select ${isPresentComment} ${fromCommentOf('q.project_id', 'q.thing_id')})`));
const people = statement({ parameters: types, row: entryColumns, place: inOneShard }, listOf('user', isActiveUser('q.thing_id')));

type Entry = RowOf<typeof entryColumns>;

const lists: Readonly<Record<ReportKind, (db: Database, score: string, beforeId: string, count: number) => Promise<Entry[]>>> = {
    project: listReportedProjects,
    comment: (db, ...values) => run(db, comments, values),
    user: (db, ...values) => run(db, people, values)
};

interface QueuePage {
    /** JSON texts, separated by commas */
    items: string;
    /** ids of the projects that are shown */
    projects: string[];
    next: string | null;
}

type Ranked = Entry & { rank: number };

const inOrder = (a: Ranked, b: Ranked): number =>
    Number(BigInt(b.count) - BigInt(a.count)) || Number(BigInt(b.id) - BigInt(a.id)) || a.rank - b.rank;

/**
 * The page of the queue at a place: what has the most reports first, of all kinds or of one. Each kind is asked for as many as the page
 * has, and one more. It ends at so many items or bytes.
 */
export async function listReports(
    db: Database, { rank: last, score, beforeId, count }: ScoredPlace, only: ReportKind | undefined
): Promise<QueuePage> {
    const found = await Promise.all(reportKinds.map(async (kind, rank): Promise<Ranked[]> => {
        if (only !== undefined && kind !== only) {
            return [];
        }

        // Of the kinds that come later among equals, one with the same id is still to be shown.
        const before = rank > last && beforeId !== MAX_ID ? String(BigInt(beforeId) + 1n) : beforeId;
        return (await lists[kind](db, score, before, count + 1)).map((entry) => ({ ...entry, rank }));
    }));
    const { shown, items, last: end } = fitting(found.flat().sort(inOrder), count);
    return {
        items,
        projects: shown.map(({ project }) => project).filter((id) => id !== '0'),
        next: end === undefined ? null : nextScored({ rank: end.rank, score: end.count, id: end.id })
    };
}

const thing = 'project_id = $1 and type = $2 and thing_id = $3';
const thingTypes = ['bigint', 'text', 'bigint'] as const;

const hold = statement({
    parameters: thingTypes, row: { open: 'boolean', round: 'integer' }, place: writing(inProject(1))
}, `select open, round from thing_report_queue where ${thing} for update`);

const commonest = statement({
    parameters: [...thingTypes, 'integer'], row: { reason: known<Rule>('text'), at: 'timestamp with time zone' }, place: inProject(1)
}, `
    select r.reason, (min(min(r.at)) over ()) as at
    from (select r.reason, r.at from thing_reports r where r.${thing} and r.round = $4 order by r.at desc limit ${MAX_TOLD_REPORTERS}) r
        group by r.reason order by count(*) desc, r.reason limit 1`);

/**
 * Locks the reports of a comment or a person, after their own row. Undefined if nobody has ever reported it. `rule` is the reason of most
 * of the newest, `at` when the first of these came.
 */
export async function lockThingReports(
    trx: Database, { projectId, type, id }: ReportedThing
): Promise<{ isOpen: boolean; rule: Rule; at: Date | null } | undefined> {
    const found = await runOne(trx, hold, [projectId, type, id]);
    if (found === undefined) {
        return undefined;
    }

    const most = await runOne(trx, commonest, [projectId, type, id, found.round]);
    return { isOpen: found.open, rule: most?.reason ?? 'other', at: most?.at ?? null };
}

const entry = (kind: 'comment' | 'user') => statement({
    parameters: [...thingTypes, 'text'], row: { json: 'text' }, place: inProject(1)
}, `select ${entryOf(kind, '$4::text')} as json from thing_report_queue q where ${thing}`);
const entries = { comment: entry('comment'), user: entry('user') };

/** The JSON text of the reports of a comment or a person, as decided. */
export async function showThingReports(
    trx: Database, { projectId, type, id }: ReportedThing, state: CommentDecision | UserDecision
): Promise<string> {
    return (await runAlways(trx, entries[type], [projectId, type, id, state])).json;
}

const close = statement({ parameters: [...thingTypes, 'text', 'bigint'], row: { reporters: 'bigint[]' }, place: writing(inProject(1)) }, `
    update thing_report_queue q set open = false, count = 0, round = q.round + 1, decided_at = now(), outcomes[q.round + 1] = $4
        where ${thing} returning array(
        select r.user_id from thing_reports r where r.project_id = q.project_id and r.type = q.type
            and r.thing_id = q.thing_id and r.round = q.round - 1 and r.user_id <> $5
        order by r.at desc, r.user_id limit ${MAX_TOLD_REPORTERS}) as reporters`);

/** Closes the reports of a comment or a person, if there are any, and tells those who have sent them. */
export async function closeThingReports(
    trx: Database, { projectId, type, id }: ReportedThing, outcome: CommentDecision | UserDecision, moderatorId: string
): Promise<void> {
    const closed = await runOne(trx, close, [projectId, type, id, outcome, moderatorId]);
    await tellReporters(trx, closed?.reporters ?? []);
}
