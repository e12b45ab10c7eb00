import { inProject, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { allowed, makerParameters, makerTypes, makerValues, stillAllowed, writerParameters, writerTypes, writerValues } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { pageChain, projectChain } from '../../rules/chain';
import { changeableOf, expressions, namesOf, pageColumns, typesOf, valuesOf } from '../../rules/columns';
import { guardedWrite, madeColumns, outcomeColumns } from '../../rules/conditional-write';
import type { Made, Outcome } from '../../rules/conditional-write';
import { taggedColumns } from '../../rules/read';
import type { Tagged } from '../../rules/read';
import { bytes, growth, pageWeight } from '../../rules/sizes';
import { forReaders, isOpen, readerParameters, readerTypes, readerValues } from '../../rules/visibility';
import type { Reader } from '../../rules/visibility';
import { beginsAt, counts, inserted, projectMoved, updated } from '../../rules/write-sql';
import { deletes, live } from '../../database/statements/deletion';
import { lookupTogether, runOne, statement } from '../../database/statements/statement';
import { preconditionHolds } from '../../api/request/entity-tags';
import { LARGE } from '../../limits';
import { pageJson, writtenPageJson } from '../../api/representations/page';
import type { PageFields } from '../../api/representations/page';
import { textOfPage } from './page-text';

/** An entity tag of what a GET shows. */
export type Tag = Pick<Tagged, 'open' | 'tag'>;
const tagColumns = { open: taggedColumns.open, tag: taggedColumns.tag };

const allTag = forReaders({ parameters: ['bigint', 'bigint'], row: tagColumns, place: inProject(2) }, (reader) => `select ${isOpen('p')} as open, p.revision::text as tag ${projectChain(reader)}`, lookupTogether);

/** The entity tag of a project's pages. */
export function findPagesTag(db: Database, chain: readonly string[], reader: Reader): Promise<Tag | undefined> {
    return runOne(db, ...allTag(reader, chain));
}

/** A page of a list that is too large for one text, and about how many bytes of JSON text it is. */
export interface PageSize {
    id: string;
    revision: string;
    weight: number;
}

/** SQL for the JSON array of `PageSize` of the pages in the rows `g`. */
export const pageSizes = `json_agg(json_build_object('id', g.id::text, 'revision', g.revision::text, 'weight', ${pageWeight})
    order by g.id)`;

/** `pages` is empty if there is a text. */
const taggedListColumns = { ...taggedColumns, pages: known<PageSize[]>('json', [{ id: '1', revision: '1', weight: 1 }]) } as const;
type TaggedList = RowOf<typeof taggedListColumns>;

const livePages = `from pages g where g.project_id = p.id and ${live('g')}`;
const all = forReaders({ parameters: ['bigint', 'bigint'], row: taggedListColumns, place: inProject(2) }, (reader) => `
    select ${isOpen('p')} as open, p.revision::text as tag, weight, case when weight <= ${LARGE} then coalesce((
        select string_agg(${pageJson('p.user_id')}, ',' order by g.id) ${livePages}
    ), '') end as json, case when weight <= ${LARGE} then '[]' else (
        select ${pageSizes} ${livePages}
    ) end as pages
    from (select p.*, (select coalesce(sum(${pageWeight}), 0) ${livePages}) as weight ${projectChain(reader)} offset 0) p`);

/** JSON texts of a project's pages, in order of creation, with commas between them. */
export function listPages(db: Database, chain: readonly string[], reader: Reader): Promise<TaggedList | undefined> {
    return runOne(db, ...all(reader, chain));
}

const oneTag = forReaders({ parameters: ['bigint', 'bigint', 'bigint'], row: tagColumns, place: inProject(2) }, (reader) => `select ${isOpen('p')} as open, g.revision::text as tag ${pageChain(reader)}`, lookupTogether);

/** The entity tag of a page, and of its elements. */
export function findPageTag(db: Database, chain: readonly string[], reader: Reader): Promise<Tag | undefined> {
    return runOne(db, ...oneTag(reader, chain));
}

export const findPage = textOfPage(pageJson('g.user_id'));

const oneWritten = statement({ parameters: ['bigint', 'bigint', 'bigint', ...readerTypes], row: { json: 'text' }, place: inProject(2) }, `select ${writtenPageJson('p.user_id', pageWeight)} as json ${pageChain(readerParameters(3))}`);

/** JSON text of a page as it is shown after a write. */
export function findWrittenPage(db: Database, chain: readonly string[], reader: Reader): Promise<{ json: string } | undefined> {
    return runOne(db, oneWritten, [...chain, ...readerValues(reader)]);
}

const names = namesOf(pageColumns);
const changeable = changeableOf(pageColumns);

/** The parameter with a page's styles, of parameters that begin after so many others. */
const stylesIn = (columns: readonly string[], after: number): string => `$${after + 1 + columns.indexOf('styles')}`;

const maker = makerParameters(2);
// The lock on the project's row, below which a page is made or changed, orders all writers of the project.
const insert = statement({ parameters: ['bigint', 'bigint', ...makerTypes, ...typesOf(pageColumns, names)], row: madeColumns, place: writing(inProject(2)) }, `
    with locked as materialized (select p.id, p.user_id, p.revision + 1 as at, ${allowed('p', maker)} as allowed ${projectChain(maker)}
        for no key update of p),
    p as materialized (${stillAllowed(maker)}),
    written as (
        ${inserted('pages', {
        project_id: 'id', ...beginsAt('at'), ...expressions(names, (_name, n) => `$${n + 3 + makerTypes.length}`), page_bytes: bytes(`${stylesIn(names, 2 + makerTypes.length)}::json`)
    },
    `from p where may returning *, page_bytes as grown`)}
    ), ${projectMoved({ author: maker.id, app: maker.app, kind: 'edit', counts: counts({ pages: [1, 0, 0] }) }, 'page_count = p.page_count + 1')}
    select g.id, ${pageJson('p.user_id', `''`)} as json from p left join written g on true`);

/** @throws violations of pages_coordinates_key, projects_page_limit and projects_size_limit */
export function insertPage(db: Database, chain: readonly [user: string, project: string], writer: Writer, fields: Partial<PageFields>): Promise<Made | undefined> {
    const values = valuesOf(names, { ...pageColumns.initial, ...fields });
    return runOne(db, insert, [...chain, ...makerValues(writer), ...values]);
}

const by = writerParameters(3);

/**
 * SQL of a write to the page in a path whose ids are $1 to $3, by the writer in those that follow. The project has to be locked before.
 * @param change of the page; `grown` by how many bytes the project grows; `does` what the history says; `moves` what else changes in the
 * project
 */
const guarded = (change: Omit<Parameters<typeof updated<'pages'>>[1], 'at'>, grown: string, does: string, ...moves: string[]): string => guardedWrite({
    by,
    found: `select g.id, p.user_id, p.revision + 1 as at, g.element_count, ${grown} as grown, ${allowed('p', by)} as allowed ${pageChain(by)}`,
    write: updated('pages', { ...change, at: 'f.at' }, `
        from found f
        where g.id = f.id and f.may and ${preconditionHolds('g.revision', 'g.revision::text', by)}`),
    returning: ', g.project_id, f.grown, f.element_count',
    json: writtenPageJson('$1::bigint', pageWeight),
    also: [projectMoved({ author: by.id, app: by.app, kind: 'edit', counts: does }, ...moves)]
});

const update = statement({ parameters: ['bigint', 'bigint', 'bigint', ...writerTypes, ...typesOf(pageColumns, changeable)], row: outcomeColumns, place: writing(inProject(2)) }, guarded(
    { columns: expressions(changeable, (_name, n) => `$${n + 4 + writerTypes.length}`), grown: 'f.grown' }, growth('g.styles', stylesIn(changeable, 3 + writerTypes.length)), counts({ pages: [0, 1, 0] })));

/**
 * Needs the project's lock, taken before: the answer holds the elements.
 * @throws violations of pages_coordinates_key, pages_size_limit and projects_size_limit
 */
export function updatePage(db: Database, chain: readonly string[], writer: Writer, fields: Partial<PageFields>): Promise<Outcome | undefined> {
    return runOne(db, update, [...chain, ...writerValues(writer), ...valuesOf(changeable, fields)]);
}

const remove = statement({ parameters: ['bigint', 'bigint', 'bigint', ...writerTypes], row: outcomeColumns, place: writing(inProject(2)) }, guarded({ set: [deletes] }, '-g.page_bytes', counts({ pages: [0, 0, 1], elements: [0, 0, 'w.element_count'] }), 'page_count = p.page_count - 1'));

/** Needs the project's lock, taken before. The elements go with the page: nothing is answered below it. */
export function deletePage(db: Database, chain: readonly string[], writer: Writer): Promise<Outcome | undefined> {
    return runOne(db, remove, [...chain, ...writerValues(writer)]);
}
