import type { Knex } from 'knex';

import type { Author } from './author';
import { Dice } from '../../test/support/dice';
import type { Load } from './load';
import { differences, projectModel } from './model';
import type { ElementShown, PageShown, ProjectModel, ProjectShown } from './model';

/** How much a check has compared, so that an empty check is not taken for a success. */
export interface Checked {
    marks: number;
    projects: number;
    pages: number;
    elements: number;
    remixes: number;
    /** points of histories that read as they did right then */
    points: number;
}

/** The most findings of one kind that are reported. */
const MOST = 10;

/**
 * Compares what was acknowledged with what is stored, over SQL and over the API, while nobody writes. Differences are
 * added to the findings in the load's journal.
 */
export async function check(load: Load, db: Knex): Promise<Checked> {
    const { journal } = load;
    const tell = (found: string[]): void => found.slice(0, MOST).forEach((words) => journal.find(words));
    tell(await checkMarks(load, db));
    tell(await checkRemixes(load, db));
    tell(await checkRaces(load));
    tell(await checkViews(load, db));
    tell(await checkRules(load, db));
    tell(await load.histories?.check(new Dice(0)) ?? []);
    const checked: Checked = { marks: journal.born.size, projects: 0, pages: 0, elements: 0, remixes: 0, points: load.histories?.points.size ?? 0 };
    for (const author of load.authors) {
        tell(await checkAuthor(load, author, db));
        for (const { pages } of [author.source, ...author.projects.values()]) {
            checked.projects++;
            checked.pages += pages.size;
            pages.forEach(({ elements }) => {
                checked.elements += elements.size;
            });
        }

        checked.remixes += journal.remixes.get(author.source.id)?.size ?? 0;
    }

    return checked;
}

async function rowsOf<Row>(db: Knex, sql: string, values: readonly (string | number | string[])[] = []): Promise<Row[]> {
    const { rows } = await db.raw<{ rows: Row[] }>(sql, values);
    return rows;
}

/** How many rows of the load's authors carry each mark, also deleted ones. */
async function storedMarks({ journal }: Load, db: Knex): Promise<Map<string, number>> {
    const rows = await rowsOf<{ mark: string; rows: number }>(db, `
        with theirs as (select p.* from projects p join users u on u.id = p.user_id where u.username = any(?) and p.remixed_from is null)
        select mark, count(*)::int as rows from (
            select description as mark from theirs
            union all select g.styles ->> 'born' from pages g join theirs p on p.id = g.project_id
            union all select e.styles ->> 'born' from elements e join pages g on g.id = e.page_id join theirs p on p.id = g.project_id
        ) made where mark is not null group by mark`, [[...journal.usernames]]);
    return new Map(rows.map(({ mark, rows: n }) => [mark, n]));
}

/** Everything that was created is stored once and completely, deleted or not; nothing else is. */
async function checkMarks(load: Load, db: Knex): Promise<string[]> {
    const stored = await storedMarks(load, db);
    const found: string[] = [];
    for (const [mark, { kind, rows, done, acknowledged }] of load.journal.born) {
        const there = stored.get(mark) ?? 0;
        const meant = done ? rows : 0;
        if (there !== meant) {
            found.push(`${acknowledged ? 'acknowledged' : 'unacknowledged'} ${kind} ${mark}: ${there} of ${rows} rows are there, and should be ${meant}: ${wordFor(there, rows, done)}`);
        }

        stored.delete(mark);
    }

    return [...found, ...[...stored].map(([mark, rows]) => `${rows} rows of ${mark} are there, which nobody has made`)];
}

/**
 * Like `check`, for a database restored to some moment after all of `before` was acknowledged: all of that is stored, and
 * each later write is stored completely or not at all.
 */
export async function checkEarlier(load: Load, db: Knex, before: ReadonlySet<string>): Promise<void> {
    const stored = await storedMarks(load, db);
    const found: string[] = [];
    for (const [mark, { kind, rows }] of load.journal.born) {
        const there = stored.get(mark) ?? 0;
        if (there !== rows && (there > 0 || before.has(mark))) {
            found.push(`${kind} ${mark}: ${there} of ${rows} rows are there`);
        }
    }

    found.slice(0, MOST).forEach((words) => load.journal.find(words));
}

function wordFor(there: number, rows: number, done: boolean): string {
    if (there > rows) {
        return 'done more than once';
    }

    if (there === 0) {
        return 'lost';
    }

    return there < rows ? 'half done' : done ? 'whole' : 'done, though it was not';
}

/** Each acknowledged remix is stored and no other; each is complete, and its links lead into itself. */
async function checkRemixes({ journal, authors }: Load, db: Knex): Promise<string[]> {
    const sources = authors.map(({ source }) => source.id);
    const rows = await rowsOf<{ id: string; source: string; pages: number; elements: number; counted: number; astray: number }>(db, `
        select p.id, p.remixed_from as source,
            (select count(*)::int from pages g where g.project_id = p.id) as pages,
            (select count(*)::int from pages g join elements e on e.page_id = g.id where g.project_id = p.id) as elements,
            (select coalesce(sum(element_count), 0)::int from pages g where g.project_id = p.id) as counted,
            (select count(*)::int from pages g join elements e on e.page_id = g.id where g.project_id = p.id and e.type = 'link' and (
                e.attributes ->> 'targetProjectId' is distinct from p.id::text
                or not exists (select from pages t where t.project_id = p.id and t.id::text = e.attributes ->> 'targetPageId'))) as astray
        from projects p where p.remixed_from = any(?::bigint[])`, [sources]);
    const found: string[] = [];
    for (const { source } of authors) {
        const pages = source.pages.size;
        const elements = [...source.pages.values()].reduce((sum, page) => sum + page.elements.size, 0);
        const there = rows.filter((row) => row.source === source.id);
        const known = journal.remixes.get(source.id) ?? new Set();
        const ids = new Set(there.map(({ id }) => id));
        found.push(...[...known].filter((id) => !ids.has(id)).map((id) => `remix ${id} of project ${source.id} is lost`));
        found.push(...there.filter(({ id }) => !known.has(id)).map(({ id }) => `remix ${id} of project ${source.id} is there, though it was not made, or twice`));
        found.push(...there.filter((row) => row.pages !== pages || row.elements !== elements || row.counted !== elements || row.astray > 0).map((row) => {
            return `remix ${row.id} is half done: ${JSON.stringify(row)}, and its source has ${pages} pages, ${elements} elements`;
        }));
    }

    return found;
}

/** Things that several authors wrote at once have counted every acknowledged write, and no more than were sent. */
async function checkRaces(load: Load): Promise<string[]> {
    const found: string[] = [];
    for (const { path, name, first, revisions, highest, lost } of load.commons?.things ?? []) {
        const { body } = await load.read(path, new Dice(0));
        const { revision } = body[name];
        const least = first + revisions.size;
        if (revision < highest || revision < least || revision > least + lost) {
            found.push(`${path} is at revision ${revision}: acknowledged were ${revisions.size} edits up to ${highest}, and ${lost} have no answer`);
        }
    }

    return found;
}

async function checkViews({ authors }: Load, db: Knex): Promise<string[]> {
    const rows = await rowsOf<{ id: string; views: number; viewers: number }>(db, `
        select p.id, coalesce(s.views, 0)::int as views, (select count(*)::int from project_views v where v.project_id = p.id) as viewers
        from projects p left join project_stats s on s.project_id = p.id where p.id = any(?::bigint[])`, [authors.map(({ source }) => source.id)]);
    return authors.flatMap(({ source, views: { acknowledged, lost } }) => {
        const row = rows.find(({ id }) => id === source.id);
        return row !== undefined && row.views === row.viewers && row.views >= acknowledged && row.views <= acknowledged + lost
            ? [] : [`project ${source.id} has ${JSON.stringify(row)}: acknowledged were ${acknowledged} views, and ${lost} have no answer`];
    });
}

/** Constraints of the schema, which only a broken index or transaction could violate. */
async function checkRules({ journal }: Load, db: Knex): Promise<string[]> {
    const rules: [string, string][] = [
        ['two live pages at one place', 'select project_id, x, y from pages where deleted_at is null group by 1, 2, 3 having count(*) > 1'],
        ['one name twice', 'select lower(username) from users group by 1 having count(*) > 1'],
        ['a project that miscounts its pages', `select p.id, p.page_count from projects p
            where page_count <> (select count(*) from pages g where g.project_id = p.id and g.deleted_at is null)`],
        ['a page that miscounts its elements', `select g.id, g.element_count from pages g
            where element_count <> (select count(*) from elements e where e.page_id = g.id and e.deleted_at is null)`],
        ['a project that miscounts its remixes', `select s.project_id, s.remixes from project_stats s
            where remixes <> (select count(*) from projects p where p.remixed_from = s.project_id and p.deleted_at is null)`],
        ['a gap between changes', `select project_id, from_revision, revision, before from (
            select c.*, lag(revision, 1, 0) over (partition by project_id order by revision) as before from project_changes c) chain where from_revision <> before`],
        ['a last change that is not the present', `select p.id, p.revision from projects p
            where p.revision <> (select max(c.revision) from project_changes c where c.project_id = p.id)`],
        ['an answer kept twice', 'select id from idempotency_keys group by 1 having count(*) > 1']
    ];
    const found: string[] = [];
    for (const [rule, sql] of rules) {
        found.push(...(await rowsOf(db, sql)).map((row) => `${rule}: ${JSON.stringify(row)}`));
    }

    const names = new Set((await rowsOf<{ username: string }>(db, 'select username from users')).map(({ username }) => username));
    return [...found, ...[...journal.usernames].filter((name) => !names.has(name)).map((name) => `the account ${name} is lost`)];
}

/** What is stored and shown of an author is exactly what the author knows; nothing deleted is shown. */
async function checkAuthor(load: Load, author: Author, db: Knex): Promise<string[]> {
    const dice = new Dice(0);
    const found: string[] = [];
    const stored = await projectsOf(db, author.id);
    const known = [author.source, ...author.projects.values()];
    const ids = new Set(known.map(({ id }) => id));
    found.push(...[...stored.keys()].filter((id) => !ids.has(id)).map((id) => `project ${id} is there, though nobody made it or it was deleted`));
    for (const project of known) {
        const there = stored.get(project.id);
        found.push(...there ? differences(project, there) : [`project ${project.id} is lost`]);
        const [told, pages] = await Promise.all([load.read(author.pathOf(project), dice), load.read(`${author.pathOf(project)}/pages`, dice)]);
        found.push(...told.status === 200 && pages.status === 200
            ? differences(project, projectModel(told.body.project, pages.body.pages)).map((words) => `shown: ${words}`)
            : [`project ${project.id} is answered ${told.status}`]);
    }

    for (const path of author.deleted) {
        const { status } = await load.read(path, dice);
        found.push(...status === 404 ? [] : [`${path} was deleted, and is answered ${status}`]);
    }

    return found;
}

/** An author's stored projects by id, without remixes and without deleted ones. */
async function projectsOf(db: Knex, userId: string): Promise<Map<string, ProjectModel>> {
    const live = `projects p where p.user_id = ? and p.remixed_from is null and p.deleted_at is null`;
    const projects = await rowsOf<ProjectShown>(db, `select id, user_id, title, description, remixed_from, revision from ${live}`, [userId]);
    const pages = await rowsOf<PageShown & { project_id: string }>(db, `
        select g.* from pages g where g.deleted_at is null and g.project_id in (select id from ${live}) order by g.id`, [userId]);
    const elements = await rowsOf<ElementShown & { page_id: string }>(db, `
        select e.* from elements e join pages g on g.id = e.page_id
        where e.deleted_at is null and g.deleted_at is null and g.project_id in (select id from ${live}) order by e.id`, [userId]);
    const within = pages.map((page) => ({ ...page, elements: elements.filter(({ page_id: id }) => id === page.id) }));
    return new Map(projects.map((project) => [project.id, projectModel(project, within.filter(({ project_id: id }) => id === project.id))]));
}
