import { isSuspended, joinActiveUser } from '../../accounts/users/fragments';
import { inProject, writing } from '../../database/declaration';
import { allowed, rightParameters, rightValues } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import { isMember } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { runOne, statement } from '../../database/statements/statement';
import { presenceJson } from './json';
import { MAX_PRESENT } from '../../limits';
import { mayDo } from '../members/queries';

/** Seconds after which somebody who has not said again that they are there is not there. */
export const PRESENT_FOR = 8;

/** Where somebody is in a project. */
export interface PresenceState {
    page: string | null;
    cursor: { left: number; top: number } | null;
    selected: readonly string[];
}

const caller = rightParameters(2);

// Whoever may not edit any more is not shown from that moment on, whatever their rows say.
const put = statement({ parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'text[]', 'bigint', 'integer', 'integer', 'bigint[]'], row: { allowed: 'boolean', others: 'text' }, place: writing(inProject(2)) }, `
    with p as materialized (select p.id, p.user_id, p.held_at, ${allowed('p', caller)} as allowed ${projectChain(caller)}),
    written as (
        insert into project_presence as h (project_id, user_id, at, page_id, cursor_left, cursor_top, selected)
        select p.id, ${caller.id}, now(), $6::bigint, $7::integer, $8::integer, $9::bigint[] from p where p.allowed
        on conflict (project_id, user_id) do update
            set at = excluded.at, page_id = excluded.page_id, cursor_left = excluded.cursor_left, cursor_top = excluded.cursor_top, selected = excluded.selected
    )
    select p.allowed, coalesce((
        select string_agg(one.json, ',' order by one.id) from (
            select w.id, ${presenceJson} as json from project_presence h ${joinActiveUser('h.user_id', 'w')} and ${isSuspended('w')} is not true
            where h.project_id = $2 and h.user_id <> ${caller.id} and h.at > now() - interval '${PRESENT_FOR} s' and (h.user_id = p.user_id or ${isMember('p', 'h.user_id', 'array[\'editor\']')})
            order by w.id limit ${MAX_PRESENT}
        ) one), '') as others
    from p`);

/**
 * Notes that somebody is in a project, and where.
 * @returns JSON texts of the others who are
 * @throws 404 if there is no such project that the caller may see, 403 if they may not edit it
 */
export async function putPresence(db: Database, chain: readonly [user: string, project: string], writer: Writer, { page, cursor, selected }: PresenceState): Promise<string> {
    return mayDo(await runOne(db, put, [...chain, ...rightValues(writer), page, cursor?.left ?? null, cursor?.top ?? null, selected])).others;
}
