import { joinElements, joinPages } from '../pages/fragments';
import { fromUser } from '../../accounts/users/fragments';
import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { elementWeight, pageWeight } from '../../rules/sizes';
import { projectChain } from '../../rules/chain';
import type { Database } from '../../database/statements/connection';
import { gone, live } from '../../database/statements/deletion';
import type { Read } from '../../database/statements/snapshot';
import { runOne } from '../../database/statements/statement';
import { ChangedWhileSent } from '../../api/request/streamed-body';
import { LARGE, MAX_REMOVED } from '../../limits';
import { forReaders, isOpen } from '../../rules/visibility';
import type { Reader, ReaderExpressions } from '../../rules/visibility';
import { groupsOf, joined, PIECE, sizedColumns } from '../pages/pieces';
import type { Sized } from '../pages/pieces';
import { elementJson } from '../../api/representations/element';
import { pageAloneJson } from '../../api/representations/page';
import { projectJson } from '../../api/representations/project';

/** The changes of a project since a revision. */
const differencesColumns = {
    open: 'boolean',
    revision: 'integer',
    /** the oldest revision since which it can be said */
    known_since: 'integer',
    /** JSON text of the project; null if nothing has changed */
    project: 'text?',
    /** of the pages that have changed, as a whole: what has changed in them is at most that */
    weight: 'double precision',
    /** JSON texts of pages without their elements, with commas between them */
    pages: 'text',
    /** the same of elements; null if they are too large for one text */
    elements: 'text?',
    /** the pages that have changed; empty if there is a text */
    sizes: known<Sized[]>('json', [{ id: '1', weight: 1 }]),
    /** JSON texts of ids */
    removed_pages: 'text',
    removed_elements: 'text',
    /** how many ids these are; it is more than MAX_REMOVED if some are left out */
    removed: 'integer'
} as const;
export type Differences = RowOf<typeof differencesColumns>;

const since = '$3::bigint';
const chainAndRevision = ['bigint', 'bigint', 'bigint'];

/** SQL for whether a row was changed since then. */
const moved = (row: string): string => `${row}.project_revision > ${since}`;

/** SQL for the first ids of rows, as JSON text, and for how many they are. */
const idList = (rows: string): string => `(select coalesce(json_agg(id::text order by id)::text, '[]') as ids, count(*)::integer as count from (${rows} limit ${MAX_REMOVED + 1}) rows)`;

const changedPages = `pages g where g.project_id = p.id and ${live('g')} and ${moved('g')}`;
const changedElements = `from p ${joinPages} and ${moved('g')} ${joinElements} and ${moved('e')}`;

// The sizes are those of at most 1,000 pages, which count them, so that nothing grows with the elements before it is known how many there
// are.
const find = forReaders({ parameters: chainAndRevision, row: differencesColumns, place: inProject(2) }, (reader) => `
    with p as materialized (select p.*, u.username ${projectChain(reader)}),
    total as (select coalesce(sum(${pageWeight}), 0)::float8 as weight from p, ${changedPages})
    select ${isOpen('p')} as open, p.revision, p.known_since, weight,
        (select ${projectJson} ${fromUser('p.user_id')} and p.revision > ${since}) as project,
        coalesce((select string_agg(${pageAloneJson('p.user_id')}, ',' order by g.id) from ${changedPages}), '') as pages,
        case when weight <= ${LARGE} then coalesce((select string_agg(${elementJson('p.user_id')}, ',' order by e.id) ${changedElements}), '') end as elements,
        case when weight <= ${LARGE} then '[]' else (select json_agg(json_build_object('id', g.id::text, 'weight', ${pageWeight}) order by g.id) from ${changedPages}) end as sizes,
        gone_pages.ids as removed_pages, gone_elements.ids as removed_elements, greatest(gone_pages.count, gone_elements.count) as removed
    from p, total,
        lateral ${idList(`select g.id from pages g where g.project_id = p.id and ${since} > 0 and ${gone('g')} and g.project_revision > ${since}`)} gone_pages,
        lateral ${idList(`
            select e.id from pages g join elements e on e.page_id = g.id where g.project_id = p.id and ${since} > 0 and g.project_revision > ${since}
                and ((${gone('e')} and e.project_revision > ${since}) or (${gone('g')} and (${live('e')} or e.project_revision > ${since})))`)} gone_elements`);

/** The changes, and whom they are for. */
export async function findDifferences(db: Database, chain: readonly string[], revision: string, reader: Reader, signal: AbortSignal): Promise<Differences & { reader: Reader } | undefined> {
    const found = await runOne(db, ...find(reader, [...chain, revision]), signal);
    return found && { ...found, reader };
}

/** SQL for something of the changed elements of the pages $4, if the project still has the revision $5. */
const ofPages = (what: string, reader: ReaderExpressions, condition = ''): string => `
    select ${what} ${projectChain(reader, `${joinPages} and ${moved('g')} ${joinElements} and ${moved('e')}`)}
        and p.revision = $5::bigint and g.id = any($4::bigint[]) ${condition}`;

/** The pages $4 and the revision $5. */
const ofPagesTypes = [...chainAndRevision, 'bigint[]', 'bigint'];
const together = forReaders({ parameters: ofPagesTypes, row: { same: 'boolean?', json: 'text' }, place: inProject(2) }, (reader) => `
    select (select p.revision ${projectChain(reader)}) = $5::bigint as same, coalesce((select string_agg(json, ',' order by id) from (${ofPages(`${elementJson('p.user_id')} as json, e.id`, reader)}) e), '') as json`);
const sizesOf = forReaders({ parameters: ofPagesTypes, row: sizedColumns, place: inProject(2) }, (reader) =>
    `${ofPages(`e.id, ${elementWeight} as weight`, reader)} order by e.id`);
const some = forReaders({ parameters: [...ofPagesTypes, 'bigint[]'], row: { json: 'text' }, place: inProject(2) }, (reader) =>
    `${ofPages(`${elementJson('p.user_id')} as json`, reader, 'and e.id = any($6::bigint[])')} order by e.id`);

/** The elements that have changed, with commas between them. @throws ChangedWhileSent */
export async function* changedElementsOf(read: Read, chain: readonly string[], from: string, { revision, sizes }: Differences, reader: Reader): AsyncGenerator<string> {
    let before = '';
    for (const pages of groupsOf(sizes, PIECE)) {
        for await (const piece of piecesOf(read, [...chain, from, pages.map(({ id }) => id), revision], pages, reader)) {
            if (piece !== '') {
                yield before + piece;
                before = ',';
            }
        }
    }
}

async function* piecesOf(read: Read, values: readonly unknown[], pages: readonly Sized[], reader: Reader): AsyncGenerator<string> {
    if (pages.every(({ weight }) => weight <= LARGE)) {
        const [found] = await read(...together(reader, values));
        if (found?.same !== true) {
            throw new ChangedWhileSent();
        }

        yield found.json;
        return;
    }

    for (const group of groupsOf(await read(...sizesOf(reader, values)), PIECE)) {
        yield joined(await read(...some(reader, [...values, group.map(({ id }) => id)])), group.length);
    }
}
