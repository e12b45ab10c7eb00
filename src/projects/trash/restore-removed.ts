import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import type { CurrentUser } from '../../api/request/caller';
import type { ThingType } from '../../api/representations/things';
import { find, restoreEntry } from './queries';

const removedEntry = statement({
    parameters: ['bigint', 'thing', 'bigint'], row: { id: 'text' }, place: inProject(1)
}, 'select id::text as id from trash where project_id = $1 and type = $2 and thing_id = $3 and moderated');
const giveBack = statement({
    parameters: ['bigint', 'bigint'], place: writing(inProject(1))
}, 'update trash set moderated = false where project_id = $1 and id = $2');
const freePlace = statement({ parameters: ['bigint', 'bigint'], row: { x: 'integer?', y: 'integer?' }, place: inProject(1) }, `
    select (select max(o.x) + 1 from pages o where o.project_id = $1 and o.y = g.y and ${live('o')}) as x, g.y from pages g
    where g.project_id = $1 and g.id = $2 and exists (select from pages o
        where o.project_id = $1 and o.x = g.x and o.y = g.y and ${live('o')})`);

/** Something that a moderator removed. */
interface Removed {
    /** the owner of the project */
    userId: string;
    projectId: string;
    type: ThingType;
    thingId: string;
    days: number;
}

/**
 * Takes back that a moderator removed something. The project is locked. A page whose place is taken goes to the end of its row; what cannot
 * come back, as what it was in is removed, is its owner's to restore; what was deleted for good stays so.
 */
export async function restoreRemoved(
    trx: Database, { userId, projectId, type, thingId, days }: Removed, caller: CurrentUser
): Promise<void> {
    const removed = await runOne(trx, removedEntry, [projectId, type, thingId]);
    if (removed === undefined) {
        return;
    }

    const place = { userId, entry: removed.id, days };
    const { project_gone: projectGone, page_gone: pageGone } = await runOne(trx, find, [userId, days, removed.id]) ?? { project_gone: true, page_gone: true };
    if ((type !== 'project' && projectGone) || pageGone) {
        await run(trx, giveBack, [projectId, removed.id]);
        return;
    }

    const free = type === 'page' ? await runOne(trx, freePlace, [projectId, thingId]) : undefined;
    await restoreEntry(trx, place, caller, { x: free?.x ?? undefined, y: free?.y ?? undefined });
}
