import type { Pool } from 'pg';

import { special, tags } from './fill';
import { richRange } from './store';

/** Paths that scenarios request: many of each, so that not only one row or page is read. */
export interface Subjects {
    /** /users/{user}/projects/{project}, at random */
    projects: string[];
    /** /projects/{project}, the same ones */
    byId: string[];
    /** the same ones for the yardstick */
    yardstick: string[];
    /** the 20 pages, of 10 elements each, of one project */
    pages: string[];
    /** pages of 10 elements of very many projects, in order */
    manyPages: string[];
    /** all pages, 20×10, of one project, and of many in order */
    project: string;
    manyProjects: string[];
    /** elements of one author, each of another project */
    elements: string[];
    /** one tag's list: its first page, pages from cursors near it, page 5,000, pages from cursors near that */
    first: string;
    nearFirst: string[];
    deep: string;
    nearDeep: string[];
    /** which page `deep` is */
    deepPage: number;
}

/** Number of different requests of a kind: more than the service handles in a second, for which it caches a list. */
export const MANY = 20_000;

/** The page number of the deep list, or the last page if there are fewer. */
const DEEP = 5000;

export const cursorOf = (place: { ms: string; id: string }, rank = 0): string => Buffer.from(`${rank}.${place.ms}.${place.id}`).toString('base64url');

export const taggedPath = (after?: string): string => `/projects/tagged/${tags.common}?count=10${after === undefined ? '' : `&after=${after}`}`;

/** Cursors of places in the list of the tag that is on every project, from an offset on. */
export async function tagCursors(sql: Pool, offset: number, limit: number): Promise<string[]> {
    const { rows } = await sql.query<{ ms: string; id: string }>(`
        select (extract(epoch from created_at) * 1000)::bigint as ms, project_id as id from project_tags
        where hashtextextended(tag, 0) = hashtextextended($1, 0) and tag = $1
        order by created_at desc, project_id desc offset $2 limit $3`, [tags.common, offset, limit]);
    return rows.map((row) => cursorOf(row));
}

interface Chain {
    user: string;
    project: string;
    page: string;
    element: string;
}

const projectPath = ({ user, project }: Pick<Chain, 'user' | 'project'>): string => `/users/${user}/projects/${project}`;
const pagePath = (chain: Omit<Chain, 'element'>): string => `${projectPath(chain)}/pages/${chain.page}`;

export async function findSubjects(sql: Pool, projects: number): Promise<Subjects> {
    const [firstRich, lastRich] = richRange(projects);
    const { rows: random } = await sql.query<Chain>(`
        select p.user_id as user, p.id as project
        from (select distinct 1 + floor(random() * $1)::bigint as id from generate_series(1, ${MANY})) r join projects p using (id)
        order by random()`, [projects]);
    const pagesOf = async (first: number, last: number): Promise<Chain[]> => {
        const { rows } = await sql.query<Chain>(`
            select p.user_id as user, p.id as project, g.id as page from projects p join pages g on g.project_id = p.id
            where p.id between $1 and $2 order by g.id`, [first, last]);
        return rows;
    };

    const { rows: elements } = await sql.query<Chain>(`
        select p.user_id as user, p.id as project, g.id as page, e.id as element
        from projects p join pages g on g.project_id = p.id join elements e on e.page_id = g.id
        where p.user_id = $1 and p.id > $2 and p.id <= $3 order by random() limit 5000`, [special.user, lastRich, projects]);
    const rich = await pagesOf(firstRich, lastRich);
    const one = await pagesOf(Number(special.pages), Number(special.pages));

    // A reader gets to page n with the cursor of the last project on the page before.
    const deepPage = Math.min(DEEP, Math.floor(projects / 10) - 1);
    const place = (deepPage - 1) * 10 - 1;
    const [deep = ''] = await tagCursors(sql, place, 1);
    const near = async (offset: number): Promise<string[]> => (await tagCursors(sql, offset, MANY)).map((cursor) => taggedPath(cursor));
    return {
        projects: random.map(projectPath),
        byId: random.map(({ project }) => `/projects/${project}`),
        yardstick: random.map(({ project }) => `/projects/${project}`),
        pages: one.map(pagePath),
        manyPages: rich.map(pagePath),
        project: `${projectPath({ user: special.user, project: special.pages })}/pages`,
        manyProjects: [...new Set(rich.map((chain) => `${projectPath(chain)}/pages`))],
        elements: elements.map((chain) => `${pagePath(chain)}/elements/${chain.element}`),
        first: taggedPath(),
        nearFirst: await near(0),
        deep: taggedPath(deep),
        nearDeep: await near(Math.max(0, place - MANY / 2)),
        deepPage
    };
}
