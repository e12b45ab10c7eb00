import { useEffect } from 'preact/hooks';

import { isObject } from '../../client/src/merge.js';
import { wordsOf } from '../../client/src/render/webmaker';
import type { Editor } from './editor.js';
import type { Piece } from './document.js';

export const CLIPBOARD = 'pagewright clipboard';
const PIECES = 'application/x-pagewright';

/** The elements in a copied text, if there are any. */
export function piecesOf(text: string | null): Piece[] {
    try {
        const found: unknown = JSON.parse(text ?? '[]');
        return Array.isArray(found) ? found.filter((one) => isObject(one) && typeof one.type === 'string' && isObject(one.attributes) && isObject(one.styles)).slice(0, 1000) : [];
    }
    catch {
        return [];
    }
}

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.closest('input, textarea, select, dialog') !== null;

/** Copies to this browser's clipboard of the editor, so that it can be pasted in another project too. */
export function remember(pieces: readonly Piece[]): void {
    if (pieces.length > 0) {
        localStorage.setItem(CLIPBOARD, JSON.stringify(pieces));
    }
}

/** Keys and the clipboard, wherever the focus is. */
export function useShortcuts(editor: Editor): void {
    useEffect(() => {
        const keys = (event: KeyboardEvent): void => {
            // No key reaches what is behind a dialog.
            if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) {
                return;
            }

            const key = event.key.toLowerCase();
            const withControl = event.ctrlKey || event.metaKey;
            const act = withControl ? ({ z: () => void (event.shiftKey ? editor.redo() : editor.undo()), y: () => void editor.redo(), a: () => editor.select(editor.page?.elements.map(({ id }) => id) ?? []), d: () => editor.paste(editor.copy()), ']': () => editor.layer('up'), '[': () => editor.layer('down') })[key] :
                ({ delete: () => editor.removeChosen(), backspace: () => editor.removeChosen(), escape: () => editor.select([]) })[key];
            if (act !== undefined) {
                event.preventDefault();
                act();
            }
        };

        const copy = (event: ClipboardEvent): void => {
            if (!isTyping(event.target) && getSelection()?.isCollapsed !== false && editor.chosen.length > 0) {
                const pieces = editor.copy();
                remember(pieces);
                event.clipboardData?.setData(PIECES, JSON.stringify(pieces));
                event.clipboardData?.setData('text/plain', pieces.map(({ attributes }) => wordsOf(attributes) ?? attributes.alt ?? '').join('\n'));
                event.preventDefault();
                if (event.type === 'cut') {
                    editor.removeChosen();
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
            if (data.files.length > 0) {
                void editor.addFiles([...data.files]);
            }
            else if (pieces.length > 0) {
                editor.paste(pieces);
            }
            else if (text !== '') {
                editor.pasteText(text);
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
        document.addEventListener('visibilitychange', hide, { signal });
        addEventListener('beforeunload', leave, { signal });
        return () => listening.abort();
    }, [editor]);
}
