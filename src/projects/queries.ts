import { fromActiveUser, joinUser } from '../accounts/users/fragments';
import { inNewProject, inProject, writing } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { allowed, stillAllowed, writerParameters, writerTypes, writerValues } from '../rules/access';
import type { ChangeAuthor, Writer } from '../rules/access';
import { projectChain } from '../rules/chain';
import { changeableOf, expressions, namesOf, projectColumns, projectRow, typesOf, valuesOf } from '../rules/columns';
import { guardedWrite, madeColumns, outcomeColumns } from '../rules/conditional-write';
import type { Made, Outcome } from '../rules/conditional-write';
import { foundColumns } from '../rules/read';
import type { Found } from '../rules/read';
import { bytes } from '../rules/sizes';
import { forReaders, isOpen } from '../rules/visibility';
import type { Reader } from '../rules/visibility';
import { begins, beginsAt, counts, inserted, updated } from '../rules/write-sql';
import { deletes } from '../database/statements/deletion';
import { lookupTogether, runOne, statement } from '../database/statements/statement';
import { tagMatches, preconditionHolds } from '../api/request/entity-tags';
import { pageJson } from '../api/representations/page';
import { projectJson, projectTag, projectWithStatsJson, shownProjectTag } from '../api/representations/project';
import type { ProjectFields } from '../api/representations/project';

const one = forReaders({ parameters: ['bigint', 'bigint', 'text[]'], row: foundColumns, place: inProject(2) }, (reader) => `
    select ${isOpen('p')} as open, ${shownProjectTag} as tag, case when not ${tagMatches(shownProjectTag, '$3')} then ${projectJson} end as json ${projectChain(reader)}`, lookupTogether);

export function findProject(db: Database, userId: string, id: string, tags: string[], reader: Reader): Promise<Found | undefined> {
    return runOne(db, ...one(reader, [userId, id, tags]));
}

const statsTag = `(${shownProjectTag} || '.' || coalesce(s.views, 0) || '.' || coalesce(s.remixes, 0))`;
const oneWithStats = forReaders({ parameters: ['bigint', 'text[]'], row: foundColumns, place: inProject(1) }, (reader) => `
    select ${isOpen('p')} as open, ${statsTag} as tag, case when not ${tagMatches(statsTag, '$2')} then ${projectWithStatsJson} end as json
    ${projectChain(reader, 'left join project_stats s on s.project_id = p.id', 'p.id = $1')}`, lookupTogether);

/** A project by its own id alone. Its tag is weak: the counters in it may lag. */
export function findProjectWithStats(db: Database, id: string, tags: string[], reader: Reader): Promise<Found | undefined> {
    return runOne(db, ...oneWithStats(reader, [id, tags]));
}

const names = namesOf(projectColumns);
const changeable = changeableOf(projectColumns);

// Waits for a deletion of the user, and then finds nobody.
const insert = statement({ parameters: ['bigint', 'bigint', 'text', 'bigint', 'bytea', ...typesOf(projectColumns, names)], row: { id: madeColumns.id, json: madeColumns.json }, place: inNewProject() }, `
    with locked as materialized (select u.*, u.id as user_id, u.id = $2 as allowed ${fromActiveUser('$1')} for share),
    u as materialized (${stillAllowed({ id: '$2', moderator: 'false', tokenHash: '$5' })}),
    made as (
        ${inserted('projects', {
        user_id: 'id', version: '$3', ...expressions(names, (_name, n) => `$${n + 6}`), page_count: '1', project_bytes: bytes(`'{}'`), counted_revision: '1',
        ...begins({ author: 'id', app: '$4::bigint', kind: 'create', counts: counts({ project: 1, pages: [1, 0, 0] }) })
    }, 'from u where may returning *')}
    ), first as (
        ${inserted('pages', { project_id: 'id', x: '0', y: '0', page_bytes: 'project_bytes', ...beginsAt('1') }, 'from made returning *')}
    )
    select p.id, '"project":' || ${projectJson} || ',"page":' || ${pageJson('p.user_id', `''`)} as json
    from u left join made p on true left join first g on true`);

/** The fields `project` and `page` of a project with its first page; undefined where there is no such user. */
export function insertProject(db: Database, userId: string, caller: ChangeAuthor & Pick<Writer, 'tokenHash'>, version: string, fields: Partial<ProjectFields>): Promise<Made | undefined> {
    return runOne(db, insert, [userId, caller.id, version, caller.app, caller.tokenHash, ...valuesOf(names, { ...projectColumns.initial, ...projectRow(fields) })]);
}

const by = writerParameters(2);
const edit = { author: by.id, app: by.app, kind: 'edit', counts: counts({ project: 1 }) } as const;

/** SQL of a write to the project in a path whose ids are $1 and $2, by the writer in those that follow. */
const guarded = (change: Parameters<typeof updated<'projects'>>[1], locks = 'for no key update of p'): string => guardedWrite({
    by,
    found: `select p.id, p.user_id, ${allowed('p', by)} as allowed ${projectChain(by)} ${locks}`,
    write: updated('projects', change, `
        from found f ${joinUser('f.user_id')}
        where p.id = f.id and f.may and ${preconditionHolds('p.revision', projectTag, by)}`),
    json: projectJson
});

const update = statement({ parameters: ['bigint', 'bigint', ...writerTypes, ...typesOf(projectColumns, changeable)], row: outcomeColumns, place: writing(inProject(2)) }, guarded({ ...edit, columns: expressions(changeable, (_name, n) => `$${n + 3 + writerTypes.length}`) }));

export function updateProject(db: Database, chain: readonly string[], writer: Writer, fields: Partial<ProjectFields>): Promise<Outcome | undefined> {
    return runOne(db, update, [...chain, ...writerValues(writer), ...valuesOf(changeable, projectRow(fields))]);
}

// Locks the author too, since the list has the author's language, and locks them first, as a deletion of the author does.
const feature = statement({ parameters: ['bigint', 'bigint', ...writerTypes, 'boolean'], row: outcomeColumns, place: writing(inProject(2)) }, guarded({ author: by.id, app: by.app, kind: 'feature', counts: counts({}), set: [`featured = coalesce($${3 + writerTypes.length}::boolean, not p.featured)`] }, 'for share of u for no key update of p'));

/** Features a project, or ends that. If `featured` is undefined, it changes to the opposite. */
export function featureProject(db: Database, chain: readonly string[], writer: Writer, featured: boolean | undefined): Promise<Outcome | undefined> {
    return runOne(db, feature, [...chain, ...writerValues(writer), featured ?? null]);
}

const remove = statement({ parameters: ['bigint', 'bigint', ...writerTypes], row: outcomeColumns, place: writing(inProject(2)) }, guarded({ ...edit, set: [deletes] }));

export function deleteProject(db: Database, chain: readonly string[], writer: Writer): Promise<Outcome | undefined> {
    return runOne(db, remove, [...chain, ...writerValues(writer)]);
}
