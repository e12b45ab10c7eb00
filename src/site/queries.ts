import { projectSample } from './shown-lists';
import { parseLike } from '../database/samples';
import { fromPages } from '../projects/pages/fragments';
import { fromProjects, fromProjectsWithAuthor, joinStats } from '../projects/fragments';
import { fromActiveUser, fromActiveUserNamed } from '../accounts/users/fragments';
import { hasPage } from '../community/people';
import { byLookup, inProject, known } from '../database/declaration';
import { guest, isListed, isOpen } from '../rules/visibility';
import type { Database } from '../database/statements/connection';
import { live } from '../database/statements/deletion';
import { lookup, runOne, statement } from '../database/statements/statement';
import { pageWeight } from '../rules/sizes';
import { findLineage } from '../projects/lineage/queries';
import { pageJson } from '../api/representations/page';
import { projectWithStatsJson } from '../api/representations/project';
import { usernameKey } from '../api/representations/username';
import type { PageOnGrid, ShownPage, ShownProject, RemixSource } from './shown';

/**
 * Most bytes of JSON text of a page that is part of the HTML: at worst, each becomes five, and HTML has at most 512 KiB. What is larger comes by script,
 * up to what a browser can well show.
 */
const MAX_IN_HTML = 80 * 1024;
const MAX_SHOWN = 4 * 1024 * 1024;

/** SQL for the first page of the project in the row `p`, or the one in $2: that in the middle of the grid, or else the oldest. */
const chosen = (columns: string): string => `
    select ${columns} ${fromPages} and ($2::bigint is null or g.id = $2) order by (g.x = 0 and g.y = 0) desc, g.id limit 1`;

/** SQL for the project in $1, if everybody may play it. */
const open = `${fromProjectsWithAuthor} and ${live('u')} left ${joinStats}`;
const mayPlay = `p.id = $1 and ${live('p')} and ${isOpen('p')}`;

const playable = lookup({ parameters: ['bigint', 'bigint'], row: { project: 'text', listed: 'boolean', page: 'text?' }, place: inProject(1) }, `
    select ${projectWithStatsJson} as project, ${isListed('p')} as listed, shown.id::text as page
    ${open} left join lateral (${chosen('g.id')}) shown on true
    where ${mayPlay} and ($2::bigint is null or shown.id is not null)`);

/** A project that everybody may play. */
export interface Playable {
    project: ShownProject;
    /** whether it is in lists, and so may be shown in other sites */
    listed: boolean;
    /** id of the page asked for; null if there is none */
    page: string | null;
    /** what it was remixed from, if it was */
    source: RemixSource | undefined;
}

/** The facts of a project besides its pages. Its revision says whether they have changed. @param pageId the page to show; null for the first one */
export async function findPlayable(db: Database, id: string, pageId: string | null): Promise<Playable | undefined> {
    const row = await runOne(db, playable, [id, pageId]);
    if (row === undefined) {
        return undefined;
    }

    const project = parseLike<ShownProject>(row.project, projectSample);
    return { ...row, project, source: project.remixed_from === null ? undefined : await findSource(db, project) };
}

/** The source of a remix, as far as everybody may know it. */
async function findSource(db: Database, { id, user_id: userId }: ShownProject): Promise<RemixSource | undefined> {
    const lineage = await findLineage(db, [userId, id], guest);
    const [source] = parseLike<RemixSource[]>(`[${lineage?.ancestors}]`, [{ available: true }]);
    return source;
}

const contents = statement({ parameters: ['bigint', 'bigint'], row: { places: known<PageOnGrid[]>('json', [{ id: '1', x: 1, y: 1 }]), id: 'text?', weight: 'double precision?', page: 'text?' }, place: inProject(1) }, `
    select shown.id::text as id, shown.weight, shown.json as page, (
        select coalesce(json_agg(json_build_object('id', g.id::text, 'x', g.x, 'y', g.y) order by g.y, g.x), '[]') ${fromPages}
    ) as places
    from (select p.id, p.user_id ${fromProjects(mayPlay)}) p
    left join lateral (${chosen(`g.id, ${pageWeight} as weight, case when ${pageWeight} <= ${MAX_IN_HTML} then ${pageJson('p.user_id')} end as json`)}) shown on true
    where $2::bigint is null or shown.id is not null`);

/** The content of a page of a project, and the places of its pages. */
export interface PageContents {
    /** all pages, in reading order */
    places: readonly PageOnGrid[];
    /** null if there is none */
    shown: ShownPage | null;
}

/** @param pageId null if the project has no pages */
export async function findContents(db: Database, id: string, pageId: string | null): Promise<PageContents | undefined> {
    const row = await runOne(db, contents, [id, pageId]);
    if (row === undefined) {
        return undefined;
    }

    const { places, id: found, weight, page } = row;
    return { places, shown: page !== null ? parseLike<ShownPage>(page, { id: '', elements: [{ id: '', type: '' }] }) : found === null ? null : { id: found, styles: {}, elements: [], missing: Number(weight) > MAX_SHOWN ? 'too large' : 'for a script' } };
}

const person = lookup({ parameters: ['text'], row: { id: 'text', username: 'text', about: 'text' }, place: byLookup }, `
    select u.id::text as id, u.username, u.about
    ${fromActiveUserNamed('$1')} and ${hasPage}`);

/** A user by name, whatever its case. An account that a class manages is there only once a project of it is public: its name is what a child signs in with. */
export const findPerson = (db: Database, username: string): Promise<{ id: string; username: string; about: string } | undefined> => runOne(db, person, [usernameKey(username)]);

const titled = lookup({ parameters: ['bigint'], row: { username: 'text' } }, `select u.username ${fromActiveUser('$1')}`);

/** The name of a user. */
export const findUsername = async (db: Database, id: string): Promise<string | undefined> => (await runOne(db, titled, [id]))?.username;
