import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Maintenance } from '../../client/src/index.js';
import { useAct } from '../ui/act';
import { timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Figures } from './figures';

/** When the maintenance was done, and the way to have it done now. */
export function Upkeep(): JSX.Element {
    const { t, client, language } = useKit();
    const act = useAct();
    const [found, setFound] = useState<Maintenance | null>(null);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        client.admin.maintenance().then(setFound, (error: unknown) => setProblem(problemText(t, language, error)));
    }, []);
    const time = (at: string | null, none: string): string => (at === null ? t(none) : timeIn(language, at));
    return (
        <>
            <p class="lead">{t('admin.maintenance_lead')}</p>
            <p class="problem" role="alert">{problem}</p>
            {found === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <>
                    <Figures label={t('admin.maintenance_state')} of={[
                        [t('admin.maintained'), time(found.done_until, 'admin.never')],
                        [t('admin.due'), found.running ? t('admin.running') : time(found.due_at, 'admin.soon')]
                    ]} />
                    <div class="bar"><button type="button" onClick={() => void act(async () => setFound(await client.admin.startMaintenance()), t('admin.maintain_done'))}>{t('admin.maintain')}</button></div>
                </>
            )}
        </>
    );
}
