import { fitting } from '../bounded-page';
import { parseLike } from '../samples';
import { rowOf } from './values';
import type { Asked, Row } from './values';

/** The last SELECT of `pageOf` (src/projects/lists.ts), which is replaced, so that the rows of all shards can be put in one order. */
const selects = /\/\* page \*\/ select ([\s\S]*?)coalesce\(\(select string_agg\(json, ',' order by n\) from shown\), ''\) as items,[\s\S]*$/;
/** A search ends after some time and says how far it came. Shards would come to different places, so none ends early. */
const patience = 'or clock_timestamp() < statement_timestamp() + make_interval(secs => $5::float8 / 1000)';
/** The end of a page by its bytes, which comes when the parts of all shards are in order. */
const ends = /f\.bytes <= \d+/;
const isSearch = (text: string): boolean => text.includes('walk');

/** A shard's part of a page: so many rows that the page can be all of them. */
export function pageOfShard({ text, values, declared }: Asked): Asked {
    const own = [...values];
    if (text.includes('offset $4')) {
        own[2] = Number(values[2]) + Number(values[3]);
        own[3] = 0;
    }

    // A search is in the order of ids among equals; the other lists are in the order of a time before it.
    const time = isSearch(text) ? '0' : 's.time';
    return {
        text: text.replace(patience, 'or $5::float8 is not null').replace(ends, 'true').replace(selects, (_all, columns: string) => `select ${columns} (
            select json_agg(json_build_array(k.rank, ${time}, s.id::text, s.json)) from picked k join shown s on s.n = k.n
        ) as items, (select count(*) from picked) > $3 as rank`),
        values: own,
        declared
    };
}

type Item = [rank: number, time: number, id: string, json: string];

interface PageOfShard {
    items: Item[] | null;
    rank: boolean;
    found?: boolean;
}

const later = (a: string, b: string): number => (BigInt(a) > BigInt(b) ? -1 : Number(BigInt(a) < BigInt(b)));

/** One page of what the shards have found, in the order of the list. */
export function mergePages(texts: readonly string[], { text, values, declared: { columns } }: Asked): Row[] {
    const [count, skipped] = [Number(values[2]), text.includes('offset $4') ? values[3] : null];
    const offset = Number(skipped);
    const rows = texts.map((one) => parseLike<PageOfShard>(one, { items: null, rank: true }, { items: [] }));
    const items = rows.flatMap(({ items: found }) => found ?? []).sort((a, b) => a[0] - b[0] || b[1] - a[1] || later(a[2], b[2]));
    const rest = items.slice(offset).map(([rank, time, id, json]) => ({ rank, time, id, json }));
    const page = skipped === null ? fitting(rest, count).shown : rest.slice(0, count);
    const more = items.length > offset + page.length || rows.some(({ rank }) => rank);
    const last = more ? page.at(-1) : undefined;
    const first = rowOf(JSON.stringify({ ...rows[0], items: '', rank: null }), columns);
    return [{
        ...first, ...'found' in first ? { found: rows.some(({ found }) => found) } : {}, items: page.map(({ json }) => json).join(','),
        rank: last?.rank ?? null, time: last === undefined ? null : String(last.time), id: last?.id ?? null
    }];
}

/** A shard's part of a list: its items with what they are ordered by. */
export const itemsOfShard = (text: string): string =>
    text.replace(`string_agg(s.json, ',' order by s.id desc)`, 'json_agg(json_build_object(\'id\', s.id::text, \'json\', s.json))::text');

/** The newest of the items of all shards, by their ids: those of a shard that has more may follow its last one. */
export function mergeItems(rows: readonly Row[], count: number): Row[] {
    const items = rows.flatMap((row) => parseLike<{ id: string; json: string }[]>(row.items === '' ? '[]' : String(row.items), [{ id: '', json: '' }])).sort((a, b) => later(a.id, b.id));
    const { shown, items: texts, last } = fitting(items.filter(({ id }) => rows.every(({ id: end }) => end === null || later(id, String(end)) <= 0)), count);
    const more = items.length > shown.length || rows.some(({ id }) => id !== null);
    return [{ items: texts, rank: 0, id: (more ? shown.at(-1) : last)?.id ?? null }];
}

/** A statement of the coordinator that looks up each project by its id, which is a request to its shard. */
export const withLookups = (text: string): string => text
    .replace('from used_assets w join projects p on p.id = w.project_id where w.hash = a.hash and p.user_id = s.user_id', 'from projects_using(a.hash, s.user_id) p')
    .replace(/from projects p where p\.id = any\((array\(select [^()]*\))\)/g, 'from projects_by_ids($1) p where true')
    .replace(/from projects p join users u on u\.id = p\.user_id left join project_stats s on s\.project_id = p\.id\s+where p\.id = ((?!any\b)[$a-z._0-9]+)/g,
        'from project_by_id($1) p join users u on u.id = p.user_id left join lateral stats_of(p.id) s on true where true')
    .replace(/(from|join) projects p (?:where|on) p\.id = ((?!any\b)[$a-z._0-9]+)/g, (_all, word: string, id: string) => `${word} project_by_id(${id}) p ${word === 'from' ? 'where' : 'on'} true`)
    .replaceAll('from project_members m where m.project_id = p.id', 'from members_of(p.id) m where true')
    .replaceAll('from projects p where p.user_id = u.id', 'from projects_of(u.id) p where true')
    .replaceAll('from asset_uses u where u.hash = a.hash', 'from uses_of(a.hash) u where true')
    .replace('exists (select from search_queue)', 'any_queued()');
