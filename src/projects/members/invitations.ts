import { inAllShards, inProject, known, writing } from '../../database/declaration';
import { hashCode, newCode } from '../../api/auth/secrets';
import { allowed, rightParameters, rightValues } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import type { ProjectChain } from '../../rules/chain';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fault, notFound } from '../../api/errors/errors';
import { MAX_INVITATIONS } from '../../limits';
import { invitationJson, listedInvitationJson } from './json';
import type { MemberRole } from '../../api/representations/roles';
import { mayDo, putMember, roleOf } from './queries';

/** SQL for whether an invitation in the row `i` can be used. */
const usable = 'i.expires_at > now() and i.uses_left > 0';

const insert = statement({ parameters: ['bigint', 'text', 'bytea', 'integer', 'double precision'], row: { id: 'bigint', json: 'text' }, place: writing(inProject(1)) }, `
    with useless as (delete from project_invitations i where i.project_id = $1 and not (${usable})),
    i as (
        insert into project_invitations (project_id, role, hash, uses_left, expires_at)
        select $1, $2, $3, $4, now() + make_interval(secs => $5)
        where (select count(*) from project_invitations i where i.project_id = $1 and ${usable}) < ${MAX_INVITATIONS}
        returning *
    )
    select i.id, ${invitationJson} as json from i`);

export interface InvitationFields {
    role: MemberRole;
    uses: number;
    /** seconds from now */
    expires_in: number;
}

/** Makes an invitation to a project that is locked. @returns its JSON text, with the code @throws 409 if the project has the maximum number of them */
export async function insertInvitation(trx: Database, project: string, { role, uses, expires_in: expiresIn }: InvitationFields): Promise<{ id: string; json: string }> {
    const code = newCode();
    const row = await runOne(trx, insert, [project, role, hashCode(code), uses, expiresIn]);
    if (row === undefined) {
        throw fault('invitation_limit');
    }

    return { id: row.id, json: `${row.json.slice(0, -1)},"code":"${code}"}` };
}

const caller = rightParameters(2);
const list = statement({ parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'text[]'], row: { allowed: 'boolean', items: 'text' }, place: inProject(2) }, `
    select ${allowed('p', caller)} as allowed, coalesce((
        select string_agg(${listedInvitationJson}, ',' order by i.id) from project_invitations i where i.project_id = p.id and ${usable}), '') as items
    from (select p.* ${projectChain(caller)}) p`);

/** JSON texts of the invitations to a project that still work, oldest first. @throws 404 if there is no such project, 403 if the caller may not see them */
export async function listInvitations(db: Database, chain: ProjectChain, reader: Writer): Promise<string> {
    return mayDo(await runOne(db, list, [...chain, ...rightValues(reader)])).items;
}

const remove = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with gone as (delete from project_invitations i where i.project_id = $1 and i.id = $2 returning ${invitationJson} as json)
    select json from gone`);

/** Revokes an invitation. @returns its JSON text; undefined if it does not exist */
export async function deleteInvitation(trx: Database, project: string, id: string): Promise<string | undefined> {
    return (await runOne(trx, remove, [project, id]))?.json;
}

/** SQL for whether the user $2 can join by an invitation in the row `i`, or has joined what it is for. */
const opens = `i.expires_at > now() and (i.uses_left > 0 or exists (select from project_members m where m.project_id = i.project_id and m.user_id = $2))`;

const opened = `
    select p.id as project, p.user_id as owner from projects p
    where p.id = (select i.project_id from project_invitations i where i.hash = $1 and ${opens}) and ${live('p')} and p.held_at is null`;

const find = statement({ parameters: ['bytea', 'bigint'], row: { project: 'bigint', owner: 'bigint' }, place: inAllShards() }, opened);
const open = statement({ parameters: ['bytea', 'bigint'], row: { project: 'bigint', owner: 'bigint' }, place: writing(inAllShards()) }, `${opened} for no key update`);
const offered = statement({ parameters: ['bytea', 'bigint'], row: { id: 'bigint', role: known<MemberRole>('text'), usable: 'boolean' }, place: inAllShards() }, `select i.id, i.role, i.uses_left > 0 as usable from project_invitations i where i.hash = $1 and ${opens}`);
const spend = statement({ parameters: ['bytea'], place: writing(inAllShards()) }, 'update project_invitations set uses_left = uses_left - 1 where hash = $1');

/** The project that a code opens to a user, if there is an account already; undefined if the code opens nothing. */
export async function findOpened(db: Database, userId: string | undefined, code: string): Promise<string | undefined> {
    return (await runOne(db, find, [hashCode(code), userId ?? null]))?.project;
}

/** Who has joined what. */
export interface Joined {
    owner: string;
    project: string;
    role: MemberRole;
}

/**
 * Lets a user join by a code. Joining again changes nothing, also if the code is used up meanwhile, and an editor stays an editor. Needs a transaction.
 * @throws 404 if the code is wrong, used up or expired, 409 if the project is the user's own, or has as many members as it may
 */
export async function join(trx: Database, userId: string, code: string): Promise<Joined> {
    const hash = hashCode(code);
    const held = await runOne(trx, open, [hash, userId]);
    // After waiting for the lock, this sees what the transaction before left of the invitation.
    const invitation = held && await runOne(trx, offered, [hash, userId]);
    if (held === undefined || invitation === undefined) {
        throw notFound('invitation');
    }

    const { owner, project } = held;
    if (owner === userId) {
        throw fault('owner_is_no_member');
    }

    if (invitation.usable && (await putMember(trx, project, userId, invitation.role, true, invitation.id)).changed) {
        await run(trx, spend, [hash]);
    }

    return { owner, project, role: (await runAlways(trx, roleOf, [project, userId])).role };
}
