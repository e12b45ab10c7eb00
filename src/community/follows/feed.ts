import { listRowColumns } from '../../api/request/pagination';
import type { ListPlace, ListRow } from '../../api/request/pagination';
import type { Database } from '../../database/statements/connection';
import { runAlways, statement } from '../../database/statements/statement';
import { fromProjects } from '../../projects/fragments';
import { inPages, listPage, newestWithin } from '../../projects/lists';
import { isListed } from '../../rules/visibility';
import { fromFollowedBy } from './fragments';

/** As the text of an array, which is sent back as it is. */
const followed = statement({ parameters: ['bigint'], row: { ids: 'text' } }, `select coalesce(array_agg(k.followed_id), '{}')::text as ids ${fromFollowedBy('$1')}`);

/** SQL for the first rows of what a user has listed, in the order of the index `projects_listed_user_newest_idx`. */
const newestOf = (user: string, most: string): string => `
    select p.id as project_id, p.created_at
    ${fromProjects(isListed('p'))} and ${newestWithin('p.user_id', user, 'p.created_at', 'p.id', undefined, most)}`;

/*
 * Of each whom one follows, the newest project is looked up, in the index alone. A page of n projects is by n of them at
 * most: those whose newest are the newest. Only of these, more is read. So it is one step in the index for each, whatever
 * they have made.
 */
const types = ['timestamp with time zone', 'bigint', 'integer', 'bigint[]'];
const feed = statement({ parameters: types, row: listRowColumns, place: inPages }, listPage(`
    select q.project_id, 0 as rank, q.created_at from newest n cross join lateral (${newestOf('n.id', '$3::int + 1')}) q
    order by q.created_at desc, q.project_id desc limit $3::int + 1`, '', undefined, `
    newest as materialized (
        select f.id from unnest($4::bigint[]) f (id) cross join lateral (${newestOf('f.id', '1')}) q
        order by q.created_at desc, q.project_id desc limit $3::int + 1
    ),`));

/** A page of the public projects of those whom a user follows, newest first. It ends at so many or so many bytes. */
export async function listFeed(db: Database, userId: string, { before, beforeId, count }: ListPlace): Promise<ListRow> {
    const { ids } = await runAlways(db, followed, [userId]);
    return runAlways(db, feed, [before, beforeId, count, ids]);
}
