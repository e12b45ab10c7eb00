import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Editor } from './editor.js';

interface TextFieldProps {
    editor: Editor;
    value: string;
    change: (value: string) => void;
    label?: string;
    className?: string;
    rows?: number;
    /** grows whenever the field is to have the focus; undefined if it never is */
    asked?: number;
    onKeyDown?: (event: JSX.TargetedKeyboardEvent<HTMLTextAreaElement>) => void;
    onBlur?: () => void;
}

/** Where a place in a text is after the text was changed elsewhere. */
function placeAfter(place: number, before: string, after: string): number {
    const most = Math.min(before.length, after.length);
    let same = 0;
    while (same < most && before[same] === after[same]) {
        ++same;
    }

    if (place <= same) {
        return place;
    }

    let end = 0;
    while (end < most - same && before.at(-1 - end) === after.at(-1 - end)) {
        ++end;
    }

    return Math.max(same, after.length - Math.min(end, before.length - place));
}

/** A field for text that others may change meanwhile: the cursor stays between the same words. */
export function TextField({ editor, value, change, label, className, rows, asked, onKeyDown, onBlur }: TextFieldProps): JSX.Element {
    const field = useRef<HTMLTextAreaElement>(null);
    const seen = useRef(editor.typing.seen);
    useLayoutEffect(() => {
        const { current } = field;
        if (current !== null && current.value !== value && !editor.saving.isComposing) {
            const { value: before, selectionStart, selectionEnd } = current;
            current.value = value;
            if (current === document.activeElement) {
                current.setSelectionRange(placeAfter(selectionStart, before, value), placeAfter(selectionEnd, before, value));
            }
        }
    });
    // Before the next key is pressed, which would be lost otherwise.
    useLayoutEffect(() => {
        if (asked !== undefined && asked !== seen.current && field.current !== null) {
            seen.current = asked;
            editor.typing.seen = asked;
            field.current.focus();
            field.current.select();
        }
    });
    const compose = (isComposing: boolean): void => {
        editor.saving.isComposing = isComposing;
        void (isComposing || editor.saving.refresh());
    };

    return (
        <textarea
            ref={field} class={className} rows={rows} dir="auto" aria-label={label} defaultValue={value} onInput={({ currentTarget }) => change(currentTarget.value)}
            onCompositionStart={() => compose(true)} onCompositionEnd={() => compose(false)} onKeyDown={onKeyDown}
            onBlur={() => {
                compose(false);
                onBlur?.();
            }}
        />
    );
}
