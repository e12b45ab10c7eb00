import { joinUser } from '../../accounts/users/fragments';
import { isoTime, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { MAX_SHOWN_REPORTS } from '../../limits';

/** Kinds of reports, in the order in which the queue has those with the same count and id. Cursors have the place in here. */
export const reportKinds = ['project', 'comment', 'user'] as const;
export type ReportKind = typeof reportKinds[number];

/** A reported thing in SQL. */
interface Entry {
    kind: ReportKind;
    /** JSON text of it, by its name */
    about: Readonly<Record<string, string>>;
    /** what reads its reports of this round, in the rows `r`; and those of guests, if guests can report it */
    from: string;
    fromGuests?: string;
    /** the state */
    state: string;
}

const listOf = (
    rows: string, from: string, last: string, fields: Readonly<Record<string, string>>, more = ''
): string => `'[' || coalesce((select string_agg(${jsonObject({
    ...fields, reason: plainQuoted('r.reason'), text: quoted('r.text'), at: plainQuoted(isoTime('r.at'))
})}, ',' order by r.at desc, r.${last}) from (select r.* ${from} order by r.at desc, r.${last} limit ${rows}) r ${more}), '') || ']'`;

/** SQL for the JSON text of the reports in the row `q` of a queue. */
export const entryJson = ({ kind, about, from, fromGuests, state }: Entry): string => jsonObject({
    kind: `'"${kind}"'`,
    ...about,
    count: 'q.count',
    reasons: `coalesce((select json_object_agg(c.reason, c.n order by c.reason) from (select r.reason, count(*) as n from (
        select r.reason ${from}${fromGuests === undefined ? '' : ` union all select r.reason ${fromGuests}`}) r
            group by r.reason) c)::text, '{}')`,
    newest_at: plainQuoted(isoTime('q.newest_at')),
    state: plainQuoted(state),
    newest: listOf(String(MAX_SHOWN_REPORTS), from, 'user_id', {
        by: jsonObject({ id: plainQuoted('u.id'), username: quoted('u.username') })
    }, joinUser('r.user_id')),
    guests: fromGuests === undefined ? `'[]'` : listOf(String(MAX_SHOWN_REPORTS), fromGuests, 'viewer', {})
});

/** Columns of an entry in a page of the queue. */
export const entryColumns = { count: 'text', id: 'text', project: 'text', json: 'text' } as const;
