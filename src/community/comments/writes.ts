import { fromWatches, insertEvents } from '../../accounts/webhooks/fragments';
import { EVERYTHING } from '../../accounts/webhooks/place';
import { joinUser } from '../../accounts/users/fragments';
import { fault, notFound } from '../../api/errors/errors';
import { canTeach } from '../../classes/fragments';
import { inProject, writing } from '../../database/declaration';
import { jsonObject, orNull, plainQuoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_COMMENTS, MAX_MENTIONS, MAX_REPLIES, MAX_TOLD } from './limits';
import { fromProject } from '../../projects/fragments';
import { joinElements, joinPages } from '../../projects/pages/fragments';
import { existing } from '../../rules/existing';
import type { Locked } from '../../rules/locked';
import { mayRead } from '../../rules/visibility';
import { insertNotices } from '../notices/fragments';
import { commentChanges } from './fragments';
import type { CommentAudience, CommentRemover } from './audiences';
import { commentJson, isListed, joinAuthor } from './json';
import type { NewComment } from './schema';

/*
 * Writes to comments of a project that is locked, whose writer's rights have been looked at since (access.ts). Triggers count answers, and
 * what streams read (schema.sql).
 */

/** A comment of the project $1 that is not removed. */
const present = 'k.project_id = $1 and k.id = $2 and k.removed_at is null';

/** SQL that reads the pages and elements of the project $1, in the rows `g` and `e`. */
const inThings = (things: string): string => `from (select $1::bigint as id) p ${things} where`;

const placeColumns = { page_found: 'boolean', element_found: 'boolean', page: 'bigint?', comments: 'bigint', answered: 'boolean', thread: 'bigint?', replies: 'integer?' } as const;

/** SQL that counts the comments on the project $1 that are in lists, no further than to the limit. */
const counted = (which: string): string => `(select count(*) from (select from comments k where k.project_id = $1 and k.thread_id ${which} and ${isListed} limit ${MAX_COMMENTS}) k)`;

// They are counted only where so much has happened that there can be too many. What is held is not to be answered: nobody sees it.
const place = statement({ parameters: ['bigint', 'bigint', 'bigint', 'bigint'], row: placeColumns, place: inProject(1) }, `
    select $2::bigint is null or exists (select ${inThings(joinPages)} g.id = $2) as page_found,
        $3::bigint is null or e.page_id is not null as element_found, coalesce($2, e.page_id) as page,
        case when ${commentChanges('$1')} < ${MAX_COMMENTS} then 0 else ${counted('is null')} + ${counted('is not null')} end as comments,
        $4::bigint is null or a.id is not null as answered, coalesce(a.thread_id, a.id) as thread, coalesce(t.replies, a.replies) as replies
    from (select) one
    left join lateral (select e.page_id ${inThings(`${joinPages} ${joinElements}`)} e.id = $3 and ($2::bigint is null or g.id = $2)) e on true
    left join comments a on a.project_id = $1 and a.id = $4 and a.removed_at is null and a.held_at is null
    left join comments t on t.project_id = $1 and t.id = a.thread_id`);

/** SQL for those of the users in an array who may read the project in the row `p`, in its order. */
const readersAmong = (ids: string, everybody: string): string => `array(
    select u.id from unnest(${ids}) with ordinality m (id, nth) ${joinUser('m.id')}
    where ${mayRead('p', { id: 'u.id', moderator: 'false', teaches: canTeach('u', everybody) })} order by m.nth limit ${MAX_MENTIONS})`;

/** SQL, as common table expressions after the comment in the row `k` and whom it newly tells, in the rows `t`, for their notices. */
const noticed = `noticed as (${insertNotices} select k.project_id, t.user_id, t.kind, k.user_id, k.id from k, told t where k.held_at is null)`;

const eventData = jsonObject({
    project: 'watched_project(p.id, p.user_id, p.title, p.visibility::text, p.revision)::text',
    by: plainQuoted('k.user_id'),
    comment: jsonObject({
        id: plainQuoted('k.id'), thread: plainQuoted('coalesce(k.thread_id, k.id)'), reply_to: orNull(plainQuoted('k.reply_to')),
        page: orNull(plainQuoted('k.page_id')), element: orNull(plainQuoted('k.element_id'))
    })
});

const writer = (id: string): { id: string; moderator: string } => ({ id, moderator: 'false' });

const insert = statement({
    parameters: ['bigint', 'bigint', 'text', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint[]', 'boolean', 'boolean'], row: { id: 'bigint', json: 'text' }, place: writing(inProject(1))
}, `
    with p as materialized (select p.* ${fromProject('$1')}),
    mentioned as materialized (select ${readersAmong('$8::bigint[]', '$9::boolean')} as ids from p),
    told as materialized (
        select distinct on (t.user_id) t.user_id, t.kind from (
            select k.user_id, 'reply' as kind, 1 as rank from comments k where k.project_id = $1 and k.id = $7
            union all select m.id, 'mention', 2 from mentioned, unnest(mentioned.ids) m (id)
            union all select p.user_id, 'comment', 3 from p
        ) t where t.user_id <> $2 order by t.user_id, t.rank
    ), k as (
        insert into comments (project_id, user_id, text, page_id, element_id, thread_id, reply_to, mentions, told, held_at)
        select p.id, $2, $3, $4, $5, $6, $7, mentioned.ids, array(select user_id from told), case when $10::boolean then now() end from p, mentioned
        returning *
    ), ${noticed}, enqueued as (
        ${insertEvents}
        select p.id, p.user_id, 'comment.created', p.revision, null::bigint[], (${eventData})::json from p, k
        where k.held_at is null and exists (select ${fromWatches(`v.watched in (${EVERYTHING}, p.id, -p.user_id)`)})
    )
    select k.id, ${commentJson(writer('$2::bigint'))} as json from k ${joinAuthor}`);

/** Who writes a comment. */
export interface CommentWriter {
    id: string;
    /** ids of the users whom the text mentions, of whom some may not read the project */
    mentioned: readonly string[];
    /** `TEACHERS=open` */
    everybody: boolean;
}

/**
 * Adds a comment to a project that is locked, whose writer may.
 * @param isHeld whether others do not see what it says until a moderator has looked
 * @throws 404 if there is no such page, element or comment to answer; 409 if the project or the thread is full
 */
export async function insertComment(
    { trx, id: project }: Locked<'project'>, { text, page, element, reply_to: replyTo }: NewComment, { id, mentioned, everybody }: CommentWriter, isHeld = false
): Promise<{ id: string; json: string }> {
    const at = await runAlways(trx, place, [project, page ?? null, element ?? null, replyTo ?? null]);
    if (!at.page_found || !at.element_found || !at.answered) {
        throw notFound(!at.page_found ? 'page' : !at.element_found ? 'element' : 'comment');
    }

    if (Number(at.comments) >= MAX_COMMENTS) {
        throw fault('comment_limit');
    }

    if (at.replies !== null && at.replies >= MAX_REPLIES) {
        throw fault('thread_limit');
    }

    return runAlways(trx, insert, [project, id, text, at.page, element ?? null, at.thread, replyTo ?? null, mentioned, everybody, isHeld]);
}

const own = statement({ parameters: ['bigint', 'bigint', 'bigint'], row: { own: 'boolean', owned: 'boolean', author: 'bigint?', held: 'boolean' }, place: inProject(1) }, `
    select coalesce(k.user_id = $3, false) as own, exists (select ${fromProject('$1')} and p.user_id = $3) as owned, k.user_id as author, k.held_at is not null as held from comments k where ${present}`);

/** A comment, to somebody. */
export interface OwnComment {
    /** whether they wrote it */
    own: boolean;
    /** whether the project is theirs */
    owned: boolean;
    /** null if the account is gone for good */
    author: string | null;
    /** whether it waits until a moderator has looked */
    held: boolean;
}

/** A comment on a project that is locked. @throws 404 if there is none, or it was removed */
export async function findComment({ trx, id: project }: Locked<'project'>, comment: string, user: string): Promise<OwnComment> {
    return existing(await runOne(trx, own, [project, comment, user]), 'comment');
}

// Who was told of it once, by whatever notice, is not told again.
const update = statement({ parameters: ['bigint', 'bigint', 'bigint', 'text', 'bigint[]', 'boolean', 'boolean'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with before as materialized (
        select k.told, ${readersAmong('$5::bigint[]', '$6::boolean')} as ids from comments k cross join (select p.* ${fromProject('$1')}) p where ${present}
    ), told as materialized (
        select m.id as user_id, 'mention' as kind from before, unnest(before.ids) with ordinality m (id, nth)
        where m.id <> $3 and m.id <> all(before.told) order by m.nth limit greatest(0, ${MAX_TOLD} - (select cardinality(before.told) from before))
    ), k as (
        update comments k set text = $4, mentions = before.ids, told = before.told || array(select user_id from told), edited_at = now(),
            held_at = case when $7::boolean then coalesce(k.held_at, now()) end
        from before where ${present}
        returning k.*
    ), ${noticed}
    select ${commentJson(writer('$3::bigint'))} as json from k ${joinAuthor}`);

/**
 * Changes the text of a comment on a project that is locked, which is there and whose author may.
 * @param isHeld whether others do not see what it says until a moderator has looked
 */
export async function updateComment(
    { trx, id: project }: Locked<'project'>, comment: string, text: string, { id, mentioned, everybody }: CommentWriter, isHeld: boolean
): Promise<string> {
    return (await runAlways(trx, update, [project, comment, id, text, mentioned, everybody, isHeld])).json;
}

const remove = statement({ parameters: ['bigint', 'bigint', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with k as (update comments k set removed_at = now(), removed_by = $3 where ${present} returning *)
    select ${commentJson({ id: 'null::bigint', moderator: 'false' })} as json from k ${joinAuthor}`);

/** Removes a comment on a project that is locked, which is there. */
export const removeComment = async ({ trx, id: project }: Locked<'project'>, comment: string, by: CommentRemover): Promise<string> => {
    return (await runAlways(trx, remove, [project, comment, by])).json;
};

const put = statement({ parameters: ['bigint', 'text'], place: writing(inProject(1)) }, `
    insert into comment_settings (project_id, who) values ($1, $2) on conflict (project_id) do update set who = excluded.who`);

/** Says who may comment on a project that is locked. */
export const putSettings = (trx: Locked<'project'>['trx'], project: string, who: CommentAudience): Promise<unknown> => {
    return run(trx, put, [project, who]);
};
