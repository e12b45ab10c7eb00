import { inAllShards, writing } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { deletes, live } from '../database/statements/deletion';
import { run, statement } from '../database/statements/statement';
import { NO_APP, counts, updated } from './write-sql';

// In order of id, as every writer of several projects locks them. They share the deletion of their author, and come back with it.
const removeAll = statement({ parameters: ['bigint[]'], place: writing(inAllShards()) }, `
    with found as materialized (select id from projects p where user_id = any($1::bigint[]) and ${live('p')} order by id for no key update)
    ${updated('projects', { author: 'u.id', app: NO_APP, kind: 'edit', counts: counts({ project: 1 }), set: [deletes, 'deletion_id = u.deletion_id'] }, 'from found f, users u where p.id = f.id and u.id = p.user_id')}`);

/** Deletes all projects of users whose accounts are being deleted. */
export async function deleteProjectsOf(db: Database, userIds: readonly string[]): Promise<void> {
    await run(db, removeAll, [userIds]);
}
