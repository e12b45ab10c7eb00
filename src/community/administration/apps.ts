import { deleteApps, fromApps, updateApps } from '../../accounts/apps/fragments';
import { joinUser } from '../../accounts/users/fragments';
import { trustedAppJson } from '../../api/representations/app';
import type { Database } from '../../database/statements/connection';
import { runOne, statement } from '../../database/statements/statement';
import { existing } from '../../rules/existing';
import { newestList, noteAct } from './log';
import { act } from './staff';
import type { Acting } from './staff';

/** All apps, newest first. */
export const listApps = newestList(`select a.* ${fromApps('true')}`, 'a', `(select ${trustedAppJson} from (select) one left ${joinUser('a.user_id')})`);

const changedApp = { name: 'text', json: 'text' } as const;
const trust = statement({ parameters: ['bigint', 'boolean'], row: changedApp }, `
    with a as (${updateApps('trusted = $2')} where a.id = $1 returning *) select a.name, ${trustedAppJson} as json from a left ${joinUser('a.user_id')}`);

/** Trusts an app, so that people who have let it in are not asked again, or no longer. @returns its JSON text @throws 404 if there is none */
export const trustApp = (db: Database, acting: Acting, id: string, trusted: boolean): Promise<string> => act(db, acting, null, async (trx) => {
    const app = existing(await runOne(trx, trust, [id, trusted]), 'app');
    await noteAct(trx, acting, { act: trusted ? 'trust_app' : 'distrust_app', type: 'app', id, name: app.name });
    return app.json;
});

const remove = statement({ parameters: ['bigint'], row: changedApp }, `
    with a as (${deleteApps} where a.id = $1 returning *) select a.name, ${trustedAppJson} as json from a left ${joinUser('a.user_id')}`);

/** Deletes an app: all of its tokens end at once, for everybody. @returns its JSON text @throws 404 if there is none */
export const deleteApp = (db: Database, acting: Acting, id: string): Promise<string> => act(db, acting, null, async (trx) => {
    const app = existing(await runOne(trx, remove, [id]), 'app');
    await noteAct(trx, acting, { act: 'delete_app', type: 'app', id, name: app.name });
    return app.json;
});
