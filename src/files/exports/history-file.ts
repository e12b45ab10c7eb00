import { inProject } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { SELF } from '../../rules/point';
import { FRAME, estimated } from '../../rules/sizes';
import { jsonObject, orNull, plainQuoted } from '../../database/statements/json-sql';
import { gone } from '../../database/statements/deletion';
import type { Read } from '../../database/statements/snapshot';
import { statement } from '../../database/statements/statement';
import type { Statement } from '../../database/statements/statement';
import { FORMAT } from '../format/schema';
import { ChangedWhileSent } from '../../api/request/streamed-body';
import { PIECE, groupsOf } from '../../projects/pages/pieces';
import { changeJson, withAuthor } from '../../api/representations/change';
import { elementInFile, pageAloneInFile } from './file-json';
import { isAt } from './queries';
import type { Exported } from './queries';

/** A row of a list that is read in pieces, and its key, after which to continue. */
const rowColumns = { json: 'text', after: 'text[]' } as const;
type Row = RowOf<typeof rowColumns>;

/** Number of rows that are read together, if they are small. */
const MOST = 500;

/** Characters of rows that are passed on together. Longer texts stay in memory until all of it is cleaned up: with texts of 1 MiB, an export of 78 MiB took up to 82 MiB, and 63 with these. */
const TOGETHER = 64 * 1024;

/** A list in the file, in the order of its key, which is unique. */
interface List {
    sql: Statement<Row>;
    /** a place before all rows */
    start: readonly string[];
}

interface ListText {
    /** SQL for the rows of the project $1 up to its revision $2 */
    rows: string;
    condition: string;
    joins?: string;
    /** columns of the key, each with its type and the value before all others */
    key: readonly (readonly [column: string, type: string, start: string])[];
    /** SQL for roughly how many bytes a row has */
    weight: string;
    json: string;
}

/** Reads a list piece by piece: at least one row, and about a MiB of them together. */
function listOf({ rows, condition, joins = '', key, weight, json }: ListText): List {
    const [columns, places] = [key.map(([column]) => column).join(', '), key.map(([, type], index) => `$${index + 3}::${type}`).join(', ')];
    const names = key.map((_part, index) => `k${index}`);
    const sql = statement({ parameters: ['bigint', 'integer', ...key.map(([, type]) => type)], row: rowColumns, place: inProject(1) }, `
        with near as materialized (
            select ${key.map(([column], index) => `${column} as k${index}`).join(', ')}, (${weight})::float8 as weight
            from ${rows} where ${condition} and (${columns}) > (${places}) order by ${columns} limit ${MOST}
        ), picked as materialized (
            select * from (select *, sum(weight) over place as total, row_number() over place as n from near window place as (order by ${names.join(', ')})) s
            where n = 1 or total <= ${PIECE}
        )
        select ${json} as json, array[${key.map(([column]) => `${column}::text`).join(', ')}] as after
        from picked join ${rows} on (${columns}) = (${names.join(', ')}) ${joins} where ${condition} order by ${columns}`);
    return { sql, start: key.map(([, , start]) => start) };
}

const weightOf = (...values: string[]): string => [FRAME, ...values.map((value) => `coalesce(${estimated(value)}, 0)`)].join(' + ');

const lists = {
    changes: listOf({
        rows: 'project_changes c', condition: 'c.project_id = $1 and c.revision <= $2', joins: withAuthor,
        key: [['c.revision', 'integer', '0']], weight: weightOf(), json: changeJson
    }),
    before: listOf({
        rows: 'versions v', condition: `v.project_id = $1 and v.to_revision <= $2 and v.field <> '${SELF}'`,
        key: [['v.type', 'thing', 'project'], ['v.id', 'bigint', '0'], ['v.field', 'text', ''], ['v.to_revision', 'integer', '0']], weight: weightOf('v.value'),
        json: jsonObject({ type: plainQuoted('v.type'), id: plainQuoted('v.id'), field: plainQuoted('v.field'), until: 'v.to_revision', value: orNull('v.value::text') })
    }),
    removedPages: listOf({
        rows: 'pages g', condition: `g.project_id = $1 and ${gone('g')} and $2::integer is not null`, key: [['g.id', 'bigint', '0']], weight: weightOf('g.styles'),
        json: pageAloneInFile
    }),
    removedElements: listOf({
        rows: 'pages g join elements e on e.page_id = g.id', condition: `g.project_id = $1 and (${gone('e')} or ${gone('g')}) and $2::integer is not null`, key: [['e.id', 'bigint', '0']],
        weight: weightOf('e.attributes', 'e.styles'), json: elementInFile({ page_id: plainQuoted('e.page_id') })
    })
};

async function* rowsOf(read: Read, { sql, start }: List, { id, revision }: Exported): AsyncGenerator<string> {
    let [after, before] = [start, ''];
    for (;;) {
        const rows = await read(sql, [id, revision, ...after]);
        const last = rows.at(-1);
        if (last === undefined) {
            return;
        }

        for (const group of groupsOf(rows.map(({ json }) => ({ json, weight: json.length })), TOGETHER)) {
            yield before + group.map(({ json }) => json).join(',\n');
            before = ',\n';
        }

        after = last.after;
    }
}

/**
 * The file `history.json` of a project: its changes, what fields had before them, and what was removed.
 * @throws ChangedWhileSent if the project has changed since it was found
 */
export async function* historyFileTexts(read: Read, found: Exported): AsyncGenerator<string> {
    yield `{"$schema":"/schemas/history.json","format":"${FORMAT.history}","version":${FORMAT.version},"revision":${found.revision},\n"changes":[\n`;
    yield* rowsOf(read, lists.changes, found);
    yield '],\n"before":[\n';
    yield* rowsOf(read, lists.before, found);
    yield '],\n"removed":{"pages":[\n';
    yield* rowsOf(read, lists.removedPages, found);
    yield '],"elements":[\n';
    yield* rowsOf(read, lists.removedElements, found);
    if (!await isAt(read, found)) {
        throw new ChangedWhileSent();
    }

    yield ']}}\n';
}
