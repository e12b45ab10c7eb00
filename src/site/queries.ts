import { guest, isListed, isOpen } from '../authoring/visibility';
import type { Database } from '../db/connection';
import { live } from '../db/deletion';
import { lookup, run, runOne, statement } from '../db/statement';
import { pageWeight } from '../authoring/sizes';
import { findLineage } from '../lineage/queries';
import { pageJson } from '../representations/page';
import { projectWithStatsJson } from '../representations/project';
import type { PlacedPage, ShownPage, ShownProject, Source } from './shown';

/** Most bytes of JSON text of a page that is shown, and of one that is a picture in a list. */
const MOST_SHOWN = 4 * 1024 * 1024;
const MOST_PICTURED = 32 * 1024;

/** SQL for the first page of the project in the row `p`: the one in the middle of the grid, or else the oldest. */
const first = (columns: string, which = 'true'): string => `
    select ${columns} from pages g where g.project_id = p.id and ${live('g')} and ${which} order by (g.x = 0 and g.y = 0) desc, g.id limit 1`;

const playable = statement<{ project: string; listed: boolean; places: PlacedPage[]; found: string | null; page: string | null }>(`
    select ${projectWithStatsJson} as project, ${isListed('p')} as listed, shown.id::text as found, shown.json as page, (
        select coalesce(json_agg(json_build_object('id', g.id::text, 'x', g.x, 'y', g.y) order by g.y, g.x), '[]') from pages g where g.project_id = p.id and ${live('g')}
    ) as places
    from projects p join users u on u.id = p.user_id and ${live('u')} left join project_stats s on s.project_id = p.id
    left join lateral (${first(`g.id, case when ${pageWeight} <= ${MOST_SHOWN} then ${pageJson('p.user_id')} end as json`, '($2::bigint is null or g.id = $2)')}) shown on true
    where p.id = $1 and ${live('p')} and ${isOpen('p')} and ($2::bigint is null or shown.id is not null)`);

/** A project that everybody may play. */
export interface Playable {
    project: ShownProject;
    /** whether it is in lists, and so may be shown in other sites */
    listed: boolean;
    /** all of its pages, in reading order */
    places: PlacedPage[];
    /** the page asked for; null if there is none */
    page: ShownPage | null;
    /** what it was remixed from, if it was */
    source: Source | undefined;
}

/** @param pageId the page to show; null for the first one */
export async function findPlayable(db: Database, id: string, pageId: string | null): Promise<Playable | undefined> {
    const row = await runOne(db, playable, [id, pageId]);
    if (row === undefined) {
        return undefined;
    }

    const { listed, places } = row;
    const project: ShownProject = JSON.parse(row.project);
    const page: ShownPage | null = row.found === null ? null : row.page === null ? { id: row.found, styles: {}, elements: [], isTooLarge: true } : JSON.parse(row.page);
    return { project, listed, places, page, source: project.remixed_from === null ? undefined : await findSource(db, project) };
}

/** The source of a remix, as far as everybody may know it. */
async function findSource(db: Database, { id, user_id: userId }: ShownProject): Promise<Source | undefined> {
    const lineage = await findLineage(db, [userId, id], guest);
    const [source]: Source[] = JSON.parse(`[${String(Object(lineage).ancestors)}]`);
    return source;
}

const firstPages = statement<{ id: string; json: string }>(`
    /* place: everywhere */
    select p.id::text as id, shown.json from projects p
    cross join lateral (${first(`${pageWeight} as weight, case when ${pageWeight} <= ${MOST_PICTURED} then ${pageJson('p.user_id')} end as json`)}) shown
    where p.id = any($1::bigint[]) and ${isListed('p')} and shown.json is not null`);

/** The first pages of projects, by the ids of the projects, without those that are too large for a list. */
export async function findFirstPages(db: Database, ids: readonly string[]): Promise<Map<string, ShownPage>> {
    const rows = ids.length === 0 ? [] : await run(db, firstPages, [ids]);
    return new Map(rows.map(({ id, json }) => [id, JSON.parse(json)]));
}

const person = lookup<{ id: string; username: string }>(`select u.id::text as id, u.username from users u where lower(u.username) = lower($1) and ${live('u')}`);

/** A user by name, without regard to case. */
export const findPerson = (db: Database, username: string): Promise<{ id: string; username: string } | undefined> => runOne(db, person, [username]);

const titled = lookup<{ username: string }>(`select u.username from users u where u.id = $1 and ${live('u')}`);

/** The name of a user. */
export const findUsername = async (db: Database, id: string): Promise<string | undefined> => (await runOne(db, titled, [id]))?.username;
