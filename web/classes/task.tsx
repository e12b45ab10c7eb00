import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { ListedAssignment } from '../../client/src/index.js';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';

/** A task: of a long text the beginning, and all of it on demand. */
export function Task({ listed: { assignment, more } }: { listed: ListedAssignment }): JSX.Element {
    const { t, client, language } = useKit();
    const [all, setAll] = useState<string | null>(null);
    const [problem, setProblem] = useState('');
    const isCut = more && all === null;
    return (
        <>
            <p class="words" dir="auto">{all ?? assignment.text}{isCut && '…'}</p>
            <p class="problem" role="alert">{problem}</p>
            {isCut && <div class="does"><button type="button" class="quiet" aria-label={t('classes.read_all_title', { title: assignment.title })} onClick={() => {
                client.classes.assignment(assignment).then((found) => setAll(found.assignment.text), (error: unknown) => setProblem(problemText(t, language, error)));
            }}>{t('classes.read_all')}</button></div>}
        </>
    );
}
