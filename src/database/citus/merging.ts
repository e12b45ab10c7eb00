import type { Columns, ShardMerge } from '../declaration';
import { itemsOfShard, mergeItems, mergePages, pageOfShard } from './pages';
import { rowOf } from './values';
import type { Asked, Row } from './values';

/** The statement for each shard, written so that the whole result can be made of what all return. */
export function askedOfShard(merge: ShardMerge, asked: Asked): Asked {
    switch (merge.kind) {
        case 'page': return pageOfShard(asked);
        case 'items': return { ...asked, text: itemsOfShard(asked.text) };
        case 'every': return { ...asked, text: asked.text.replace(/limit [0-9]+\s*$/, '') };
        default: return asked;
    }
}

const idOf = (row: Row): bigint => BigInt(String(row.id));
const byId = (a: Row, b: Row): number => (idOf(a) < idOf(b) ? -1 : Number(idOf(a) > idOf(b)));

/** One result of what all shards returned: the JSON of rows, by shard. */
export function merged(merge: ShardMerge, found: readonly string[][], asked: Asked): Row[] {
    const { values, declared } = asked;
    const columns = declared.columns ?? {};
    if (merge.kind === 'page') {
        return mergePages(found.flat(), asked);
    }

    const rows = found.flat().map((one) => rowOf(one, columns));
    switch (merge.kind) {
        case 'rows': return rows;
        case 'sum': return [sumOf(rows, columns)];
        case 'lock': return locksOf(rows);
        case 'items': return mergeItems(rows, Number(values[merge.count - 1]));
        case 'first': return rows.sort(byId).slice(0, merge.count);
        case 'newest': return rows.sort((a, b) => byId(b, a)).slice(0, merge.count);
        case 'latest': return rows.sort((a, b) => String(b[merge.column]).localeCompare(String(a[merge.column])) || byId(b, a));
        case 'pick': return rows.sort((a, b) => Number(a[merge.column] !== null) - Number(b[merge.column] !== null) || byId(a, b)).slice(0, 1);
        case 'every': return everyOf(rows, found.length).slice(0, merge.count);
    }
}

/** The numbers of all rows, added up; those that pg gives as texts stay texts. */
function sumOf(rows: readonly Row[], columns: Columns): Row {
    return Object.fromEntries(Object.keys(columns).map((name) => {
        const sum = rows.reduce((so, row) => so + Number(row[name]), 0);
        return [name, typeof rows[0]?.[name] === 'string' ? String(sum) : sum];
    }));
}

/** Every shard knows the ids that were given, but only one of them has the project. */
function locksOf(rows: readonly Row[]): Row[] {
    const ids = [...new Set(rows.map(({ id }) => id))];
    return ids.map((id) => {
        const own = rows.filter((row) => row.id === id);
        return { id, locked: own.some(({ locked }) => locked) };
    });
}

/** The rows that all shards returned, each once. */
function everyOf(rows: readonly Row[], shards: number): Row[] {
    const times = new Map<string, number>();
    rows.forEach(({ id }) => void times.set(String(id), (times.get(String(id)) ?? 0) + 1));
    const once = new Map(rows.map((row) => [String(row.id), row]));
    return [...once].filter(([id]) => times.get(id) === shards).map(([, row]) => row).sort(byId);
}
