import { joinLiveProject } from '../fragments';
import { fromActiveUser, joinActiveUser } from '../../accounts/users/fragments';
import { inAllShards, known, writing } from '../../database/declaration';
import { allowed, rolesOf } from '../../rules/access';
import { joinPage } from '../../rules/chain';
import { bytes } from '../../rules/sizes';
import { mayRead } from '../../rules/visibility';
import { live } from '../../database/statements/deletion';
import { isoTime } from '../../database/statements/json-sql';
import { statement } from '../../database/statements/statement';
import { MAX_ELEMENTS } from '../../limits';
import { elementJson } from '../../api/representations/element';
import { pageJson } from '../../api/representations/page';
import { projectJsonWith } from '../../api/representations/project';
import { userJson } from '../../api/representations/user';
import type { User } from '../../api/representations/user';
import type { PlannedElement, PlannedPage, PlannedProject } from './plan';

// Waits for a deletion of the user, and keeps one waiting.
export const author = statement({ parameters: ['bigint'], row: { now: 'text', author: known<User>('json', { id: '', username: '', locale: { language: '' } }) } }, `
    select ${isoTime('now()::timestamptz(3)')} as now, ${userJson}::json as author
    ${fromActiveUser('$1')} for share`);

// The sequences by their names: asking for the name is done once for each id, and costs more than drawing it.
export const draw = statement({ parameters: ['integer', 'integer', 'integer'], row: { projects: 'bigint[]', pages: 'bigint[]', elements: 'bigint[]' } }, `
    select array(select nextval('projects_id_seq') from generate_series(1, $1::int)) as projects,
        array(select nextval('pages_id_seq') from generate_series(1, $2::int)) as pages,
        array(select nextval('elements_id_seq') from generate_series(1, $3::int)) as elements`);

const locker = { id: '$4::bigint', moderator: '$5::boolean', projects: '$6::bigint[]', roles: rolesOf('removeInside') };

// In order of id, as every writer of several projects locks them. Those of others are only looked at, to tell that they are: whoever
// names them must not keep their owners waiting.
/** Projects of the named things, those of the caller locked. $1 to $3 ids of projects, pages, elements; $4 the caller, $5 whether a moderator, $6 the projects of their token. */
export const lock = statement({ parameters: ['bigint[]', 'bigint[]', 'bigint[]', 'bigint', 'boolean', 'bigint[]'], row: { id: 'bigint', locked: 'boolean' }, place: writing(inAllShards({ kind: 'lock' })) }, `
    with named as materialized (
        select unnest($1::bigint[]) as id
        union select g.project_id from pages g where g.id = any($2::bigint[])
        union select g.project_id from elements e join pages g on g.id = e.page_id where e.id = any($3::bigint[])
    ), locked as materialized (
        select p.id from projects p where p.id in (select id from named) and ${mayRead('p', locker)} and ${allowed('p', locker)}
            order by p.id for no key update
    )
    select n.id, l.id is not null as locked from named n left join locked l on l.id = n.id where (select count(*) from locked) >= 0`);

// The inner sum bounds what is decompressed, the outer one what is answered.
export const projects = statement({ parameters: ['bigint[]', 'bigint', 'bigint', 'boolean', 'bigint[]'], row: { project: known<PlannedProject['thing']>('json', { id: '', user_id: '', revision: 1, title: '', visibility: 'private' }), thumbnail: 'text?', page_count: 'integer', bytes: 'double precision', role: known<PlannedProject['role']>('text?') }, place: inAllShards() }, `
    select project, page_count, bytes, role, case when sum(octet_length(thumbnail)) over (order by id) <= $2 then thumbnail end as thumbnail
    from (
        select p.id, ${projectJsonWith(`'null'`)}::json as project, p.page_count, p.project_bytes::float8 as bytes,
            (select m.role from project_members m where m.project_id = p.id and m.user_id = $3::bigint and p.held_at is null) as role,
            case when sum(pg_column_size(p.thumbnail)) over (order by p.id) <= 1048576 then p.thumbnail::text end as thumbnail
        from projects p ${joinActiveUser('p.user_id')}
        where ${live('p')} and p.id = any($1::bigint[])
            and ${mayRead('p', { id: '$3::bigint', moderator: '$4::boolean', projects: '$5::bigint[]' })}
    ) found`);

const none = (): string => `'null'`;

export const pages = statement({ parameters: ['bigint[]', 'bigint[]', 'bigint', 'bigint', 'boolean', 'bigint[]'], row: { page: known<PlannedPage['thing'] & { elements: [] }>('json', { id: '', project_id: '', revision: 1, x: 1, y: 1, elements: [] }), styles: 'text?', element_count: 'integer', bytes: 'double precision', styles_bytes: 'integer' }, place: inAllShards() }, `
    select page, element_count, bytes, ${bytes('styles')} as styles_bytes, case when sum(octet_length(styles::text)) over (order by id) <= $3 then styles::text end as styles
    from (
        select g.id, ${pageJson('p.user_id', `''`, none)}::json as page, g.styles, g.element_count, g.page_bytes::float8 as bytes
        from pages g ${joinLiveProject('g.project_id')}
            and ${mayRead('p', { id: '$4::bigint', moderator: '$5::boolean', projects: '$6::bigint[]' })}
        where ${live('g')} and g.id in (
            select unnest($1::bigint[]) union select e.page_id from elements e where e.id = any($2::bigint[]))
    ) found`);

// Page after page and id after id, each by its index: together, or if a page were named by `=`, PostgreSQL would go by its statistics, and
// read the whole table if they are of when nearly all elements were on a few pages. That took minutes.
export const elements = statement({ parameters: ['bigint[]', 'bigint[]', 'numeric', 'bigint', 'bigint', 'boolean', 'bigint[]'], row: { element: known<PlannedElement['thing']>('json', { id: '', page_id: '', revision: 1, type: '' }), attributes: 'text?', styles: 'text?', attributes_bytes: 'integer', styles_bytes: 'integer' }, place: inAllShards() }, `
    with wanted as materialized (
        select unnest($1::bigint[]) as id union select inside.id from (
            select id, sum(element_count) over (order by id) as total, sum(page_bytes) over (order by id) as total_bytes
                from pages where id = any($2::bigint[])
        ) shown cross join lateral (
            select e.id from elements e where e.page_id between shown.id and shown.id and ${live('e')}
                order by e.page_id, e.id limit ${MAX_ELEMENTS}
        ) inside
        where total <= $4 and total_bytes <= $3
    )
    select element, attributes_bytes, styles_bytes, case when total <= $3 then attributes::text end as attributes, case when total <= $3 then styles::text end as styles
    from (
        select e.id, ${elementJson('p.user_id', none)}::json as element, e.attributes, e.styles, attributes_bytes, styles_bytes,
            sum(attributes_bytes + styles_bytes) over (order by e.id) as total
        from wanted cross join lateral (select * from elements e where e.id = wanted.id offset 0) e
            cross join lateral (select ${bytes('e.attributes')} as attributes_bytes, ${bytes('e.styles')} as styles_bytes offset 0) sizes
        ${joinPage} ${joinLiveProject('g.project_id')}
            and ${mayRead('p', { id: '$5::bigint', moderator: '$6::boolean', projects: '$7::bigint[]' })}
        where ${live('e')}
    ) found
    order by id`);

export const places = statement({ parameters: ['bigint[]'], row: { id: 'bigint', project_id: 'bigint', x: 'integer', y: 'integer' }, place: inAllShards() }, `
    select id, project_id, x, y from pages where ${live('pages')} and project_id = any($1::bigint[])`);
