import { useEffect } from 'preact/hooks';

import { isObject } from '../../client/src/merge.js';
import { wordsOf } from '../../client/src/render/webmaker';
import type { Editor } from './editor.js';
import type { Piece } from './document.js';
import { shortcutKey } from './keys.js';
import { meansFiles } from './pasted.js';

const CLIPBOARD = 'pagewright clipboard';
const PIECES = 'application/x-pagewright';

/** The elements in a copied text, if there are any. */
function piecesOf(text: string | null): Piece[] {
    try {
        const found: unknown = JSON.parse(text ?? '[]');
        return Array.isArray(found) ? found.filter((one) => isObject(one) && typeof one.type === 'string' && isObject(one.attributes) && isObject(one.styles)).slice(0, 1000) : [];
    }
    catch {
        return [];
    }
}

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.closest('input, textarea, select, dialog') !== null;

/** Pieces copied last in this tab, if too much for the browser's storage. */
let large: readonly Piece[] | undefined;

/** Copies to this browser's clipboard of the editor, so that it can be pasted in another project too; or in this tab alone, if it is too much. */
export function remember(editor: Editor): readonly Piece[] {
    const pieces = editor.selection.copy();
    if (pieces.length > 0) {
        try {
            localStorage.setItem(CLIPBOARD, JSON.stringify(pieces));
            large = undefined;
        }
        catch {
            // Nothing older is pasted instead.
            localStorage.removeItem(CLIPBOARD);
            large = pieces;
            editor.say(editor.t('editor.copied_much'));
        }
    }

    return pieces;
}

/** Pieces copied last. */
export const remembered = (): readonly Piece[] => large ?? piecesOf(localStorage.getItem(CLIPBOARD));

/** Keys and the clipboard, wherever the focus is. */
export function useShortcuts(editor: Editor): void {
    useEffect(() => {
        const keys = (event: KeyboardEvent): void => {
            // No key reaches what is behind a dialog.
            if (event.isComposing || isTyping(event.target) || document.querySelector('dialog[open]') !== null) {
                return;
            }

            const key = shortcutKey(event);
            const withControl = event.ctrlKey || event.metaKey;
            const act = withControl ? ({ z: () => void (event.shiftKey ? editor.earlier.redo() : editor.earlier.undo()), y: () => void editor.earlier.redo(), a: () => editor.selection.select(editor.page?.elements.map(({ id }) => id) ?? []), d: () => editor.adding.paste(editor.selection.copy()), ']': () => editor.arranging.layer('up'), '[': () => editor.arranging.layer('down') })[key] :
                ({ delete: () => editor.selection.remove(), backspace: () => editor.selection.remove(), escape: () => editor.selection.select([]) })[key];
            if (act !== undefined) {
                event.preventDefault();
                act();
            }
        };

        const copy = (event: ClipboardEvent): void => {
            if (!isTyping(event.target) && getSelection()?.isCollapsed !== false && editor.selection.items.length > 0) {
                const pieces = remember(editor);
                event.clipboardData?.setData(PIECES, JSON.stringify(pieces));
                event.clipboardData?.setData('text/plain', pieces.map(({ attributes }) => wordsOf(attributes) ?? attributes.alt ?? '').join('\n'));
                event.preventDefault();
                if (event.type === 'cut') {
                    editor.selection.remove();
                }
            }
        };

        const paste = (event: ClipboardEvent): void => {
            const data = event.clipboardData;
            if (isTyping(event.target) || data === null || !editor.canEdit) {
                return;
            }

            event.preventDefault();
            const pieces = piecesOf(data.getData(PIECES) || null);
            const text = data.getData('text/plain').trim();
            if (pieces.length === 0 && meansFiles({ text, html: data.getData('text/html'), names: Array.from(data.files, ({ name }) => name) })) {
                void editor.adding.addFiles([...data.files]);
            }
            else if (pieces.length > 0) {
                editor.adding.paste(pieces);
            }
            else if (text !== '') {
                editor.adding.pasteText(text);
            }
        };

        /** A file that is let go beside the page is put on it too: the browser would open it, and leave the editor. */
        const drag = (event: DragEvent): void => {
            const data = event.dataTransfer;
            if (event.defaultPrevented || data?.types.includes('Files') !== true) {
                return;
            }

            event.preventDefault();
            if (event.type === 'drop' && editor.canEdit && document.querySelector('dialog[open]') === null) {
                void editor.adding.addFiles([...data.files]);
            }
        };

        const leave = (event: BeforeUnloadEvent): void => {
            editor.saving.flush();
            if (editor.isBusy) {
                event.preventDefault();
            }
        };

        const hide = (): void => {
            if (document.visibilityState === 'hidden') {
                editor.saving.flush();
            }
        };

        const listening = new AbortController();
        const { signal } = listening;
        document.addEventListener('keydown', keys, { signal });
        document.addEventListener('copy', copy, { signal });
        document.addEventListener('cut', copy, { signal });
        document.addEventListener('paste', paste, { signal });
        document.addEventListener('dragover', drag, { signal });
        document.addEventListener('drop', drag, { signal });
        document.addEventListener('visibilitychange', hide, { signal });
        addEventListener('beforeunload', leave, { signal });
        return () => listening.abort();
    }, [editor]);
}
