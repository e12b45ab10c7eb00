import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Work } from '../../client/src/index.js';
import type { Point } from '../../client/src/history.js';
import { Page, drawnWith } from '../editor/drawing';
import { Dialog } from '../ui/dialog';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { QuickAnswers } from './quick-answers';

const noName = (): string => '';

interface HandedInProps {
    title: string;
    work: Work;
    onClose(): void;
    /** shows the next work that is to be looked at, if there is one */
    onNext: (() => void) | undefined;
    onAnswer: ((state: 'returned' | 'accepted', note: string) => Promise<void>) | undefined;
}

/**
 * The pages handed in with a work: all of them, as they were, also if the pupil has gone on since. If it was handed in several times, as a film of these points:
 * teachers read nothing else of the history.
 */
export function HandedIn({ title, work: { user_id: user, project_id: project, points }, onClose, onNext, onAnswer }: HandedInProps): JSX.Element {
    const { t, client, language } = useKit();
    const [at, setAt] = useState(points.length - 1);
    const [shown, setShown] = useState<Point | null>(null);
    const [problem, setProblem] = useState('');
    const read = useRef(new Map<number, Promise<Point>>()).current;
    const options = useMemo(() => drawnWith(client, 2), [client]);
    useEffect(() => {
        let isCurrent = true;
        const point = read.get(at) ?? client.history.at({ user_id: user ?? '', id: project ?? '' }, Number(points[at]));
        read.set(at, point);
        setProblem('');
        point.then((found) => void (isCurrent && setShown(found)), (error: unknown) => {
            read.delete(at);
            setProblem(problemText(t, language, error));
        });
        return () => {
            isCurrent = false;
        };
    }, [at]);
    const number = t('classes.film_at', { number: at + 1, all: points.length });
    return (
        <Dialog title={title} onClose={onClose}>
            {points.length > 1 && (
                <label class="field"><span>{t('classes.film')}</span>
                    <input type="range" min={0} max={points.length - 1} value={at} aria-valuetext={number} onInput={({ currentTarget }) => setAt(Number(currentTarget.value))} />
                    <span class="hint">{number}</span>
                </label>
            )}
            <p class="problem" role="alert">{problem}</p>
            {shown === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <ol class="handed-in" tabIndex={0} aria-label={t('player.pages')}>{shown.pages.map((page) => <li key={page.id}><Page page={page} options={options} selected={null} nameOf={noName} /></li>)}</ol>
            )}
            {onAnswer !== undefined && <QuickAnswers onAnswer={onAnswer} />}
            <div class="actions">
                {onNext !== undefined && <button type="button" onClick={onNext}>{t('classes.next')}</button>}
                <button type="button" class="quiet" onClick={onClose}>{t('editor.close')}</button>
            </div>
        </Dialog>
    );
}
