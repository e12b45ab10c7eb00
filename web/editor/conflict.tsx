import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import type { Change, QueueFailure } from '../../client/src/index.js';
import { keepingBoth, questionOf } from './conflicts.js';
import type { Piece } from './document.js';
import { Dialog } from './dialog.js';
import type { Editor } from './editor.js';
import { keepingMine, takingTheirs } from './failures.js';

/** Says that there is something to decide, without taking the focus from whoever types. */
export function ConflictBanner({ editor, failure, open }: { editor: Editor; failure: QueueFailure; open: () => void }): JSX.Element {
    const { t } = editor;
    const { isConflict, wasRemoved } = questionOf(failure);
    return (
        <div class="banner question" role="region" aria-label={t(isConflict ? 'editor.conflict' : 'editor.not_saved')}>
            <p role="alert">{isConflict ? t('editor.conflict_short', { name: failure.error.changedBy?.username ?? t('editor.somebody') }) : wasRemoved ? t('editor.removed_meanwhile') : t('editor.not_saved')}</p>
            <button type="button" class="small" onClick={open}>{t('editor.decide')}</button>
        </div>
    );
}

/** The words that could not be saved, for somebody who may not edit any more and can only copy them. */
export function NotSaved({ editor, failure }: { editor: Editor; failure: QueueFailure }): JSX.Element {
    const text = questionOf(failure).mine?.attributes.text;
    return <p>{editor.t('editor.not_saved')}{typeof text === 'string' && <>: <q dir="auto">{text}</q></>}</p>;
}

/** The edits that could not be saved: the author decides. Nothing is chosen beforehand, and what is given up is kept. */
export function ConflictDialog({ editor, failure, close }: { editor: Editor; failure: QueueFailure; close: () => void }): JSX.Element {
    const { t, saving: { doc, ids }, deciding } = editor;
    const { error } = failure;
    const question = questionOf(failure);
    const { isConflict, wasRemoved, mine, made, theirs, mineText = t('editor.delete'), theirsText } = question;
    useEffect(() => {
        deciding.isOpen = true;
        return () => {
            deciding.isOpen = false;
        };
    }, [deciding]);
    const resolve = (next: readonly Change[] | null, words: string, givenUp: readonly (Piece | undefined)[] = []): void => void editor.attempt(async () => {
        for (const piece of givenUp.filter((one) => one !== undefined)) {
            editor.kept.add(piece);
        }

        await editor.saving.resolve(next, failure);
        close();
        editor.say(t(words));
    });
    const both = keepingBoth(question, doc, ids, () => undefined);
    return (
        <Dialog title={t(isConflict ? 'editor.conflict' : 'editor.not_saved')} closeLabel={t('editor.decide_later')} close={close}>
            <p>{isConflict ? t('editor.conflict_means', { name: error.changedBy?.username ?? t('editor.somebody') }) : wasRemoved ? t('editor.removed_meanwhile') : t('editor.failed', { why: error.message })}</p>
            {isConflict && (
                <div class="sides">
                    <div><h3>{t('editor.theirs')}</h3><p dir="auto">{theirsText}</p></div>
                    <div><h3>{t('editor.mine')}</h3><p dir="auto">{mineText}</p></div>
                </div>
            )}
            {wasRemoved && mine !== undefined && <p class="words-lost" dir="auto">{editor.nameOf(mine)}</p>}
            <div class="choices">
                {both?.place !== undefined && <button type="button" class="small" onClick={() => resolve(both.changes, isConflict ? 'editor.kept_both' : 'editor.kept_mine')}>{t(isConflict ? 'editor.keep_both' : 'editor.make_again')}</button>}
                {isConflict && <button type="button" class="quiet small" onClick={() => resolve(keepingMine(failure), 'editor.kept_mine', [theirs])}>{t('editor.keep_mine')}</button>}
                <button type="button" class="quiet small" onClick={() => resolve(isConflict ? takingTheirs(failure) : null, isConflict ? 'editor.took_theirs' : 'editor.let_go_done', [mine, ...made])}>{t(isConflict ? 'editor.take_theirs' : 'editor.let_go')}</button>
            </div>
            <p class="hint">{t('editor.given_up_is_kept')}</p>
        </Dialog>
    );
}
