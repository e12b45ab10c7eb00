import type { Knex } from 'knex';

import { fromProjectsOf } from '../../projects/fragments';
import { closeAccounts, fromUser, restoreAccounts, updateUsers } from '../../accounts/users/fragments';
import { deleteTokens } from '../../accounts/tokens/queries';
import { deleteContents } from '../../accounts/users/delete-contents';
import { setPermissionOf } from '../../accounts/users/permissions';
import type { Permission } from '../../accounts/users/permissions';
import { endClass } from '../../classes/end-class';
import { defined } from '../../api/errors/defined';
import { fault, forbidden, notFound } from '../../api/errors/errors';
import { suspend, unsuspend } from '../moderation/suspensions';
import { inAllShards, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { gone, live, restores } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import { classesLeft, lockTaughtClasses } from '../../rules/last-teacher';
import type { TaughtClasses } from '../../rules/last-teacher';
import { NO_APP, counts, updated } from '../../rules/write-sql';
import { noteAct } from './log';
import type { AdminAct } from './log';
import { showPerson } from './person';
import { act } from './staff';
import type { Acting } from './staff';

/** The account's JSON text now, and whether it changed. */
interface Changed {
    json: string;
    /** whether it was not so before */
    changed: boolean;
}

const found = statement({ parameters: ['bigint'], row: { username: 'text', deleted: 'boolean', issuer: 'text?' } }, `select u.username, ${gone('u')} as deleted, u.issuer ${fromUser('$1')}`);

/** An account, locked. */
interface Held {
    username: string;
    deleted: boolean;
    issuer: string | null;
}

/** Refuses an act on one's own account, as one slip would lock somebody out. @throws 409 */
function refuseOwn({ staffId }: Acting, id: string, what: string): void {
    if (staffId === id) {
        throw fault('own_account', `This is your own account. ${what}`);
    }
}

/**
 * Changes an account in a transaction, with a line in the log if something has changed.
 * @param deleted whether it is one that was deleted
 * @param change returns whether something has changed
 * @throws 404 if there is no such account
 */
function change(db: Database, acting: Acting, id: string, line: { act: AdminAct; detail?: string }, work: (trx: Knex.Transaction, held: Held) => Promise<boolean>, { deleted = false, first }: { deleted?: boolean; first?: (trx: Knex.Transaction) => Promise<void> } = {}): Promise<Changed> {
    return act(db, acting, id, async (trx) => {
        const held = await runOne(trx, found, [id]);
        if (held?.deleted !== deleted) {
            throw notFound(deleted ? 'deleted account' : 'user');
        }

        const changed = await work(trx, held);
        if (changed) {
            await noteAct(trx, acting, { ...line, type: 'user', id, name: held.username });
        }

        return { json: await showPerson(trx, id), changed };
    }, first);
}

/** The rule for classes that would be left without a teacher. */
export interface Leaving {
    /** whether all can teach (`TEACHERS=open`) */
    everybody: boolean;
    /** whether an operator insists. Then such a class ends first, and the accounts that it manages become ordinary ones; else it is refused */
    insists?: boolean;
}

/** A change that ends somebody's teaching. @throws 409 `last_teacher` */
function changeAndLeave(db: Database, acting: Acting, id: string, line: { act: AdminAct; detail?: string }, { everybody, insists = false }: Leaving, work: (trx: Knex.Transaction) => Promise<boolean>): Promise<Changed> {
    let taught: TaughtClasses | undefined;
    return change(db, acting, id, line, async (trx) => {
        const left = await classesLeft(defined(taught), everybody);
        if (left.length > 0 && !insists) {
            throw fault('last_teacher');
        }

        for (const classId of left) {
            await endClass(trx, classId, false);
        }

        return work(trx);
    }, { first: async (trx) => {
        taught = await lockTaughtClasses(trx, id);
    } });
}

/** Grants or revokes a permission. @throws 409 `own_account` if somebody takes `staff` from themselves, `last_teacher` if a class would be left without a teacher */
export function changePermission(db: Database, acting: Acting, id: string, permission: Permission, granted: boolean, leaving: Leaving): Promise<Changed> {
    if (!granted && permission === 'staff') {
        refuseOwn(acting, id, 'Somebody else of the staff can take the permission from you.');
    }

    const line = { act: granted ? 'grant' : 'revoke', detail: permission } as const;
    const set = async (trx: Database): Promise<boolean> => defined(await setPermissionOf(trx, id, permission, granted)).changed;
    // Where everybody can teach, nobody needs the permission.
    return permission === 'teacher' && !granted && !leaving.everybody ? changeAndLeave(db, acting, id, line, leaving, set) : change(db, acting, id, line, set);
}

const changePassword = statement({ parameters: ['bigint', 'text'] }, `${updateUsers('password_hash = $2')} where u.id = $1`);

/**
 * Sets the hash of a new password, and ends all sign-ins, tokens and authorizations of the user, those of a sign-in under way included.
 * @throws 409 `no_password` if they sign in at another provider
 */
export function resetPassword(db: Database, acting: Acting, id: string, hash: string): Promise<Changed> {
    return change(db, acting, id, { act: 'reset_password' }, async (trx, { issuer }) => {
        if (issuer !== null) {
            throw fault('no_password');
        }

        await run(trx, changePassword, [id, hash]);
        await deleteTokens(trx, [id]);
        return true;
    });
}

/** Suspends a user, or changes the reason and the end, as moderators can. @param until undefined for no end @throws 403 if the user is a moderator */
export function suspendPerson(db: Database, acting: Acting, id: string, reason: string, until: string | undefined): Promise<Changed> {
    refuseOwn(acting, id, 'Somebody else of the staff can suspend it.');
    return change(db, acting, id, { act: 'suspend', detail: reason }, async (trx, { username }) => {
        if (await suspend(trx, { userId: id, moderatorId: acting.staffId }, reason, until) === 'moderator') {
            throw forbidden(`${username} is a moderator, who cannot be suspended. Take that permission away first.`);
        }

        return true;
    });
}

/** Ends the suspension of a user. */
export function unsuspendPerson(db: Database, acting: Acting, id: string): Promise<Changed> {
    return change(db, acting, id, { act: 'unsuspend' }, async (trx) => defined(await unsuspend(trx, { userId: id, moderatorId: acting.staffId })).json !== null);
}

const remove = statement({ parameters: ['bigint'] }, `${closeAccounts} where u.id = $1 and ${live('u')}`);

/** Deletes an account as DELETE /users/{user} does. @throws 409 `own_account`, `last_teacher` if a class would be left without a teacher */
export function removePerson(db: Database, acting: Acting, id: string, leaving: Leaving): Promise<Changed> {
    refuseOwn(acting, id, 'At /account you can delete it.');
    return changeAndLeave(db, acting, id, { act: 'remove' }, leaving, async (trx) => {
        await run(trx, remove, [id]);
        await deleteContents(trx, [id]);
        return true;
    });
}

const restoreUser = statement({ parameters: ['bigint'], row: { deletion_id: 'bigint?' } }, `
    with found as materialized (
        select u.id, u.deletion_id ${fromUser('$1')} and ${gone('u')} for no key update
    )
    ${restoreAccounts()}
    from found f where u.id = f.id returning f.deletion_id`);

// In order of id, as every writer of several projects locks them.
export const restoreProjects = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint' }, place: writing(inAllShards()) }, `
    with found as materialized (select p.id ${fromProjectsOf('$1')} and p.deletion_id = $2 order by p.id for no key update)
    ${updated('projects', { author: '$1', app: NO_APP, kind: 'restore', counts: counts({ project: 1 }), set: [restores] }, 'from found f where p.id = f.id returning p.id')}`);

/**
 * Restores a deleted account with the projects that were deleted with it. What was deleted before stays deleted, and the
 * tokens are gone.
 * @throws 404 if there is no deleted account with this id
 */
export async function restorePerson(db: Database, acting: Acting, id: string): Promise<Changed & { projects: number }> {
    let projects = 0;
    const changed = await change(db, acting, id, { act: 'restore' }, async (trx) => {
        for (const { deletion_id: deletion } of await run(trx, restoreUser, [id])) {
            projects = (await run(trx, restoreProjects, [id, deletion])).length;
        }

        return true;
    }, { deleted: true });
    return { ...changed, projects };
}
