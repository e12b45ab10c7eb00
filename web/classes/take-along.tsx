import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Class } from '../../client/src/index.js';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { fileName, saveFile } from '../ui/save-file';

/** Saves the work of a class as one file. */
export function TakeAlong({ one }: { one: Class }): JSX.Element {
    const { t, client, language } = useKit();
    const [state, setState] = useState<'making' | 'saved' | null>(null);
    const [problem, setProblem] = useState('');
    const take = async (): Promise<void> => {
        setState('making');
        setProblem('');
        try {
            await saveFile(await client.takeoutOfClass(one), `${fileName(one.title)}.zip`);
            setState('saved');
        }
        catch (error) {
            setState(null);
            setProblem(problemText(t, language, error));
        }
    };

    return (
        <>
            <button type="button" class="quiet" aria-disabled={state === 'making'} onClick={() => void (state === 'making' ? undefined : take())}>{t('classes.takeout')}</button>
            <p class="hint" role="status">{state === null ? '' : t(state === 'making' ? 'classes.takeout_making' : 'files.saved')}</p>
            <p class="problem" role="alert">{problem}</p>
        </>
    );
}
