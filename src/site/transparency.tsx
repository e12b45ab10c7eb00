import type { JSX } from 'preact';

import type { publicSummary } from '../community/statements';
import type { PageContext } from './context';

/** The moderation of months in numbers, the newest first. */
type Months = Awaited<ReturnType<typeof publicSummary>>;

/** Whether anything was counted in a month. */
const isCounted = ({ reports, decisions, appeals }: Months[number]): boolean =>
    [reports, decisions, appeals].some((counts) => Object.values(counts).some((count) => count > 0));

/** The outcome of reports, month by month. */
export function Transparency({ page: { t, language }, months }: { page: PageContext; months: Months }): JSX.Element {
    const name = new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' });
    const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    const group = (title: string, counts: readonly (readonly [label: string, count: number])[]): JSX.Element => (
        <div>
            <h3>{title}</h3>
            <dl>
                {counts.map(([label, count]) =>
                    <div key={label}><dt>{t(`transparency.${label}`)}</dt><dd>{number.format(count)}</dd></div>)}
            </dl>
        </div>
    );
    const shown = months.filter(isCounted);
    return (
        <article class="transparency">
            <h1>{t('transparency.title')}</h1>
            <p>{t('transparency.lead')}</p>
            {shown.length === 0 && <p>{t('transparency.none')}</p>}
            {shown.map(({ month, reports, decisions, median_hours: hours, appeals }) => (
                <section key={month}>
                    <h2>{name.format(new Date(`${month}-01T00:00:00Z`))}</h2>
                    {hours !== null && <p>{t('transparency.hours', { number: number.format(Math.max(hours, 1)) })}</p>}
                    <div class="numbers">
                        {group(t('transparency.reports'), [['report_project', reports.project], ['report_comment', reports.comment],
                            ['report_user', reports.user]])}
                        {group(t('transparency.decisions'), [['kept', decisions.kept], ['hold', decisions.hold],
                            ['remove', decisions.remove], ['suspend', decisions.suspend]])}
                        {group(t('transparency.appeals'),
                            [['upheld', appeals.upheld], ['reversed', appeals.reversed], ['open', appeals.open]])}
                    </div>
                </section>
            ))}
        </article>
    );
}
