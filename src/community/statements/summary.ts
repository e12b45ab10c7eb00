import Joi from 'joi';

import { bodyOf, record } from '../../api/representations/shapes';
import { inAllShards } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';
import { MAX_LAG } from '../../limits';

/** Months that the summary of moderation goes back. */
const SUMMARY_MONTHS = 12;

/** Acts that are counted, and the kinds of what they are about. */
export const countedActs = ['report', 'hold', 'remove', 'suspend', 'kept'] as const;
export const countedKinds = ['project', 'comment', 'user'] as const;
type CountedAct = typeof countedActs[number];
type CountedKind = typeof countedKinds[number];

/** A month of moderation in numbers. It names nobody. */
export interface SummaryMonth {
    /** in UTC, as 2026-11 */
    month: string;
    reports: Record<CountedKind, number>;
    decisions: Record<Exclude<CountedAct, 'report'>, number>;
    /** from the first report to the decision, in the middle of all that came of reports; null if none did */
    median_hours: number | null;
    /** by the month in which they were sent */
    appeals: { upheld: number; reversed: number; open: number };
}

const number = (what: string): Joi.NumberSchema => Joi.number().integer().min(0).max(2 ** 53 - 1).description(what).example(3);

export const summaryBody = bodyOf('success', {
    months: Joi.array().max(SUMMARY_MONTHS).items(record({
        month: Joi.string().pattern(/^\d{4}-\d\d$/, 'a month, such as 2026-11').description('The month, in UTC.').example('2026-11'),
        reports: record({
            project: number('Of projects.'), comment: number('Of comments.'), user: number('Of users.')
        }).description('Reports that were sent.'),
        decisions: record({
            hold: number('Held.'), remove: number('Removed.'), suspend: number('Suspended.'), kept: number('Left as it was.')
        }).description('Decisions, also those of filters.'),
        median_hours: number(
            'Hours from the first report to the decision: half of the decisions took longer. Null if none came of reports.'
        ).allow(null),
        appeals: record({
            upheld: number('The decision stayed.'), reversed: number('The decision was undone.'), open: number('Nobody has decided yet.')
        }).description('Appeals that were sent in this month.')
    }).id('ModerationMonth').description('A month of moderation.')).description(`The last ${SUMMARY_MONTHS} months, the newest first.`)
});

const countedColumns = { month: 'text', kind: 'text', act: 'text', hours: 'integer?', n: 'integer' } as const;
type Counted = RowOf<typeof countedColumns>;

const monthOf = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM')`;

// Of an index of times each, and as many rows as there are hours to decide in.
const counted = statement({ parameters: ['timestamp with time zone'], row: countedColumns, place: inAllShards() }, `
    select ${monthOf('c.at')} as month, c.kind, c.act, c.hours, count(*)::int as n
        from moderation_counts c where c.at >= $1 group by 1, 2, 3, 4
    union all
    select ${monthOf('s.appealed_at')}, 'appeal', coalesce(s.outcome, 'open'), null, count(*)::int
        from statements s where s.appealed_at >= $1 group by 1, 3`);

/** The middle one of so many hours, each of which is there `n` times. */
function medianOf(rows: readonly Counted[]): number | null {
    const timed = rows.flatMap(({ hours, n }) => (hours === null ? [] : [{ hours, n }])).sort((a, b) => a.hours - b.hours);
    let left = Math.ceil(timed.reduce((sum, { n }) => sum + n, 0) / 2);
    return timed.find(({ n }) => (left -= n) <= 0)?.hours ?? null;
}

/** The last months of moderation in numbers, the newest first. @param now in milliseconds since 1970 */
export async function summarize(db: Database, now: number): Promise<SummaryMonth[]> {
    const date = new Date(now);
    const months = Array.from({ length: SUMMARY_MONTHS }, (_month, back) =>
        new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1)).toISOString());
    const rows = await run(db, counted, [months.at(-1)]);
    return months.map((begin) => {
        const month = begin.slice(0, 7);
        const own = rows.filter((row) => row.month === month);
        const sum = (kind: string | null, act: string): number => own.filter((row) =>
            (kind === null ? row.kind !== 'appeal' : row.kind === kind) && row.act === act).reduce((so, { n }) => so + n, 0);
        return {
            month,
            reports: { project: sum('project', 'report'), comment: sum('comment', 'report'), user: sum('user', 'report') },
            decisions: { hold: sum(null, 'hold'), remove: sum(null, 'remove'), suspend: sum(null, 'suspend'), kept: sum(null, 'kept') },
            median_hours: medianOf(own),
            appeals: { upheld: sum('appeal', 'upheld'), reversed: sum('appeal', 'reversed'), open: sum('appeal', 'open') }
        };
    });
}

const known = new WeakMap<Database, { until: number; months: Promise<SummaryMonth[]> }>();

/** The months for everybody to read. They may lag by some seconds, so that many who look at them are one statement. */
export function publicSummary(db: Database, now: number): Promise<SummaryMonth[]> {
    const found = known.get(db);
    if (found !== undefined && now < found.until && found.until - now <= MAX_LAG * 1000) {
        return found.months;
    }

    const months = summarize(db, now);
    known.set(db, { until: now + MAX_LAG * 1000, months });
    months.catch(() => known.delete(db));
    return months;
}
