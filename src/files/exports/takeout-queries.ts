import { fromProjectsOf, joinLiveProject, joinProject } from '../../projects/fragments';
import { fromUser } from '../../accounts/users/fragments';
import { byLookup, inAllShards } from '../../database/declaration';
import { ownComments } from '../../community/comments/fragments';
import { shows } from '../../community/collections/queries';
import { historyJson, isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { gone, live } from '../../database/statements/deletion';
import { statement } from '../../database/statements/statement';
import type { Statement } from '../../database/statements/statement';
import { accountJson } from '../../api/representations/user';

/** A row of a list of what a user has, in the order of ids; the list is read from an id on. */
export interface OwnedRows {
    id: string;
    json: string;
}

/** Number of rows that are read together. */
const MOST = 100;

export const ownAccount = statement({ parameters: ['bigint'], row: { json: 'text' } }, `select ${accountJson} as json ${fromUser('$1')}`);

/** The ids of a user's projects. */
export const liveProjects: Statement<OwnedRows> = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' }, place: inAllShards({ kind: 'first', count: 100 }) }, `
    select p.id::text as id, '' as json ${fromProjectsOf('$1')} and ${live('p')} and p.id > $2::bigint order by p.id limit ${MOST}`);

/** The ids of those in the trash. */
export const deletedProjects: Statement<OwnedRows> = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' }, place: inAllShards({ kind: 'first', count: 100 }) }, `
    select p.id::text as id, '' as json from trash t ${joinProject('t.thing_id')}
    where t.user_id = $1 and t.type = 'project' and ${gone('p')} and p.id > $2::bigint order by p.id limit ${MOST}`);

/** The projects of others that the user is a member of. */
export const memberships: Statement<OwnedRows> = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' }, place: inAllShards({ kind: 'first', count: 100 }) }, `
    select m.project_id::text as id, ${jsonObject({
        project: jsonObject({ id: plainQuoted('p.id'), title: quoted('p.title') }), role: plainQuoted('m.role'), since: plainQuoted(isoTime('m.since'))
    })} as json
    from project_members m ${joinLiveProject('m.project_id')} and p.held_at is null
    where m.user_id = $1 and m.project_id > $2::bigint order by m.project_id limit ${MOST}`);

/** The user's collections, with the ids of those projects in them that the user may see, in their order. */
export const ownCollections: Statement<OwnedRows> = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' }, place: byLookup }, `
    select c.id::text as id, ${jsonObject({
        id: plainQuoted('c.id'), title: quoted('c.title'), description: quoted('c.description'), visibility: plainQuoted('c.visibility'), projects: `coalesce((
            select json_agg(p.id::text order by i.place) from collection_projects i ${joinProject('i.project_id')} and ${shows('$1')} where i.collection_id = c.id
        )::text, '[]')`, history: historyJson('c')
    })} as json
    from collections c where c.user_id = $1 and c.id > $2::bigint order by c.id limit ${MOST}`);

/** The classes that the user teaches or attends, with the name by which a class knows them. */
export const ownClasses: Statement<OwnedRows> = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' } }, `
    select c.id::text as id, ${jsonObject({
        class: jsonObject({ id: plainQuoted('c.id'), title: quoted('c.title') }), role: plainQuoted('k.role'), name: orNull(quoted('k.name')), since: plainQuoted(isoTime('k.since'))
    })} as json
    from class_people k join classes c on c.id = k.class_id and ${live('c')} where k.user_id = $1 and k.class_id > $2::bigint order by k.class_id limit ${MOST}`);

/** The comments that the user has written and that are not removed. */
export const writtenComments: Statement<OwnedRows> = statement({
    parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' }, place: inAllShards({ kind: 'first', count: 100 })
}, ownComments('$1', '$2::bigint', MOST));

/** The assets that the user has sent. */
export const sentAssets: Statement<OwnedRows> = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' } }, `
    select s.id::text as id, ${jsonObject({ id: plainQuoted('s.hash'), type: plainQuoted('a.type'), size: 's.size', sent_at: plainQuoted(isoTime('s.sent_at')) })} as json
    from sent_assets s join assets a on a.hash = s.hash where s.user_id = $1 and s.id > $2::bigint order by s.id limit ${MOST}`);

/** The hashes of those that are in none of the user's projects. */
export const looseAssets: Statement<OwnedRows> = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' }, place: inAllShards({ kind: 'every', count: 100 }) }, `
    select s.id::text as id, s.hash as json from sent_assets s
    where s.user_id = $1 and s.id > $2::bigint and not exists (select from asset_uses a ${joinProject('a.project_id')} and p.user_id = s.user_id where a.hash = s.hash)
        and not exists (
            select from asset_set_members m join asset_set_uses u on u.set_id = m.set_id ${joinProject('u.project_id')} and p.user_id = s.user_id where m.hash = s.hash)
    order by s.id limit ${MOST}`);
