import type { JSX } from 'preact';

import { SaveError } from '../../client/src/index.js';
import type { Change, QueueFailure } from '../../client/src/index.js';
import { fieldOf, isObject } from '../../src/api/json/is-object';
import { Dialog } from './dialog.js';
import { creationOf } from './document.js';
import type { Piece } from './document.js';
import type { Editor } from './editor.js';
import { keepingMine, takingTheirs } from './saving.js';
import { anchorOf, anchoredAt } from './webmaker.js';

/** The differences, as far as people can read them. */
function shown(thing: object, conflicts: readonly string[]): string {
    return conflicts.map((pointer) => {
        const value = pointer.slice(1).split('/').reduce<unknown>((inside, key) => fieldOf(inside, key.replaceAll('~1', '/').replaceAll('~0', '~')), thing);
        return pointer === '/position' ? `${fieldOf(thing, 'x')}, ${fieldOf(thing, 'y')}` : typeof value === 'string' ? value : JSON.stringify(value) ?? '–';
    }).join('\n');
}

/** An element as a thing shows it, or its words as a text. */
function pieceOf(thing: object, conflicts: readonly string[]): Piece {
    const { type, attributes, styles }: Record<string, unknown> = { ...thing };
    return typeof type === 'string' && isObject(attributes) && isObject(styles) ? { type, attributes, styles } : { type: 'text', attributes: { text: shown(thing, conflicts) }, styles: { width: 280, fontSize: 20 } };
}

/** Units that a copy lies below what it is a copy of. */
const BESIDE = 48;

const below = (styles: Piece['styles']): Piece['styles'] => {
    const { left, top } = anchorOf(styles);
    return anchoredAt(styles, { left, top: top + BESIDE });
};

/** A change that makes one's own version of an element anew, on the page where it was, or on the one that is shown if that is gone too. */
function madeAnew(editor: Editor, piece: Piece, change: Change): Change[] {
    const { ids } = editor.saving;
    const was = change.method === 'update' && change.type === 'elements' ? ids.here('pages', String(change.base.page_id)) : undefined;
    const page = editor.doc.pages.find(({ id }) => id === was) ?? editor.page;
    return page === undefined ? [] : [creationOf(ids.there(page.id), piece)];
}

/** The changes that fail as the one at an index does: what else is made on the page that is gone, full or could not be made. */
function failing(changes: readonly Change[], index: number): Change[] {
    const failed = changes[index];
    const page = failed?.method !== 'create' ? undefined : failed.type === 'elements' ? failed.data.pageId : failed.type === 'pages' ? failed.id : undefined;
    return changes.filter((one, at) => at === index || (at > index && page !== undefined && one.type === 'elements' && one.method === 'create' && one.data.pageId === page));
}

/** One edit that could not be saved, and the choices. */
function choicesOf(editor: Editor, { changes, error }: QueueFailure): { isConflict: boolean; wasRemoved: boolean; mine?: Piece; made: Piece[]; theirs?: Piece; mineText: string; theirsText: string; change?: Change; others: Change[] } {
    const blamed = error instanceof SaveError ? error : undefined;
    // The change as it is now: the edits since it failed are in it.
    const change = blamed === undefined ? undefined : changes[blamed.index];
    const isConflict = error.code === 'revision_conflict' && blamed?.current !== undefined;
    const lost = blamed === undefined ? [] : failing(changes, blamed.index);
    const others = blamed === undefined ? [] : changes.filter((one) => !lost.includes(one));
    const updated = change?.method === 'update' ? { ...change.base, ...change.data } : undefined;
    return {
        isConflict, change, others, made: lost.flatMap((one) => (one.method === 'create' && one.type === 'elements' ? [pieceOf(one.data, [])] : [])), wasRemoved: error.status === 404 && change?.method === 'update' && change.type === 'elements',
        ...updated === undefined ? {} : { mine: pieceOf(updated, error.conflicts) }, ...blamed?.current === undefined ? {} : { theirs: pieceOf(blamed.current, error.conflicts) },
        mineText: updated === undefined ? editor.t('editor.delete') : shown(updated, error.conflicts), theirsText: shown(blamed?.current ?? {}, error.conflicts)
    };
}

/** Says that there is something to decide, without taking the focus from whoever types. */
export function ConflictBanner({ editor, failure, open }: { editor: Editor; failure: QueueFailure; open: () => void }): JSX.Element {
    const { t } = editor;
    const { isConflict, wasRemoved } = choicesOf(editor, failure);
    return (
        <div class="banner question" role="region" aria-label={t(isConflict ? 'editor.conflict' : 'editor.not_saved')}>
            <p role="alert">{isConflict ? t('editor.conflict_short', { name: failure.error.changedBy?.username ?? t('editor.somebody') }) : wasRemoved ? t('editor.removed_meanwhile') : t('editor.not_saved')}</p>
            <button type="button" class="small" onClick={open}>{t('editor.decide')}</button>
        </div>
    );
}

/** The words that could not be saved, for somebody who may not edit any more and can only copy them. */
export function NotSaved({ editor, failure }: { editor: Editor; failure: QueueFailure }): JSX.Element {
    const text = choicesOf(editor, failure).mine?.attributes.text;
    return <p>{editor.t('editor.not_saved')}{typeof text === 'string' && <>: <q dir="auto">{text}</q></>}</p>;
}

/** The edits that could not be saved: the author decides. Nothing is chosen beforehand, and what is given up is kept. */
export function ConflictDialog({ editor, failure, close }: { editor: Editor; failure: QueueFailure; close: () => void }): JSX.Element {
    const { t } = editor;
    const { error } = failure;
    const { isConflict, wasRemoved, mine, made, theirs, mineText, theirsText, change, others } = choicesOf(editor, failure);
    const resolve = (next: Change[] | null, words: string, givenUp: readonly (Piece | undefined)[] = []): void => void editor.attempt(async () => {
        for (const piece of givenUp.filter((one) => one !== undefined)) {
            editor.kept.add(piece);
        }

        await editor.saving.resolve(next, failure);
        close();
        editor.say(t(words));
    });
    const isElement = change?.method === 'update' && change.type === 'elements' && mine !== undefined;
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
                {isConflict && isElement && <button type="button" class="small" onClick={() => resolve([...others, ...madeAnew(editor, { ...mine, styles: below(mine.styles) }, change)], 'editor.kept_both')}>{t('editor.keep_both')}</button>}
                {wasRemoved && isElement && <button type="button" class="small" onClick={() => resolve([...others, ...madeAnew(editor, mine, change)], 'editor.kept_mine')}>{t('editor.make_again')}</button>}
                {isConflict && <button type="button" class="quiet small" onClick={() => resolve(keepingMine(failure), 'editor.kept_mine', [theirs])}>{t('editor.keep_mine')}</button>}
                <button type="button" class="quiet small" onClick={() => resolve(isConflict ? takingTheirs(failure) : others, isConflict ? 'editor.took_theirs' : 'editor.let_go_done', [mine, ...made])}>{t(isConflict ? 'editor.take_theirs' : 'editor.let_go')}</button>
            </div>
            <p class="hint">{t('editor.given_up_is_kept')}</p>
        </Dialog>
    );
}
