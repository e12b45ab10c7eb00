import { isNamedFor } from '../../classes/fragments';
import { fromActiveUserNamed, joinActiveUser, joinUser, usingUser } from '../../accounts/users/fragments';
import { hasBlocked } from '../../community/blocks/fragments';
import { inProject, known, writing } from '../../database/declaration';
import { allowed, rightParameters, rightValues, someoneElses } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import type { ProjectChain } from '../../rules/chain';
import type { Database } from '../../database/statements/connection';
import { runOne, statement } from '../../database/statements/statement';
import { fault, notFound } from '../../api/errors/errors';
import { MAX_MEMBERS } from '../../limits';
import { memberJson } from './json';
import type { MemberRole } from '../../api/representations/roles';
import { usernameKey } from '../../api/representations/username';

const caller = rightParameters(2);

const joinMember = joinActiveUser('m.user_id');

const list = statement({ parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'text[]'], row: { allowed: 'boolean', items: 'text' }, place: inProject(2) }, `
    select ${allowed('p', caller)} as allowed, coalesce((
        select string_agg(${memberJson}, ',' order by m.since, m.user_id) from project_members m ${joinMember} where m.project_id = p.id), '') as items
    from (select p.* ${projectChain(caller)}) p`);

/** JSON texts of the members of a project, oldest first. @throws 404 if there is no such project, 403 if the caller may not see them */
export async function listMembers(db: Database, chain: ProjectChain, reader: Writer): Promise<string> {
    return mayDo(await runOne(db, list, [...chain, ...rightValues(reader)])).items;
}

/** @throws 404 if there is no such project, 403 if the caller may not do this */
export function mayDo<Row extends { allowed: boolean }>(row: Row | undefined): Row {
    if (row === undefined) {
        throw notFound('project');
    }

    if (!row.allowed) {
        throw someoneElses('project');
    }

    return row;
}

const hold = statement({ parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'text[]'], row: { allowed: 'boolean', owned: 'boolean' }, place: writing(inProject(2)) }, `
    select ${allowed('p', caller)} as allowed, p.user_id = ${caller.id} as owned ${projectChain(caller)} for no key update of p`);

/**
 * Makes a transaction the only one that changes who the members of a project are.
 * @returns whether the caller is the owner
 * @throws 404 if there is no such project, 403 if the caller may not do this
 */
export async function holdMembers(trx: Database, chain: ProjectChain, writer: Writer): Promise<boolean> {
    return mayDo(await runOne(trx, hold, [...chain, ...rightValues(writer)])).owned;
}

/** The role of a member. */
export const roleOf = statement({ parameters: ['bigint', 'bigint'], row: { role: known<MemberRole>('text') }, place: inProject(1) }, `
    select role from project_members where project_id = $1 and user_id = $2`);

const found = statement({ parameters: ['text', 'bigint'], row: { id: 'bigint', blocked: 'boolean' } }, `
    select u.id, ${hasBlocked('u.id', '$2')} as blocked
    ${fromActiveUserNamed('$1')} and ${isNamedFor('$2')}`);

// Asked after the project is locked, so it sees all members there are.
const put = statement({ parameters: ['bigint', 'bigint', 'text', 'boolean', 'bigint[]'], row: { json: 'text', is_new: 'boolean', raised: 'boolean' }, place: writing(inProject(1)) }, `
    with before as materialized (select m.role from project_members m where m.project_id = $1 and m.user_id = $2),
    written as (
        insert into project_members as m (project_id, user_id, role, invitation_ids)
        select $1, $2, $3, $5::bigint[] where exists (select from before) or (select count(*) from project_members m ${joinMember} where m.project_id = $1) < ${MAX_MEMBERS}
        on conflict (project_id, user_id) do update set role = case when $4 and m.role = 'editor' then m.role else excluded.role end,
            invitation_ids = array(select i.id from project_invitations i where i.project_id = $1 and i.id = any(m.invitation_ids || excluded.invitation_ids) order by i.id)
        returning m.*
    )
    select ${memberJson} as json, not exists (select from before) as is_new, m.role is distinct from (select role from before) as raised
    from written m ${joinUser('m.user_id')}`);

export interface PutMember {
    /** JSON text */
    json: string;
    isNew: boolean;
    changed: boolean;
}

/**
 * Lets a user in, or changes their role. The project is held.
 * @param keepHigher whether an editor stays one
 * @param invitation the id of what they join by; null if the owner lets them in
 * @throws 409 if the project has as many members as it may
 */
export async function putMember(trx: Database, project: string, userId: string, role: MemberRole, keepHigher: boolean, invitation: string | null): Promise<PutMember> {
    const row = await runOne(trx, put, [project, userId, role, keepHigher, invitation === null ? [] : [invitation]]);
    if (row === undefined) {
        throw fault('member_limit');
    }

    return { json: row.json, isNew: row.is_new, changed: row.raised };
}

/** Lets the user with this name in, or changes their role. The project is held. @throws 404 if there is no such user, 409 if they own the project */
export async function putMemberNamed(trx: Database, [owner, project]: ProjectChain, username: string, role: MemberRole): Promise<PutMember> {
    const user = await runOne(trx, found, [usernameKey(username), owner]);
    // Who has blocked the owner is not there to be invited, and stays where they are a member already. The owner is not told.
    if (user === undefined || (user.blocked && await runOne(trx, roleOf, [project, user.id]) === undefined)) {
        throw notFound('user');
    }

    if (user.id === owner) {
        throw fault('owner_is_no_member');
    }

    return putMember(trx, project, user.id, role, false, null);
}

const remove = statement({ parameters: ['bigint', 'text', 'bigint'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with gone as (
        delete from project_members m ${usingUser('m.user_id')} and m.project_id = $1 and u.username_key = $2 and ($3::bigint is null or u.id = $3)
        returning ${memberJson} as json, m.invitation_ids
    ), withdrawn as (
        delete from project_invitations i using gone where $3::bigint is null and i.project_id = $1 and i.id = any(gone.invitation_ids)
    )
    select json from gone`);

/**
 * Removes a member. The project is held. Where somebody else than they themselves does it, the invitations that they joined by are withdrawn, so that they
 * cannot come back by those.
 * @param only the one whom the caller may remove; null if they may remove anybody
 * @returns JSON text of the member, as they were; undefined if there is none that the caller may remove
 */
export async function deleteMember(trx: Database, project: string, username: string, only: string | null): Promise<string | undefined> {
    return (await runOne(trx, remove, [project, usernameKey(username), only]))?.json;
}
