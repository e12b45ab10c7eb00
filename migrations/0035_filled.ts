import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

/** Milliseconds after which rows are tried again that somebody was writing to. */
const RETRY = 20;

/*
 * Gives the rows of older releases what they lack: the first change of a project, the revisions at which a page and an element were made and last changed, the
 * project of an element, and the sizes. From here on every row has them, and the code has one case.
 */

/** Replaces a function of migration 0029. @param first a line that comes before */
const prepareInsert = (what: 'page' | 'element', revision: string, first = ''): string => `
        create or replace function ${what}_of_older_release() returns trigger language plpgsql as $$
        begin${first}
            new.created_revision := ${revision};
            new.project_revision := new.created_revision;
            return new;
        end $$;`;

const elementsProject = `
            new.project_id := (select project_id from pages where id = new.page_id);`;

/**
 * What an instance of 0.2 still creates meanwhile gets all of it at once. In one statement it makes a project with its first page, and a remix with all that is
 * in it: there a trigger finds no project yet, so such a thing was there from the first revision on, and an element gets its project when the statement ends.
 */
export const olderReleases = {
    async up(db: Knex): Promise<void> {
        await db.raw(`
            create function project_of_older_release() returns trigger language plpgsql as $$
            begin
                new.change_revision := new.revision;
                new.change_kind := case when new.remixed_from is null then 'create' else 'remix' end;
                return new;
            end $$;
            create trigger projects_prepare_insert before insert on projects for each row
                when (new.change_revision is null)
                execute function project_of_older_release();
            ${prepareInsert('page', 'coalesce(project_revision_of(new.project_id), 1)')}
            ${prepareInsert('element', 'coalesce(project_revision_of(new.project_id), 1)', elementsProject)}
            create function find_project_of_element() returns trigger language plpgsql as $$
            begin
                update elements e set project_id = g.project_id from pages g where e.id = new.id and g.id = e.page_id;
                return null;
            end $$;
            create trigger elements_find_project after insert on elements for each row
                when (new.project_id is null)
                execute function find_project_of_element();
            alter table projects alter column counted_revision set default 1;
        `);
    },

    async down(db: Knex): Promise<void> {
        await db.raw(`
            alter table projects alter column counted_revision set default 0;
            drop trigger if exists elements_find_project on elements;
            drop function find_project_of_element();
            ${prepareInsert('element', 'project_revision_of(new.project_id)', elementsProject)}
            ${prepareInsert('page', 'project_revision_of(new.project_id)')}
            drop trigger if exists projects_prepare_insert on projects;
            drop function project_of_older_release();
        `);
    }
};

/** SQL for the one change that stands for all that was before the history. */
const firstChange = `select id, revision, 0, updated_at, user_id, case when remixed_from is null then 'create' else 'remix' end, '{1,0,0,0,0,0,0}', revision > 1`;
const intoChanges = 'insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged)';

/** Condition for the projects whose first change is that one and that say nothing of when it is: 0.2 saved them between migrations 0009 and 0029. */
const unmarked = `p.known_since < c.revision and c.project_id = p.id and c.from_revision = 0 and c.merged and c.counts = '{1,0,0,0,0,0,0}'`;

const bytesOf = (row: string): string => `octet_length(${row}.styles::text)`;
const elementBytes = `octet_length(e.attributes::text) + ${bytesOf('e')}`;
const lacking = (row: string): string => `(${row}.created_revision is null or ${row}.project_revision is null)`;
const placed = (row: string): string => `created_revision = coalesce(${row}.created_revision, 0), project_revision = coalesce(${row}.project_revision, 1)`;

/** Statements for the projects of a range of ids. Each returns whether it leaves rows, as somebody writes to them. Only the rows that it changes are locked, and that for milliseconds. */
const inSteps: readonly ((ids: { from: bigint; to: bigint }) => string)[] = [
    ({ from, to }) => `with mine as materialized (select id from projects where id > ${from} and id <= ${to} and change_revision is null order by id for no key update skip locked), begun as (
        update projects p set change_revision = p.revision, known_since = greatest(p.known_since, p.revision) from mine where p.id = mine.id and p.change_revision is null returning p.*
    ), first as (${intoChanges} ${firstChange} from begun)
    select (select count(*) from projects where id > ${from} and id <= ${to} and change_revision is null) > (select count(*) from begun) as rest`,
    ({ from, to }) => `with mine as materialized (
        select p.id, c.revision from projects p join project_changes c on ${unmarked} where p.id > ${from} and p.id <= ${to} order by p.id for no key update of p skip locked
    ), done as (
        update projects p set known_since = mine.revision from mine where p.id = mine.id returning p.id
    )
    select (select count(*) from projects p join project_changes c on ${unmarked} where p.id > ${from} and p.id <= ${to}) > (select count(*) from done) as rest`,
    ({ from, to }) => `with mine as materialized (select id from pages g where g.project_id > ${from} and g.project_id <= ${to} and ${lacking('g')} for no key update skip locked), done as (
        update pages g set ${placed('g')} from mine where g.id = mine.id and ${lacking('g')} returning g.id
    )
    select (select count(*) from pages g where g.project_id > ${from} and g.project_id <= ${to} and ${lacking('g')}) > (select count(*) from done) as rest`,
    ({ from, to }) => `with old as materialized (
        select e.id, g.project_id from pages g join elements e on e.page_id = g.id where g.project_id > ${from} and g.project_id <= ${to} and (e.project_id is null or ${lacking('e')})
    ), mine as materialized (
        select e.id, old.project_id from old join elements e on e.id = old.id for no key update of e skip locked
    ), done as (
        update elements e set project_id = mine.project_id, ${placed('e')} from mine where e.id = mine.id returning e.id
    )
    select (select count(*) from old) > (select count(*) from done) as rest`,
    // All of it is read before the projects are locked, and nothing is written where somebody else has written meanwhile.
    ({ from, to }) => `with sized as materialized (
        select g.id, g.project_id, g.deleted_at is null as live, ${bytesOf('g')}::bigint + coalesce((
            select sum(${elementBytes}) from elements e where e.page_id = g.id and e.deleted_at is null), 0) as bytes
        from projects p join pages g on g.project_id = p.id where p.id > ${from} and p.id <= ${to} and p.counted_revision <> p.revision
    ), found as materialized (
        select p.id, (select coalesce(sum(bytes) filter (where live), 0) from sized s where s.project_id = p.id) as bytes
        from projects p join projects seen on seen.id = p.id and seen.revision = p.revision
        where p.id > ${from} and p.id <= ${to} and p.counted_revision <> p.revision order by p.id for no key update of p
    ), pages_sized as (
        update pages g set page_bytes = s.bytes from sized s join found f on f.id = s.project_id where g.id = s.id and g.page_bytes <> s.bytes
    ), done as (
        update projects p set project_bytes = f.bytes, counted_revision = p.revision from found f where p.id = f.id returning p.id
    )
    select (select count(*) from projects p where p.id > ${from} and p.id <= ${to} and p.counted_revision <> p.revision) > (select count(*) from done) as rest`
];

const leavesSome = async (db: Knex, sql: string): Promise<boolean> => {
    const { rows: [answer] } = await db.raw<{ rows: { rest: boolean }[] }>(sql);
    return answer?.rest === true;
};

export const rows = {
    /**
     * Does a part of it, in short transactions, while anybody writes. It can be ended at any time, and begins again.
     * @param after the id of the last project that was looked at
     * @param most projects that are looked at
     * @returns the id of the last project; null if there are no more
     */
    async fill(db: Knex, after: string, most: number): Promise<string | null> {
        const { rows: [found] } = await db.raw<{ rows: { last: string | null }[] }>('select max(id)::text as last from (select id from projects where id > ? order by id limit ?) next_ones', [after, most]);
        const last = found?.last ?? null;
        if (last !== null) {
            const range = { from: BigInt(after), to: BigInt(last) };
            for (const sql of inSteps) {
                while (await leavesSome(db, sql(range))) {
                    await sleep(RETRY);
                }
            }
        }

        return last;
    },

    /** The same at once, for what is left of it: nothing, as a rule, and all of it on a cluster, where nobody writes meanwhile. What is written to below is locked first. */
    async up(db: Knex): Promise<void> {
        await db.raw(`
            update projects set change_revision = change_revision where change_revision is null;
            ${intoChanges} ${firstChange} from projects where change_revision is null;
            update projects set change_revision = revision, known_since = greatest(known_since, revision) where change_revision is null;
            update projects p set known_since = c.revision from project_changes c where ${unmarked};
            update pages g set ${placed('g')} where ${lacking('g')};
            update elements e set project_id = g.project_id from pages g where g.id = e.page_id and e.project_id is null;
            update elements e set ${placed('e')} where ${lacking('e')};
            update projects set project_bytes = project_bytes where counted_revision <> revision;
            update pages g set page_bytes = ${bytesOf('g')} + coalesce((
                    select sum(${elementBytes}) from elements e where e.project_id = g.project_id and e.page_id = g.id and e.deleted_at is null), 0)
                from projects p where p.id = g.project_id and p.counted_revision <> p.revision;
            update projects p set counted_revision = p.revision, project_bytes = coalesce((
                    select sum(g.page_bytes) from pages g where g.project_id = p.id and g.deleted_at is null), 0)
                where p.counted_revision <> p.revision;
        `);
    },

    down: (): Promise<void> => Promise.resolve()
};

/** Projects that the index of the search does not have yet come after all that change meanwhile, the newest first. */
export const search = {
    async up(db: Knex): Promise<void> {
        await db.raw(`
            insert into search_queue (id, project_id)
                select 4611686018427387904 - id, id from projects where id <= (select max(unfilled) from search_progress) and visibility = 'public' and deleted_at is null
                on conflict do nothing;
            update search_progress set unfilled = 0 where unfilled > 0;
        `);
    },

    down: (): Promise<void> => Promise.resolve()
};

/** What every row has. A statement that would leave it out fails. The check of old rows keeps nobody from writing. */
const lacksNothing = [
    ['projects', 'projects_counted', 'counted_revision = revision'], ['projects', 'projects_recorded', 'change_revision is not null'],
    ['pages', 'pages_recorded', 'created_revision is not null and project_revision is not null'],
    ['elements', 'elements_recorded', 'created_revision is not null and project_revision is not null']
] as const;

export const rules = {
    async up(db: Knex): Promise<void> {
        await db.raw(lacksNothing.map(([table, name, rule]) => `alter table ${table} add constraint ${name} check (${rule}) not valid;`).join('\n'));
    },

    async down(db: Knex): Promise<void> {
        await db.raw(lacksNothing.map(([table, name]) => `alter table ${table} drop constraint ${name};`).join('\n'));
    }
};

export const checked = {
    async up(db: Knex): Promise<void> {
        await db.raw(lacksNothing.map(([table, name]) => `alter table ${table} validate constraint ${name};`).join('\n'));
    },

    async down(db: Knex): Promise<void> {
        await rules.down(db);
        await rules.up(db);
    }
};
