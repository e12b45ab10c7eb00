import { joinElements, joinPages } from '../pages/fragments';
import { inProjectOfEachRow, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { allowed, rolesOf, stillAllowed } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { mayRefer } from '../../rules/asset-references';
import { arrayTypesOf, arrays, changeableOf, elementColumns, expressions, valuesOf } from '../../rules/columns';
import { outcomeColumns } from '../../rules/conditional-write';
import type { Outcome } from '../../rules/conditional-write';
import { growth } from '../../rules/sizes';
import { mayRead } from '../../rules/visibility';
import { counts, parentsMoved, updated } from '../../rules/write-sql';
import type { Database } from '../../database/statements/connection';
import { batched } from '../../api/concurrency/batcher';
import { arrayParameter } from '../../database/statements/array-parameter';
import { live } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import { MAX_PAGE_BYTES, MAX_PROJECT_BYTES } from '../../limits';
import { elementJson } from '../../api/representations/element';
import type { ElementFields } from '../../api/representations/element';
import { errorCode } from '../../database/error-code';

const rowColumns = {
    ...outcomeColumns,
    n: 'integer',
    /** false where nothing was written as this batch might fill the page or the project: it has to be tried alone */
    fits: 'boolean'
} as const;
type Row = RowOf<typeof rowColumns>;

const changeable = changeableOf(elementColumns);
const right = { id: 'a.writer_id', moderator: 'a.moderator', roles: rolesOf('update') };
const locked = { id: 'l.writer_id', moderator: 'l.moderator', tokenHash: 'l.token_hash' };

/**
 * Changes elements of several projects, one in each, in one statement. Projects are locked in order of id, as every writer of several
 * does; the revision is checked in the row as the writer before left it. The page and the element are locked as well, so that
 * their sizes are current.
 *
 * An edit that its page or project has no room for must not fail the others of its batch. So an edit that grows is left out if all
 * that the batch adds might not fit, and done alone, where the triggers of projects/pages/schema.sql decide.
 */
const update = statement({ parameters: ['bigint[]', 'bigint[]', 'bigint[]', 'bigint[]', 'bigint[]', 'boolean[]', 'integer[]', 'text[]', 'bigint[]', 'bytea[]', ...arrayTypesOf(elementColumns, changeable)], row: rowColumns, place: writing(inProjectOfEachRow(2)) }, `
    with locked as materialized (
        select a.*, p.user_id as owner_id, p.revision + 1 as at, p.project_bytes, g.page_bytes, ${allowed('p', right)} as allowed,
            ${growth('e.attributes', 'a.attributes')} + ${growth('e.styles', 'a.styles')} as grown
        from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::integer[], $8::text[], $9::bigint[], $10::bytea[], ${arrays(elementColumns, changeable, 11)}) with ordinality
            as a (user_id, project_id, page_id, element_id, writer_id, moderator, revision, tags, app_id, token_hash, ${changeable.join(', ')}, n)
        join projects p on p.id = a.project_id and p.user_id = a.user_id and ${live('p')} and ${mayRead('p', right)}
        ${joinPages} and g.id = a.page_id
        ${joinElements} and e.id = a.element_id
        order by p.id for no key update of p, g, e
    ), found as materialized (${stillAllowed(locked)}
    ), batch as materialized (
        select count(*) = 1 as alone, coalesce(sum(grown) filter (where grown > 0), 0) as grown from found
    ), fitting as materialized (
        select f.*, b.alone or f.grown <= 0
            or (f.page_bytes + b.grown <= ${MAX_PAGE_BYTES} and f.project_bytes + b.grown <= ${MAX_PROJECT_BYTES}) as fits
        from found f, batch b
    ), written as (
        ${updated('elements', { columns: expressions(changeable, (name) => `f.${name}`), at: 'f.at' }, `
        from fitting f
        where e.id = f.element_id and ${live('e')} and f.may and f.fits
            and (f.revision is null or e.revision = f.revision) and (f.tags is null or e.revision::text = any(string_to_array(f.tags, ',')))
        returning f.n, f.page_id, f.project_id, f.at, f.writer_id, f.app_id, f.grown, ${elementJson('f.owner_id')} as json`)}
    ), ${parentsMoved({ author: 'w.writer_id', app: 'w.app_id', kind: 'edit', counts: counts({ elements: [0, 1, 0] }) })}
    select f.n::int as n, f.may as allowed, w.json as written, not f.may or f.fits as fits
    from fitting f left join written w on w.n = f.n`);

export interface Edit {
    /** ids of the user, the project, the page and the element */
    chain: readonly [string, string, string, string];
    writer: Writer;
    fields: Partial<ElementFields>;
}

/** An edit as it goes into the statement. */
interface Written extends Omit<Edit, 'fields'> {
    /** of the columns that can be changed, null for those that stay */
    values: unknown[];
}

/** Changes an element; undefined if the path's ids do not belong together. */
export type EditElement = (edit: Edit) => Promise<Outcome | undefined>;

/** Number of full batches that run at a time. */
const LANES = 2;

/** The entity tags of elements are their revisions; any other tag matches none. */
const tagList = (tags: string[] | null): string | null => tags && tags.filter((tag) => /^[0-9]+$/.test(tag)).join(',');

/** The parameters of the statement. */
const parametersOf = (batch: readonly Written[]): unknown[] => [
    ...[0, 1, 2, 3].map((link) => batch.map(({ chain }) => chain[link])),
    batch.map(({ writer }) => writer.id), batch.map(({ writer }) => writer.moderator), batch.map(({ writer }) => writer.revision), batch.map(({ writer }) => tagList(writer.tags)), batch.map(({ writer }) => writer.app ?? null), batch.map(({ writer }) => writer.tokenHash ?? null),
    ...changeable.map((name, n) => arrayParameter(elementColumns.types[name], batch.map(({ values }) => values[n])))
];

const writtenOf = ({ chain, writer, fields }: Edit): Written => ({ chain, writer, values: valuesOf(changeable, fields) });

const writeAlone = (db: Database, edit: Written): Promise<Outcome | undefined> => runOne(db, update, parametersOf([edit]));

/** Edits one element on its own, as in a transaction. @throws violations of pages_size_limit and projects_size_limit */
export function editElement(db: Database, chain: Edit['chain'], writer: Writer, fields: Edit['fields']): Promise<Outcome | undefined> {
    return writeAlone(db, writtenOf({ chain, writer, fields }));
}

/**
 * Edits of elements, in batches: editors send many small ones, and a commit is most of the cost of each.
 * @throws violations of pages_size_limit and projects_size_limit
 */
export function elementEditor(db: Database): EditElement {
    // Each has a promise of its own, as an edit that is written alone can fail alone.
    const write = batched(async (batch: readonly Written[]): Promise<{ outcome: Promise<Outcome | undefined> }[]> => {
        // One that refers to an asset that does not exist must not fail the others either.
        const together = batch.filter(({ values }) => !values.some((value) => typeof value === 'string' && mayRefer(value)));
        const found = together.length === 0 ? [] : await run(db, update, parametersOf(together)).catch((error: unknown): Row[] | undefined => {
            // On a cluster a batch is a statement for each edit, and all of them fail if one breaks a limit.
            if (together.length > 1 && errorCode(error)?.startsWith('23') === true) {
                return undefined;
            }

            throw error;
        });
        if (found === undefined) {
            return batch.map((edit) => ({ outcome: writeAlone(db, edit) }));
        }

        const rows = new Map(found.map((row) => [together[row.n - 1], row]));
        return batch.map((edit) => {
            if (!together.includes(edit)) {
                return { outcome: writeAlone(db, edit) };
            }

            const row = rows.get(edit);
            return { outcome: row?.fits !== false ? Promise.resolve(row) : writeAlone(db, edit) };
        });
    }, { lanes: LANES, key: ({ chain }) => chain[1], size: ({ values }) => values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0) });

    return async (edit) => {
        const { outcome } = await write(writtenOf(edit));
        return await outcome;
    };
}
