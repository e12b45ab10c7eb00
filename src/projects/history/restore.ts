import type { ReqRef, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { joinUser } from '../../accounts/users/fragments';
import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { ChangeAuthor, Writer } from '../../rules/access';
import { NothingToChange, changeSet, writableColumns, list, writeChangeSet } from '../../rules/change-set';
import { elementsThen, pagesThen, projectThen } from '../../rules/point';
import type { Writing } from '../../rules/project-turns';
import type { AuthoringServices } from '../../rules/write';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, statement } from '../../database/statements/statement';
import { notFound } from '../../api/errors/errors';
import { reply } from '../../api/request/responses';
import { changeJson, withAuthor } from '../../api/representations/change';
import { projectJson } from '../../api/representations/project';
import type { Point } from './queries';

/** A thing that a moderator removed, and that therefore stays gone. */
const skippedColumns = {
    type: known<'page' | 'element'>('text'),
    id: 'text'
} as const;
export type Skipped = RowOf<typeof skippedColumns>;

/** SQL for the pages that are restored: as they were at the revision $R, those in $only if it is not null, without those in $skipped. */
const picked = (only: string): string => `and (${only}::bigint[] is null or g.id = any(${only}))`;

// The joins are full joins because PostgreSQL expects only a few rows, and would compare each with each; it never does that for a full join.
// $3 the point, $4 the only pages, $5 and $6 pages and elements that stay as they are
const restored = (project?: string): ReturnType<typeof changeSet> => changeSet({
    kind: 'restore', parameters: ['integer', 'bigint[]', 'bigint[]', 'bigint[]'], project,
    before: `p as materialized (select * from projects where id = $1), g as materialized (${pagesThen('$3::int', picked('$4'))}), e as materialized (${elementsThen('$3::int', 'and e.project_revision > $3')})`,
    pages: `
        select g.id, n.id is not null as shown, ${list('n', writableColumns.page)}
        from (select g.* from p join pages g on g.project_id = p.id and g.project_revision > $3 ${picked('$4')}) g full join g n on n.id = g.id
        where coalesce(g.id, 0) > 0 and (n.id is not null or (${live('g')} and $4::bigint[] is null)) and g.id <> all($5::bigint[])`,
    elements: `
        select e.id, n.id is not null as shown, ${list('n', writableColumns.element)}
        from (select e.* from g join elements e on e.page_id = g.id and e.project_revision > $3) e full join e n on n.id = e.id
        where coalesce(e.id, 0) > 0 and (n.id is not null or ${live('e')}) and e.page_id <> all($5::bigint[]) and e.id <> all($6::bigint[])`
});

const wholeBack = restored(projectThen('$3::int', 'p.updated_at'));
const pagesBack = restored();

const moderated = statement({ parameters: ['bigint', 'integer', 'bigint[]'], row: skippedColumns, place: inProject(1) }, `
    with p as materialized (select * from projects where id = $1), g as materialized (${pagesThen('$2::int', picked('$3'))}), e as materialized (${elementsThen('$2::int')})
    select t.type::text as type, t.thing_id::text as id from trash t
    where t.project_id = $1 and t.moderated and ((t.type = 'page' and t.thing_id in (select id from g)) or (t.type = 'element' and t.thing_id in (select id from e)))`);

const pagesKnown = statement({ parameters: ['bigint', 'integer', 'bigint[]'], row: { known: 'boolean' }, place: inProject(1) }, `
    with p as materialized (select * from projects where id = $1), g as materialized (${pagesThen('$2::int', picked('$3'))})
    select (select count(*) from g) = (select count(distinct id) from unnest($3::bigint[]) as wanted (id)) as known`);

const told = statement({ parameters: ['bigint'], row: { project: 'text', change: 'text' }, place: inProject(1) }, `
    select ${projectJson} as project, (select ${changeJson} from project_changes c ${withAuthor} where c.project_id = p.id and c.revision = p.revision) as change
    from projects p ${joinUser('p.user_id')} where p.id = $1`);

export interface Restored {
    project: string;
    change: string;
    skipped: readonly object[];
}

/**
 * Writes a project as it was at a point, as a new change. The project is locked.
 * @param pages only these; undefined for all of it
 * @throws 404 if one of the pages was not there, 409 if it does not fit any more; NothingToChange
 */
export async function restorePoint(trx: Database, project: string, { revision: point }: Point, writer: Writer, pages?: string[]): Promise<Restored> {
    const only = pages ?? null;
    if (pages !== undefined && !(await runAlways(trx, pagesKnown, [project, point, only])).known) {
        throw notFound('page');
    }

    const skipped = writer.moderator ? [] : await run(trx, moderated, [project, point, only]);
    const [skippedPages, skippedElements] = (['page', 'element'] as const).map((type) => skipped.filter((thing) => thing.type === type).map((thing) => thing.id));
    return writeAndShow(trx, pages === undefined ? wholeBack : pagesBack, project, writer, [point, only, skippedPages, skippedElements], skipped);
}

/** Writes a change set, and says what it came to. @throws as `writeChangeSet` does; NothingToChange also has `skipped` */
export async function writeAndShow(trx: Database, set: ReturnType<typeof changeSet>, project: string, by: ChangeAuthor, values: unknown[], skipped: readonly object[] = []): Promise<Restored> {
    await writeChangeSet(trx, set, project, by, ...values).catch((error: unknown) => {
        throw error instanceof NothingToChange ? Object.assign(error, { skipped }) : error;
    });
    return { ...await runAlways(trx, told, [project]), skipped };
}

/** Responds with a rewrite, which is one transaction in the turn of its project. One that would change nothing is rolled back. */
export async function answerRewrite<Refs extends ReqRef>(
    request: Writing & { params: { project: string } }, h: ResponseToolkit<Refs>, { db, write }: AuthoringServices, status: 'restored' | 'undone' | 'pulled', work: (trx: Database) => Promise<Restored>
): Promise<ResponseObject> {
    const { project, change, skipped } = await write.serialized(request, work).catch(async (error: unknown) => {
        if (!(error instanceof NothingToChange)) {
            throw error;
        }

        await request.checkStillAllowed(db);
        return { ...await runAlways(db, told, [request.params.project]), change: 'null', skipped: error.skipped };
    });
    const more = skipped.length === 0 ? '' : `,"skipped":${JSON.stringify(skipped)}`;
    return reply(h, `{"status":"${status}","project":${project},"change":${change}${more}}`);
}
