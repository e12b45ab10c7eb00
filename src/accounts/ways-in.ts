import { fault } from '../api/errors/errors';
import type { Config } from '../config';
import type { Database } from '../database/statements/connection';
import { runAlways, statement } from '../database/statements/statement';

const left = statement({ parameters: ['bigint', 'text[]'], row: { left: 'boolean' } }, `
    select exists (select from users where id = $1 and password_hash is not null) or exists (select from passkeys where user_id = $1)
        or exists (select from identities where user_id = $1 and issuer = any($2)) as left`);

/**
 * Checks that people can still sign in to an account from which a passkey or an identity was removed: with a password, a passkey, or an identity of a
 * provider that signs people in here. Needs the transaction of the removal, which has locked the user before.
 * @throws 409 `last_way_in`
 */
export async function keepWayIn(trx: Database, userId: string, { providers }: Config['signIn']): Promise<void> {
    if (!(await runAlways(trx, left, [userId, providers.map(({ issuer }) => issuer)])).left) {
        throw fault('last_way_in');
    }
}
