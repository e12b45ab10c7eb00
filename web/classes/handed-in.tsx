import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import type { Work } from '../../client/src/index.js';
import type { Point } from '../../client/src/history.js';
import { Page, drawnWith } from '../editor/drawing';
import { Dialog } from '../ui/dialog';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';

const noName = (): string => '';

/** The point that was handed in with a work: all of its pages, as they were, also if the pupil has gone on since. */
export function HandedIn({ title, work: { user_id: user, project_id: project, point }, onClose }: { title: string; work: Work; onClose(): void }): JSX.Element {
    const { t, client, language } = useKit();
    const [shown, setShown] = useState<Point | null>(null);
    const [problem, setProblem] = useState('');
    const options = useMemo(() => drawnWith(client, 2), [client]);
    useEffect(() => {
        client.history.at({ user_id: user ?? '', id: project ?? '' }, Number(point)).then(setShown, (error: unknown) => setProblem(problemText(t, language, error)));
    }, []);
    return (
        <Dialog title={title} onClose={onClose}>
            <p class="problem" role="alert">{problem}</p>
            {shown === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <ol class="handed-in" tabIndex={0} aria-label={t('player.pages')}>{shown.pages.map((page) => <li key={page.id}><Page page={page} options={options} selected={null} nameOf={noName} /></li>)}</ol>
            )}
            <div class="actions"><button type="button" onClick={onClose}>{t('editor.close')}</button></div>
        </Dialog>
    );
}
