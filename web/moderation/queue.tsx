import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { Decision } from './decision';
import { Entry } from './entry';
import { keyOf, kinds, listReported } from './reported';
import type { Reported, State } from './reported';

/** Reported projects, comments and people that nobody has decided about, the most reported first. */
export function Queue(): JSX.Element {
    const { t, client } = useKit();
    const [shown, setShown] = useState('all');
    const [open, setOpen] = useState<{ report: Reported; state: State } | null>(null);
    const kind = kinds.find((each) => each === shown) ?? null;
    const list = useList<Reported>(() => listReported(client, kind), [kind]);
    return (
        <>
            <p class="lead">{t('moderation.lead')}</p>
            <div class="bar">
                <label>{t('moderation.show')}{' '}
                    <select class="small" value={shown} onChange={({ currentTarget }) => setShown(currentTarget.value)}>
                        {['all', ...kinds].map((each) => <option key={each} value={each}>{t(`moderation.kind_${each}`)}</option>)}
                    </select>
                </label>
            </div>
            <Items list={list} label={t('moderation.reports')} empty={t('moderation.none')} keyOf={keyOf}>
                {(report) => (
                    <Entry report={report} onDecide={(state) => setOpen({ report, state })}
                        onChange={(project) =>
                            list.change((items) => items.map((each) => (each === report ? { ...each, project } : each)))} />
                )}
            </Items>
            {open !== null && (
                <Decision {...open} onClose={() => setOpen(null)} onDone={() => {
                    list.change((items) => items.filter((each) => each !== open.report));
                    setOpen(null);
                }} />
            )}
        </>
    );
}
