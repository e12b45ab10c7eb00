import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';

/** Answers that teachers give again and again, each with what it makes of a work. */
const answers = [['well_done', 'accepted'], ['look_again', 'returned'], ['go_on', 'returned']] as const;

/** Answers a work by one press. */
export function QuickAnswers({ onAnswer }: { onAnswer(state: 'returned' | 'accepted', note: string): Promise<void> }): JSX.Element {
    const { t, language } = useKit();
    const [isBusy, setBusy] = useState(false);
    const [problem, setProblem] = useState('');
    const send = async (state: 'returned' | 'accepted', note: string): Promise<void> => {
        if (isBusy) {
            return;
        }

        setBusy(true);
        try {
            await onAnswer(state, note);
        }
        catch (error) {
            setProblem(problemText(t, language, error));
        }

        setBusy(false);
    };

    return (
        <>
            <div class="bar answers" role="group" aria-label={t('classes.quick')}>
                {answers.map(([name, state]) => {
                    const note = t(`classes.quick_${name}`);
                    return <button key={name} type="button" class="quiet" aria-disabled={isBusy} onClick={() => void send(state, note)}>{note} <span class="hint">{t(`classes.work_${state}`)}</span></button>;
                })}
            </div>
            <p class="problem" role="alert">{problem}</p>
        </>
    );
}
