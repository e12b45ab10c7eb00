import { fromActiveUser, isSuspended, suspendedUntil, updateUsers } from '../../accounts/users/fragments';
import { noteDecision, noteEnd } from './decisions';
import type { Why } from './decisions';
import type { Database } from '../../database/statements/connection';
import { jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';

/** SQL for the JSON text of the suspension of the user in the row `u`. */
const suspensionJson = jsonObject({
    user: jsonObject({ id: plainQuoted('u.id'), username: quoted('u.username') }),
    reason: quoted('u.suspension_reason'),
    until: orNull(plainQuoted(suspendedUntil('u')))
});

/** An account, and the JSON text of its suspension; null if there is none. */
const foundColumns = {
    username: 'text',
    moderator: 'boolean',
    json: 'text?'
} as const;

const find = statement({ parameters: ['bigint'], row: foundColumns }, `
    select u.username, u.moderator, case when ${isSuspended('u')} then ${suspensionJson} end as json ${fromActiveUser('$1')} for no key update`);

// The revision of an account counts changes of what its user can see.
const set = statement({ parameters: ['bigint', 'timestamp with time zone', 'text'], row: { json: 'text' } }, `${updateUsers('suspended_until = $2::timestamptz, suspension_reason = $3')} where u.id = $1 returning ${suspensionJson} as json`);
const lift = statement({ parameters: ['bigint'] }, `${updateUsers('suspended_until = null, suspension_reason = null')} where u.id = $1`);

/** A new suspension, or the end of one. */
interface Suspending extends Partial<Pick<Why, 'facts' | 'reportedAt' | 'rule'>> {
    userId: string;
    /** null for an operator */
    moderatorId: string | null;
}

/**
 * Suspends a user, or changes the reason and the end. Needs a transaction.
 * @param until undefined for no end
 * @returns the JSON text of the suspension; `moderator` if the user is one, who cannot be suspended; undefined if there is no such user
 */
export async function suspend(
    trx: Database, { userId, moderatorId, facts = 'own', ...why }: Suspending, reason: string, until: string | undefined
): Promise<{ json: string } | 'moderator' | undefined> {
    const found = await runOne(trx, find, [userId]);
    if (found === undefined || found.moderator) {
        return found && 'moderator';
    }

    const suspended = await runAlways(trx, set, [userId, until ?? 'infinity', reason]);
    await noteDecision(trx, {
        userId, decision: 'suspend', type: 'user', thingId: userId, projectId: null, reason, facts, moderatorId, until, ...why
    });
    return suspended;
}

/** Locks an account whose suspension may end. */
export const lockSuspended = async (trx: Database, userId: string): Promise<void> => void await runOne(trx, find, [userId]);

/**
 * Ends the suspension of a user. Needs a transaction. @throws 403 `own_decision` as `endStatements` does. Returns the suspension, null if
 * there was none, and undefined if there is no such user.
 */
export async function unsuspend(trx: Database, { userId, moderatorId }: Suspending): Promise<{ json: string | null } | undefined> {
    const found = await runOne(trx, find, [userId]);
    if (typeof found?.json === 'string') {
        await noteEnd(trx, { decision: 'suspend', type: 'user', thingId: userId, projectId: null, moderatorId }, userId, null);
        await run(trx, lift, [userId]);
    }

    return found;
}
