import type { ListPlace } from '../../api/request/pagination';
import { writeCursor } from '../../api/request/pagination';
import { inAllShards } from '../../database/declaration';
import { fitting } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, milliseconds, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, statement } from '../../database/statements/statement';
import { fromQueuedReports } from '../moderation/fragments';

const reportJson = (kind: string, thing: string, project: string): string => jsonObject({
    kind, thing_id: plainQuoted(thing), project_id: project, reason: plainQuoted('r.reason'), text: quoted('r.text'),
    created_at: plainQuoted(isoTime('r.at')), outcome: orNull(plainQuoted('q.outcomes[r.round + 1]'))
});

const rank = `case r.type when 'comment' then 1 else 2 end`;

/** SQL for the reports of the user $1 that are older than a place. */
const part = (columns: string, from: string, place: string): string => `
    (select r.at, ${columns} as json ${from} where r.user_id = $1 and r.at <= $2::timestamptz
        and (r.at, ${place}) < ($2::timestamptz, $3::int, $4::bigint) order by r.at desc, rank desc, id desc limit $5::int)`;

const ofProjects = part(
    `0 as rank, r.project_id as id, ${reportJson(`'"project"'`, 'r.project_id', plainQuoted('r.project_id'))}`, fromQueuedReports,
    '0, r.project_id'
);
const ofOthers = part(
    `${rank} as rank, r.thing_id as id, ${reportJson(plainQuoted('r.type'), 'r.thing_id', `case when r.project_id = 0 then 'null' else ${plainQuoted('r.project_id')} end`)}`,
    'from thing_reports r join thing_report_queue q on q.project_id = r.project_id and q.type = r.type and q.thing_id = r.thing_id',
    `${rank}, r.thing_id`
);

const list = statement({
    parameters: ['bigint', 'timestamp with time zone', 'integer', 'bigint', 'integer'],
    row: { time: 'bigint', rank: 'integer', id: 'bigint', json: 'text' }, place: inAllShards()
}, `
    select ${milliseconds('s.at')} as time, s.rank, s.id, s.json from (${ofProjects} union all ${ofOthers}) s
    order by s.at desc, s.rank desc, s.id desc limit $5::int`);

/** The reports that a user has sent, newest first, with what came of them. A page ends at so many items or bytes. */
export async function listOwnReports(
    db: Database, userId: string, { before, rank: last, beforeId, count }: ListPlace
): Promise<{ items: string; next: string | null }> {
    const found = await run(db, list, [userId, before, last, beforeId, count + 1]);
    const rows = found.sort((a, b) => Number(b.time) - Number(a.time) || b.rank - a.rank || Number(BigInt(b.id) - BigInt(a.id)));
    const { items, last: end } = fitting(rows, count);
    return { items, next: end === undefined ? null : writeCursor(end) };
}
