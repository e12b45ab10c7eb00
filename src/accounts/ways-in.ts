import { hasIdentity } from './identities/fragments';
import { hasPasskey } from './passkeys/fragments';
import { hasPassword } from './users/fragments';
import { fault } from '../api/errors/errors';
import type { Config } from '../config';
import type { Database } from '../database/statements/connection';
import { runAlways, statement } from '../database/statements/statement';

const left = statement({ parameters: ['bigint', 'text[]'], row: { left: 'boolean' } }, `
    select ${hasPassword('$1')} or ${hasPasskey('$1')} or ${hasIdentity('$1', '$2')} as left`);

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
