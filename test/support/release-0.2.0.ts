import { Client } from 'pg';

/*
 * How 0.2.0 writes, which may run beside this release during an upgrade: its statements, without the JSON that they return. It knows nothing of what later
 * migrations have added.
 */

const found = `
    select g.id as page_id, g.project_id, p.user_id, p.counted_revision = p.revision as counted
    from projects p join pages g on g.project_id = p.id and g.deleted_at is null
    where p.user_id = $1 and p.id = $2 and g.id = $3 and p.deleted_at is null for no key update of p`;

const page = `
    with p as materialized (select p.id, p.user_id, p.counted_revision = p.revision as counted
    from projects p join users u on u.id = p.user_id
    where p.user_id = $1 and p.id = $2 and p.deleted_at is null for no key update of p),
    written as (
    insert into pages as g (project_id, x, y, styles, page_bytes)
    select id, $3::int, $4::int, $5::json, octet_length(($5::json)::text) from p where counted returning *, page_bytes as grown
    ), project_moved as (
    update projects p set page_count = p.page_count + 1, revision = p.revision + 1, counted_revision = p.counted_revision + 1, project_bytes = p.project_bytes + w.grown, updated_at = now() from written w where p.id = w.project_id)
    select g.id from p left join written g on true`;

const element = `
    with found as materialized (${found}),
    made as (
    insert into elements as e (page_id, type, attributes, styles)
    select page_id, $4, $5::json, $6::json from found where counted returning *
    ), written as (select e.id, found.page_id, found.project_id, (octet_length((e.attributes)::text) + octet_length((e.styles)::text)) as grown from found, made e),
    page_moved as (
    update pages g set element_count = g.element_count + 1, revision = g.revision + 1, page_bytes = g.page_bytes + w.grown, updated_at = now() from written w where g.id = w.page_id), project_moved as (
    update projects p set revision = p.revision + 1, counted_revision = p.counted_revision + 1, project_bytes = p.project_bytes + w.grown, updated_at = now() from written w where p.id = w.project_id)
    select e.id from found f left join made e on true`;

const remove = `
    with found as materialized (select g.id, p.user_id, -g.page_bytes as grown
    from projects p join pages g on g.project_id = p.id and g.deleted_at is null
    where p.user_id = $1 and p.id = $2 and g.id = $3 and p.deleted_at is null),
    written as (
    update pages g set deleted_at = now(), revision = g.revision + 1, updated_at = now() from found f where g.id = f.id returning g.id, g.project_id, f.grown),
    project_moved as (
    update projects p set page_count = p.page_count - 1, revision = p.revision + 1, counted_revision = p.counted_revision + 1, project_bytes = p.project_bytes + w.grown, updated_at = now() from written w where p.id = w.project_id)
    select id from written`;

const project = `
    with u as materialized (select * from users u where u.id = $1 and u.deleted_at is null for share),
    made as (
    insert into projects as p (user_id, version, title, description, tags, thumbnail, page_count, project_bytes, counted_revision)
    select id, '1', $2, '', '{}', '{}', 1, octet_length(('{}')::text), 1 from u returning *
    ), first as (
    insert into pages as g (project_id, x, y, page_bytes)
    select id, 0, 0, project_bytes from made returning *
    )
    select p.id::text as id, first.id::text as page from made p, first`;

const bulk = [
    `select nextval('pages_id_seq')::text as page, nextval('elements_id_seq')::text as element`,
    `update projects p set title = coalesce(r.title, p.title), description = coalesce(r.description, p.description), tags = coalesce(r.tags, p.tags), thumbnail = coalesce(r.thumbnail, p.thumbnail), page_count = r.page_count, deleted_at = case when r.removed then now() end, revision = p.revision + (r.revision - p.revision), counted_revision = p.counted_revision + (r.revision - p.revision), project_bytes = p.project_bytes + (r.project_bytes - p.project_bytes), updated_at = now() from json_to_recordset($1::json) as r (id bigint, revision integer, title text, description text, tags text[], thumbnail json, page_count integer, project_bytes bigint, removed boolean) where p.id = r.id`,
    `insert into pages as g (id, revision, project_id, x, y, styles, element_count, page_bytes)
    select r.id, r.revision, r.project_id, r.x, r.y, r.styles, r.element_count, r.page_bytes from json_to_recordset($1::json) as r (id bigint, revision integer, project_id bigint, x integer, y integer, styles json, element_count integer, page_bytes bigint)`,
    `insert into elements as e (id, revision, page_id, type, attributes, styles)
    select r.id, r.revision, r.page_id, r.type, r.attributes, r.styles from json_to_recordset($1::json) as r (id bigint, revision integer, page_id bigint, type text, attributes json, styles json)`
] as const;

/** The ids of what it has made. */
interface Made {
    page: string;
    element: string;
}

/** An instance of 0.2.0, with one user. */
export class OlderRelease {
    readonly #client: Client;
    readonly #user: string;

    constructor(url: string, user: string) {
        this.#client = new Client(url);
        this.#user = user;
    }

    async start(): Promise<void> {
        await this.#client.connect();
    }

    async end(): Promise<void> {
        await this.#client.end();
    }

    /** Makes a project. @returns its id, and that of its page */
    async project(title: string): Promise<{ id: string; page: string }> {
        return (await this.#client.query(project, [this.#user, title])).rows[0];
    }

    /** @returns the id of the page */
    async page(ofProject: string, x: number, y: number): Promise<string> {
        return (await this.#client.query(page, [this.#user, ofProject, x, y, '{"color":"red"}'])).rows[0].id;
    }

    /** @returns the id of the element */
    async element(ofProject: string, ofPage: string): Promise<string> {
        return (await this.#client.query(element, [this.#user, ofProject, ofPage, 'text', '{"text":"old"}', '{}'])).rows[0].id;
    }

    async removePage(ofProject: string, id: string): Promise<void> {
        await this.#client.query(remove, [this.#user, ofProject, id]);
    }

    /** A bulk that makes a page with an element, and changes the title. */
    async bulk(ofProject: string, title: string): Promise<Made> {
        const [draw, updateProjects, insertPages, insertElements] = bulk;
        const made: Made = (await this.#client.query(draw)).rows[0];
        await this.#client.query('begin');
        const { rows: [{ revision, page_count: pages, project_bytes: bytes }] } = await this.#client.query('select revision, page_count, project_bytes::int from projects where id = $1 for no key update', [ofProject]);
        await this.#client.query(updateProjects, [JSON.stringify([{ id: ofProject, revision: revision + 3, title, page_count: pages + 1, project_bytes: bytes + 6 }])]);
        await this.#client.query(insertPages, [JSON.stringify([{ id: made.page, revision: 2, project_id: ofProject, x: 30, y: 30, styles: {}, element_count: 1, page_bytes: 6 }])]);
        await this.#client.query(insertElements, [JSON.stringify([{ id: made.element, revision: 1, page_id: made.page, type: 'text', attributes: {}, styles: {} }])]);
        await this.#client.query('commit');
        return made;
    }
}
