import type { Database } from '../db/connection';
import { allowed, rightParameters, rightValues, writerParameters, writerValues } from '../authoring/access';
import type { Writer } from '../authoring/access';
import { pageChain, projectChain } from '../authoring/chain';
import { guardedWrite } from '../authoring/conditional-write';
import type { Made, Outcome } from '../authoring/conditional-write';
import { bytes, countedWeight, growth, isCounted, pageWeight, projectMoves, whenCounted } from '../authoring/sizes';
import { deletes, live } from '../db/deletion';
import { lookup, runOne, statement } from '../db/statement';
import { emptyObject } from '../json/json-text';
import type { JsonText } from '../json/json-text';
import { holds } from '../http/entity-tags';
import { LARGE } from '../limits';
import { pageJson, writtenPageJson } from '../representations/page';

/** SQL for a project's own row, below which a page is made or changed; its lock orders all writers of the project. */
const lockedProject = `select p.id, p.user_id, ${isCounted} as counted ${projectChain} for no key update of p`;

/** SQL that counts a write under a project, given the one row of `written` it goes by: its `project_id`, and by how many bytes the project has `grown`. */
export const projectMoved = (more = ''): string => `project_moved as (
    update projects p set ${projectMoves('1', 'w.grown')} ${more} from written w where p.id = w.project_id)`;

/** What a GET shows, and the entity tag of that state. */
export interface Tagged {
    tag: string;
    /** about how many bytes of JSON text it is */
    weight: number;
    /** JSON text; null if it is too large for one text */
    json: string | null;
}

const allTag = lookup<{ tag: string }>(`select p.revision::text as tag ${projectChain}`);

/** The entity tag of a project's pages. */
export async function findPagesTag(db: Database, userId: string, projectId: string): Promise<string | undefined> {
    const row = await runOne(db, allTag, [userId, projectId]);
    return row?.tag;
}

/** A page of a list that is too large for one text, and about how many bytes of JSON text it is. */
export interface PageSize {
    id: string;
    revision: string;
    weight: number;
}

interface TaggedList extends Tagged {
    /** empty if there is a text */
    pages: PageSize[];
}

const livePages = `from pages g where g.project_id = p.id and ${live('g')}`;
const all = statement<TaggedList>(`
    select p.revision::text as tag, weight, case when weight <= ${LARGE} then coalesce((
        select string_agg(${pageJson('p.user_id')}, ',' order by g.id) ${livePages}
    ), '') end as json, case when weight <= ${LARGE} then '[]' else (
        select json_agg(json_build_object('id', g.id::text, 'revision', g.revision::text, 'weight', ${pageWeight}) order by g.id) ${livePages}
    ) end as pages
    from (select p.*, (select coalesce(sum(${pageWeight}), 0) ${livePages}) as weight ${projectChain} offset 0) p`);

/** JSON texts of a project's pages, in order of creation, with commas between them. */
export function listPages(db: Database, userId: string, projectId: string): Promise<TaggedList | undefined> {
    return runOne(db, all, [userId, projectId]);
}

const oneTag = lookup<{ tag: string }>(`select g.revision::text as tag ${pageChain}`);

/** The entity tag of a page, and of its elements. */
export async function findPageTag(db: Database, userId: string, projectId: string, id: string): Promise<string | undefined> {
    const row = await runOne(db, oneTag, [userId, projectId, id]);
    return row?.tag;
}

const one = statement<Tagged>(`
    select g.revision::text as tag, ${pageWeight} as weight, case when ${pageWeight} <= ${LARGE} then ${pageJson('p.user_id')} end as json ${pageChain}`);

export function findPage(db: Database, userId: string, projectId: string, id: string): Promise<Tagged | undefined> {
    return runOne(db, one, [userId, projectId, id]);
}

const oneWritten = statement<{ json: string }>(`select ${writtenPageJson('p.user_id', pageWeight)} as json ${pageChain}`);

/** JSON text of a page as it is shown after a write. */
export function findWrittenPage(db: Database, userId: string, projectId: string, id: string): Promise<{ json: string } | undefined> {
    return runOne(db, oneWritten, [userId, projectId, id]);
}

export interface NewPage {
    x: number;
    y: number;
    styles?: JsonText;
}

const maker = rightParameters(2);
const insert = statement<Made>(`
    with p as materialized (${lockedProject}),
    written as (
        insert into pages (project_id, x, y, styles, page_bytes) select id, $5, $6, $7, ${bytes('$7::json')} from p where ${allowed('user_id', maker)} and counted
        returning *, page_bytes as grown
    ), ${projectMoved(', page_count = p.page_count + 1')}
    select g.id, ${pageJson('p.user_id', `''`)} as json, not ${allowed('p.user_id', maker)} or p.counted as counted from p left join written g on true`);

/** @throws violations of pages_coordinates_key, projects_page_limit and projects_size_limit */
export function insertPage(db: Database, userId: string, projectId: string, writer: Writer, page: NewPage): Promise<Made | undefined> {
    const { x, y, styles = emptyObject } = page;
    return whenCounted(db, projectId, () => runOne(db, insert, [userId, projectId, ...rightValues(writer), x, y, styles.text]));
}

const by = writerParameters(3);

/**
 * SQL of a write to the page in a path whose ids are $1 to $3, by the writer in $4 to $7. The project has to be locked before.
 * `grown` is by how many bytes the project grows.
 */
const guarded = (set: string, grown: string, moves = ''): string => guardedWrite({
    found: `select g.id, p.user_id, ${grown} as grown ${pageChain}`,
    allowed: allowed('f.user_id', by),
    write: `
        update pages g set ${set}, revision = g.revision + 1, updated_at = now()
        from found f
        where g.id = f.id and ${allowed('f.user_id', by)} and ${holds('g.revision', 'g.revision::text', by)}`,
    returning: ', g.project_id, f.grown',
    json: writtenPageJson('$1::bigint', countedWeight),
    also: [projectMoved(moves)]
});

const update = statement<Outcome>(guarded(
    'x = coalesce($8, g.x), y = coalesce($9, g.y), styles = coalesce($10, g.styles), page_bytes = g.page_bytes + f.grown', growth('g.styles', '$10')));

/**
 * Needs the project's lock, taken before: the answer holds the elements.
 * @throws violations of pages_coordinates_key, pages_size_limit and projects_size_limit
 */
export function updatePage(db: Database, chain: readonly string[], writer: Writer, changes: Partial<NewPage>): Promise<Outcome | undefined> {
    const { x, y, styles } = changes;
    return runOne(db, update, [...chain, ...writerValues(writer), x ?? null, y ?? null, styles?.text ?? null]);
}

const remove = statement<Outcome>(guarded(deletes, '-g.page_bytes', ', page_count = p.page_count - 1'));

/** Needs the project's lock, taken before. The elements go with the page: nothing is answered below it. */
export function deletePage(db: Database, chain: readonly string[], writer: Writer): Promise<Outcome | undefined> {
    return runOne(db, remove, [...chain, ...writerValues(writer)]);
}
