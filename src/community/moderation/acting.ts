import type { Request } from '@hapi/hapi';

import { fromUser } from '../../accounts/users/fragments';
import { forbidden } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import type { CurrentUser } from '../../api/request/caller';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { runOne, statement } from '../../database/statements/statement';

const moderatorNeeded = (): Error => forbidden('Only moderators can do this.');

/** The caller. It is checked before anything is looked up, so that others cannot find out what exists. @throws 403 if the caller is not a moderator */
export function moderatorOf(request: Pick<Request, 'auth'>): CurrentUser {
    const caller = currentUser(request);
    if (!caller.moderator) {
        throw moderatorNeeded();
    }

    return caller;
}

const stay = statement({ parameters: ['bigint'], row: { id: 'bigint' } }, `select u.id ${fromUser('$1')} and u.moderator and ${live('u')} for share`);

/** Keeps somebody a moderator until the transaction ends: whoever takes that away waits. It comes before all other locks. @throws 403 if they are none any more */
export async function stayModerator(trx: Database, id: string): Promise<void> {
    if (await runOne(trx, stay, [id]) === undefined) {
        throw moderatorNeeded();
    }
}
