import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Statistics } from '../../client/src/index.js';
import { timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { inRegion } from '../region';
import { Figures } from './figures';
import { bytesIn, numberIn } from './numbers';

/** Numbers of the place, and of each day. */
export function Numbers(): JSX.Element {
    const { t, client, language } = useKit();
    const [found, setFound] = useState<Statistics | null>(null);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        client.admin.statistics().then(setFound, (error: unknown) => setProblem(problemText(t, language, error)));
    }, []);
    const number = (value: number): string => numberIn(language, value);
    const counted = ({ count, estimated }: { count: number; estimated: boolean }): string => (estimated ? t('admin.about', { number: number(count) }) : number(count));
    const waiting = ({ count, more }: { count: number; more: boolean }): string => (more ? t('admin.at_least', { number: number(count) }) : number(count));
    const size = (bytes: number): string => bytesIn(language, bytes);
    const day = (text: string): string => new Intl.DateTimeFormat(inRegion(language), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(text));
    return (
        <>
            <p class="problem" role="alert">{problem}</p>
            {found === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <>
                    <p class="lead">{t('admin.as_of', { time: timeIn(language, found.at) })}</p>
                    <Figures label={t('admin.in_all')} of={[[t('admin.people'), counted(found.people)], [t('admin.projects'), counted(found.projects)], [t('admin.assets'), counted(found.assets)]]} />
                    <Figures label={t('admin.sizes')} of={[
                        [t('admin.size_database'), size(found.bytes.database)], [t('admin.projects'), size(found.bytes.projects)], [t('admin.size_history'), size(found.bytes.history)]
                    ]} />
                    <Figures label={t('admin.queues')} of={[
                        [t('admin.queue_reports'), waiting(found.queues.reports)], [t('admin.webhooks'), waiting(found.queues.webhooks)], [t('admin.queue_search'), waiting(found.queues.search)]
                    ]} />
                    <section class="part">
                        <h2 id="days">{t('admin.days')}</h2>
                        <div class="wide" role="region" aria-labelledby="days" tabIndex={0}>
                            <table class="days" aria-labelledby="days">
                                <thead><tr>{['day', 'edits', 'requests', 'errors', 'sign_ups'].map((name) => <th key={name} scope="col">{t(`admin.${name}`)}</th>)}</tr></thead>
                                <tbody>
                                    {found.days.map((each) => (
                                        <tr key={each.day}>
                                            <th scope="row">{day(each.day)}</th>
                                            {[each.edits, each.requests, each.errors, each.sign_ups].map((value, index) => <td key={index}>{number(value)}</td>)}
                                        </tr>
                                    ))}
                                </tbody>
                            </table>
                        </div>
                    </section>
                </>
            )}
        </>
    );
}
