import { joinProject, updateProjects } from '../../projects/fragments';
import { inEachProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';

const forget = statement({
    parameters: ['bigint[]'], place: writing(inEachProject(1))
}, 'delete from made_thumbnails where project_id = any($1::bigint[])');
const take = statement({ parameters: ['bigint[]'], row: { hash: 'text?' }, place: writing(inEachProject(1)) }, `
    with old as materialized (
        select p.id, p.made_thumbnail as hash from unnest($1::bigint[]) as w (id) ${joinProject('w.id')}
            where p.made_thumbnail is not null order by p.id for no key update of p
    ), doubted as (insert into asset_doubts (project_id) select id from old on conflict do nothing)
    ${updateProjects('made_thumbnail = null')} from old where p.id = old.id returning old.hash`);
// It ends the lease of whoever draws: that would note that it is further than this.
const again = statement({ parameters: ['bigint[]'] }, `
    update thumbnail_progress t set claimed_until = now() - interval '1 second', filled_to = least(t.filled_to, (select min(w.id) - 1 from unnest($1::bigint[]) as w (id)))`);

/** Has the thumbnails of projects made again. Needs a transaction. @returns the SHA-256 of those that the service made */
export async function redrawThumbnails(trx: Database, projects: readonly string[]): Promise<string[]> {
    if (projects.length === 0) {
        return [];
    }

    const made = await run(trx, take, [projects]);
    await run(trx, forget, [projects]);
    await run(trx, again, [projects]);
    return made.flatMap(({ hash }) => hash ?? []);
}
