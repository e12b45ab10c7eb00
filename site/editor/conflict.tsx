import type { JSX } from 'preact';

import { SaveError } from '../../client/src/index.js';
import type { Change, QueueFailure } from '../../client/src/index.js';
import { Dialog } from './dialog.js';
import { newId } from './editor.js';
import type { Editor } from './editor.js';
import { keepingMine } from './saving.js';

/** What differs, as far as it can be read by people. */
function shown(thing: object, conflicts: readonly string[]): string {
    return conflicts.map((pointer) => {
        const value = pointer.slice(1).split('/').reduce<unknown>((inside, key) => Reflect.get(Object(inside), key.replaceAll('~1', '/').replaceAll('~0', '~')), thing);
        return pointer === '/position' ? `${Reflect.get(thing, 'x')}, ${Reflect.get(thing, 'y')}` : typeof value === 'string' ? value : JSON.stringify(value) ?? '–';
    }).join('\n');
}

/** A change that makes anew what somebody else has removed; undefined if it cannot. */
function madeAgain({ doc, saving: { ids } }: Editor, change: Change): Change | undefined {
    const id = change.type === 'elements' && change.method === 'update' ? ids.here(change.base.id) : undefined;
    const page = doc.pages.find(({ elements }) => elements.some((item) => item.id === id));
    const item = page?.elements.find((one) => one.id === id);
    return page === undefined || item === undefined ? undefined : { type: 'elements', method: 'create', id: newId(), data: { pageId: ids.there(page.id), type: item.type, attributes: { ...item.attributes }, styles: { ...item.styles } } };
}

/** What could not be saved: the author decides. */
export function ConflictDialog({ editor, failure }: { editor: Editor; failure: QueueFailure }): JSX.Element {
    const { t } = editor;
    const { changes, error } = failure;
    const blamed = error instanceof SaveError ? error : undefined;
    const isConflict = error.code === 'revision_conflict' && blamed?.current !== undefined;
    const again = error.status === 404 && blamed !== undefined ? madeAgain(editor, blamed.change) : undefined;
    const resolve = (next: Change[] | null, words: string): void => void editor.attempt(async () => {
        await editor.saving.resolve(next);
        editor.say(words);
    });
    const others = blamed === undefined ? [] : changes.toSpliced(blamed.index, 1);
    return (
        <Dialog title={t(isConflict ? 'editor.conflict' : 'editor.not_saved')} closeLabel={t('editor.close')}>
            <p>{isConflict ? t('editor.conflict_means', { name: error.changedBy?.username ?? t('editor.somebody') }) : again === undefined ? t('editor.failed', { why: error.message }) : t('editor.removed_meanwhile')}</p>
            {isConflict && blamed !== undefined && (
                <div class="sides">
                    <div><h3>{t('editor.theirs')}</h3><p dir="auto">{shown(blamed.current ?? {}, error.conflicts)}</p></div>
                    <div><h3>{t('editor.mine')}</h3><p dir="auto">{blamed.change.method === 'update' ? shown(blamed.change.data, error.conflicts) : t('editor.delete')}</p></div>
                </div>
            )}
            <div class="choices">
                <button type="button" class="quiet small" onClick={() => resolve(others, t('editor.took_theirs'))}>{t(isConflict ? 'editor.take_theirs' : 'editor.let_go')}</button>
                {isConflict && <button type="button" class="small" onClick={() => resolve(keepingMine(failure), t('editor.kept_mine'))}>{t('editor.keep_mine')}</button>}
                {again !== undefined && blamed !== undefined && <button type="button" class="small" onClick={() => resolve(changes.with(blamed.index, again), t('editor.kept_mine'))}>{t('editor.make_again')}</button>}
            </div>
        </Dialog>
    );
}
