import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Class } from '../../client/src/index.js';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { fileName, saveFile } from '../ui/save-file';

/** Saves the work of a class as one file. @param pupil whose work alone is saved */
export function TakeAlong({ one, pupil }: { one: Class; pupil?: { id: string; name: string } }): JSX.Element {
    const { t, client, language } = useKit();
    const [state, setState] = useState<'making' | 'saved' | null>(null);
    const [problem, setProblem] = useState('');
    const take = async (): Promise<void> => {
        setState('making');
        setProblem('');
        try {
            await saveFile(await client.takeoutOfClass(one, pupil === undefined ? {} : { pupil: pupil.id }), `${fileName(pupil?.name ?? one.title)}.zip`);
            setState('saved');
        }
        catch (error) {
            setState(null);
            setProblem(problemText(t, language, error));
        }
    };

    return (
        <>
            <button type="button" class="quiet" aria-disabled={state === 'making'} onClick={() => void (state === 'making' ? undefined : take())}>{pupil === undefined ? t('classes.takeout') : t('classes.takeout_of', { name: pupil.name })}</button>
            <p class="hint" role="status">{state === null ? '' : t(state === 'making' ? 'classes.takeout_making' : 'files.saved')}</p>
            <p class="problem" role="alert">{problem}</p>
        </>
    );
}
