import { fromTaughtWorks, hasHandedIn, isHandedIn, joinPoints, withdrawsWorks } from '../classes/works/fragments';
import { fault } from '../api/errors/errors';
import type { ThingType } from '../api/representations/things';
import { inProject } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import type { Read } from '../database/statements/snapshot';
import { run, runAlways, statement } from '../database/statements/statement';

/*
 * Points of histories that pupils have handed in (classes/works/schema.sql). As long as the class exists, they cannot take them out of the history, and the teachers of the class read
 * them, also if the project is deleted; but not if moderators hold or removed it.
 */

/** SQL for whether the page or element $3, of the project $1, was there at a point that was handed in. */
const wasThere = (table: 'pages' | 'elements'): string => `exists (
    select from ${table} t ${joinPoints('$1')}
    where t.id = $3 and t.project_id = $1 and t.created_revision <= h.at and t.project_revision > h.at)`;

const thing = statement({ parameters: ['bigint', 'text', 'bigint'], row: { found: 'boolean' }, place: inProject(1) }, `
    select case $2 when 'project' then ${hasHandedIn('$1')} when 'page' then ${wasThere('pages')} else ${wasThere('elements')} end as found`);

/** Refuses to delete something for good that was handed in. The project is locked. @throws 409 `handed_in` */
export async function refuseThingHandedIn(trx: Database, project: string, type: ThingType, id: string): Promise<void> {
    if ((await runAlways(trx, thing, [project, type, id])).found) {
        throw fault('handed_in', 'This is in what was handed in to a class, so it cannot be deleted for good while the class exists.');
    }
}

const point = statement({ parameters: ['bigint', 'integer'], row: { found: 'boolean' }, place: inProject(1) }, `
    select ${isHandedIn('$1', '$2')} as found`);

/** Refuses to take the label from a point that was handed in. The project is locked. @throws 409 `handed_in` */
export async function refusePointHandedIn(trx: Database, project: string, revision: number): Promise<void> {
    if ((await runAlways(trx, point, [project, revision])).found) {
        throw fault('handed_in', 'This point was handed in to a class, so it keeps its name while the class exists. It can get another name.');
    }
}

const withdraw = statement({ parameters: ['bigint'] }, withdrawsWorks('$1'));

/** Says of the works of a project that it is gone for good. */
export const withdrawWorks = (trx: Database, project: string): Promise<unknown> => run(trx, withdraw, [project]);

/** A teacher, perhaps, who asks for a point. */
export interface AskingTeacher {
    id: string;
    /** `TEACHERS=open` */
    everybody: boolean;
}

const teaches = statement({ parameters: ['bigint', 'bigint', 'bigint', 'bigint', 'boolean'], row: { id: 'bigint' } }, `
    select w.id ${fromTaughtWorks('$4', '$5::boolean')}
    where w.user_id = $1 and w.project_id = $2 and $3::bigint = any(w.points) limit 1`);

const pointColumns = {
    revision: 'integer',
    /** when it was reached, as PostgreSQL reads it */
    at: 'text',
    incomplete: 'boolean'
} as const;
export type HandedInPoint = RowOf<typeof pointColumns>;

const reached = statement({ parameters: ['bigint', 'bigint', 'bigint'], row: pointColumns, place: inProject(2) }, `
    select h.revision, h.at::text as at, exists (select from history_gaps s where s.project_id = p.id and s.from_revision <= h.revision and s.to_revision > h.revision) as incomplete
    from projects p join project_changes h on h.project_id = p.id and h.revision = $3::bigint
    where p.user_id = $1 and p.id = $2 and p.held_at is null and not exists (select from trash t where t.type = 'project' and t.thing_id = p.id and t.moderated)`);

/** A point that was handed in to a class that the caller teaches; undefined if it is none. */
export async function findHandedIn(read: Read, [user, project]: readonly [user: string, project: string], revision: string, { id, everybody }: AskingTeacher): Promise<HandedInPoint | undefined> {
    const [taught] = await read(teaches, [user, project, revision, id, everybody]);
    const [found] = taught === undefined ? [] : await read(reached, [user, project, revision]);
    return found;
}
