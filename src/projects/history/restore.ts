import type { ReqRef, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { inProject, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Writer } from '../../rules/access';
import { changeableOf, elementColumns, expressions, nulls, pageColumns, projectColumns, recordedOf } from '../../rules/columns';
import { elementsThen, pagesThen, projectThen } from '../../rules/point';
import type { Writing } from '../../rules/project-turns';
import type { AuthoringServices } from '../../rules/write';
import { counts, updated } from '../../rules/write-sql';
import type { ChangeKind } from '../../api/representations/change';
import type { Database } from '../../database/statements/connection';
import { gone, live } from '../../database/statements/deletion';
import { run, runAlways, statement } from '../../database/statements/statement';
import { notFound } from '../../api/errors/errors';
import { reply } from '../../api/request/responses';
import { changeJson } from '../../api/representations/change';
import { projectJson } from '../../api/representations/project';
import type { Point } from './queries';
import { finishRewrite, rewrite, rewriteElements, rewritePages } from './rewrite';
import type { RewriteOutcome } from './rewrite';

/** A thing that a moderator removed, and that therefore stays gone. */
const skippedColumns = {
    type: known<'page' | 'element'>('text'),
    id: 'text'
} as const;
export type Skipped = RowOf<typeof skippedColumns>;

/** Thrown inside a transaction that would change nothing, so that it is rolled back. */
export class NothingToChange extends Error {
    skipped: Skipped[] = [];
}

const projectNames = recordedOf(projectColumns);
/** SQL for each column as it was, or null if it is the same now. */
export const ifDifferent = (names: readonly string[], then: string, now: string): string => names.map((name) => `case when ${then}.${name}::text <> ${now}.${name}::text then ${then}.${name} end as ${name}`).join(', ');

/** SQL that moves the project $1 on to its next revision, by the user $2, with its columns as `source` says: null for those that stay. */
export const begins = (kind: ChangeKind, source: string): string => `
    with t as materialized (${source}), written as (
        ${updated('projects', { author: '$2', kind, counts: counts({}), columns: expressions(projectNames, (name) => `t.${name}`) }, `from t where p.id = $1 returning p.revision, p.written <> 'self' as changed`)}
    )
    select revision, changed from written`;

export const begunColumns = { revision: 'integer', changed: 'boolean' } as const;
export type Begun = RowOf<typeof begunColumns>;

export const noColumns = `select ${nulls(projectColumns, projectNames)}`;

const toThen = statement({ parameters: ['bigint', 'bigint', 'integer'], row: begunColumns, place: writing(inProject(1)) }, begins('restore', `
    with p as materialized (select * from projects where id = $1), n as materialized (${projectThen('$3::int', 'p.updated_at')})
    select ${ifDifferent(projectNames, 'n', 'p')} from n, p`));
export const restoreBegins = statement({ parameters: ['bigint', 'bigint'], row: begunColumns, place: writing(inProject(1)) }, begins('restore', noColumns));

/** SQL for the pages that are restored: as they were at the revision $R, those in $only if it is not null, without those in $skipped. */
const picked = (only: string): string => `and (${only}::bigint[] is null or g.id = any(${only}))`;

const pagesBack = rewritePages(['integer', 'bigint[]', 'bigint[]'], `
    with p as materialized (select * from projects where id = $1), n as materialized (${pagesThen('$4::int', picked('$5'))})
    select g.id, n.id is not null as shown, ${ifDifferent(changeableOf(pageColumns), 'n', 'g')}
    from p join pages g on g.project_id = p.id and g.project_revision > $4 ${picked('$5')} left join n on n.id = g.id
    where (n.id is not null or (${live('g')} and $5::bigint[] is null)) and g.id <> all($6::bigint[])`);

const elementsBack = rewriteElements(['integer', 'bigint[]', 'bigint[]', 'bigint[]'], `
    with p as materialized (select * from projects where id = $1), g as materialized (${pagesThen('$3::int', picked('$4'))}), n as materialized (${elementsThen('$3::int')})
    select e.id, n.id is not null as shown, page.deleted_at is not null as touched, ${ifDifferent(changeableOf(elementColumns), 'n', 'e')}
    from g join pages page on page.id = g.id join elements e on e.page_id = g.id and (e.project_revision > $3 or ${gone('page')}) left join n on n.id = e.id
    where (n.id is not null or ${live('e')}) and g.id <> all($5::bigint[]) and e.id <> all($6::bigint[])`);

const moderated = statement({ parameters: ['bigint', 'integer', 'bigint[]'], row: skippedColumns, place: inProject(1) }, `
    with p as materialized (select * from projects where id = $1), g as materialized (${pagesThen('$2::int', picked('$3'))}), e as materialized (${elementsThen('$2::int')})
    select t.type::text as type, t.thing_id::text as id from trash t
    where t.project_id = $1 and t.moderated and ((t.type = 'page' and t.thing_id in (select id from g)) or (t.type = 'element' and t.thing_id in (select id from e)))`);

const pagesKnown = statement({ parameters: ['bigint', 'integer', 'bigint[]'], row: { known: 'boolean' }, place: inProject(1) }, `
    with p as materialized (select * from projects where id = $1), g as materialized (${pagesThen('$2::int', picked('$3'))})
    select (select count(*) from g) = (select count(distinct id) from unnest($3::bigint[]) as wanted (id)) as known`);

const told = statement({ parameters: ['bigint'], row: { project: 'text', change: 'text' }, place: inProject(1) }, `
    select ${projectJson} as project, (select ${changeJson} from project_changes c left join users u on u.id = c.author_id where c.project_id = p.id and c.revision = p.revision) as change
    from projects p join users u on u.id = p.user_id where p.id = $1`);

export interface Restored {
    project: string;
    change: string;
    skipped: Skipped[];
}

/**
 * Writes a project as it was at a point, as a new change. The project is locked.
 * @param pages only these; undefined for all of it
 * @throws 404 if one of the pages was not there, 409 if it does not fit any more; NothingToChange
 */
export async function restorePoint(trx: Database, project: string, { revision: point }: Point, { id, moderator }: Writer, pages?: string[]): Promise<Restored> {
    const only = pages ?? null;
    if (pages !== undefined && !(await runAlways(trx, pagesKnown, [project, point, only])).known) {
        throw notFound('page');
    }

    const skipped = moderator ? [] : await run(trx, moderated, [project, point, only]);
    const [skippedPages, skippedElements] = (['page', 'element'] as const).map((type) => skipped.filter((thing) => thing.type === type).map((thing) => thing.id));
    const begun = only === null ? await runAlways(trx, toThen, [project, id, point]) : await runAlways(trx, restoreBegins, [project, id]);
    const outcome = await rewrite(trx, project, begun.revision, [elementsBack, [point, only, skippedPages, skippedElements]], [pagesBack, [point, only, skippedPages]]);
    return finish(trx, project, begun, outcome, skipped);
}

/** Ends a rewrite, and says what it came to. @throws NothingToChange, 409 if the project holds too much now */
export async function finish(trx: Database, project: string, { revision, changed }: Begun, { pages, elements }: RewriteOutcome, skipped: Skipped[] = []): Promise<Restored> {
    const done = [Number(changed), ...pages, ...elements];
    if (done.every((number) => number === 0)) {
        throw Object.assign(new NothingToChange(), { skipped });
    }

    await finishRewrite(trx, project, revision, done);
    return { ...await runAlways(trx, told, [project]), skipped };
}

/** Responds with a rewrite, which is one transaction in the turn of its project. One that would change nothing is rolled back. */
export async function answerRewrite<Refs extends ReqRef>(
    request: Writing & { params: { project: string } }, h: ResponseToolkit<Refs>, { db, write }: AuthoringServices, status: 'restored' | 'undone' | 'pulled', work: (trx: Database) => Promise<Restored>
): Promise<ResponseObject> {
    const { project, change, skipped } = await write.inTurn(request, work).catch(async (error: unknown) => {
        if (!(error instanceof NothingToChange)) {
            throw error;
        }

        return { ...await runAlways(db, told, [request.params.project]), change: 'null', skipped: error.skipped };
    });
    const more = skipped.length === 0 ? '' : `,"skipped":${JSON.stringify(skipped)}`;
    return reply(h, `{"status":"${status}","project":${project},"change":${change}${more}}`);
}
