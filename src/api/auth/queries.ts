import { fromValidToken } from '../../accounts/tokens/fragments';
import { fromUsers, isStaff, isSuspended, suspendedUntil } from '../../accounts/users/fragments';
import { known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { gone, live } from '../../database/statements/deletion';
import { isoTime } from '../../database/statements/json-sql';
import { lookup, runAlways, runOne, statement } from '../../database/statements/statement';
import { fault } from '../errors/errors';
import type { PublishLevel } from '../../classes/publish-levels';
import type { TokenOrigin } from '../representations/token-origins';
import type { CurrentUser, Suspension } from '../request/caller';
import type { Scope } from '../../config/scopes';

/** SQL for the suspension of the user in this row, or else the pause that a teacher has set; null if there is none. */
const suspensionOf = (row: string): string => `case when ${isSuspended(row)} then json_build_object('reason', ${row}.suspension_reason, 'until', ${suspendedUntil(row)})
    when ${row}.paused_until > now() then json_build_object('reason', '', 'until', ${isoTime(`${row}.paused_until`)}, 'isPause', true) end`;

/** A user, as a token finds them. */
const foundColumns = {
    moderator: 'boolean',
    staff: 'boolean',
    teacher: 'boolean',
    publish: known<PublishLevel | null>('text?'),
    suspension: known<Suspension | null>('json?', { reason: '', until: '' }, { reason: '', until: null, isPause: true })
} as const;
export type Found = RowOf<typeof foundColumns>;

const bearerColumns = { ...foundColumns, user_id: 'bigint', scope: known<Scope[]>('text[]'), origin: known<TokenOrigin>('text'), projects: 'bigint[]?', app_id: 'bigint?' } as const;

const bearer = lookup({ parameters: ['bytea'], row: bearerColumns, together: true }, `
    select t.user_id, u.moderator, ${isStaff('u')} as staff, u.teacher, u.publish, t.scope, t.origin, t.projects, t.app_id, ${suspensionOf('u')} as suspension
    ${fromValidToken('$1')} and ${live('u')}`);

/** The user and the scope of a token, by its SHA-256; undefined if the token is unknown, revoked or expired. */
export function findBearer(db: Database, hash: Buffer): Promise<RowOf<typeof bearerColumns> | undefined> {
    return runOne(db, bearer, [hash]);
}

const present = statement({ parameters: ['bytea', 'bigint', 'boolean'], row: { present: 'boolean' } }, 'select writer_present($1, $2, $3) as present');

/** Whether a user still has what they had when their request came: the token, the account, no suspension or pause, and a moderator's rights. */
export const isWriterPresent = async (db: Database, { tokenHash = null, id, moderator }: CurrentUser): Promise<boolean> => (await runAlways(db, present, [tokenHash, id, moderator])).present;

/** Checks that a token still works. @throws 401 if it has ended since the request began, as another password does */
export async function checkStillSignedIn(db: Database, hash: Buffer): Promise<void> {
    if (await findBearer(db, hash) === undefined) {
        throw fault('invalid_token', 'You have been signed out meanwhile.');
    }
}

const account = lookup({ parameters: ['text', 'text'], row: { ...foundColumns, id: 'bigint', deleted: 'boolean' } }, `
    select u.id, u.moderator, ${isStaff('u')} as staff, u.teacher, u.publish, ${gone('u')} as deleted, ${suspensionOf('u')} as suspension ${fromUsers('u.issuer = $1 and u.subject = $2')}`);

/** The account of a subject of another issuer, also if it was deleted; undefined if there is none. */
export function findAccount(db: Database, issuer: string, subject: string): Promise<Found & { id: string; deleted: boolean } | undefined> {
    return runOne(db, account, [issuer, subject]);
}
