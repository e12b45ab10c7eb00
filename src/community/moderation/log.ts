import { inAllShards } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { runAlways, statement } from '../../database/statements/statement';

const person = (row: string): string => jsonObject({ id: plainQuoted(`l.${row}_id`), username: quoted(`l.${row}_name`) });

const entryJson = jsonObject({
    at: plainQuoted(isoTime('l.at')),
    moderator: orNull(person('moderator')),
    act: plainQuoted('l.act'),
    target: jsonObject({ type: plainQuoted('l.type'), id: plainQuoted('l.thing_id'), project_id: orNull(plainQuoted('l.project_id')), owner: person('owner') }),
    reason: orNull(quoted('l.reason'))
});

const list = statement({ parameters: ['bigint', 'integer'], row: { items: 'text', last: 'text?' }, place: inAllShards({ kind: 'items', count: 2 }) }, `
    with c as materialized (select l.* from moderation_log l where l.id < $1::bigint
        order by l.id desc limit $2::int + 1), shown as (select * from c order by id desc limit $2)
    select coalesce((select string_agg(${entryJson}, ',' order by l.id desc) from shown l), '') as items,
        case when (select count(*) from c) > $2 then (select min(id)::text from shown) end as last`);

/** Entries of the moderation log that are older than the given one, newest first. */
export function listLog(db: Database, before: string, count: number): Promise<{ items: string; last: string | null }> {
    return runAlways(db, list, [before, count]);
}
