import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Item } from './document.js';
import type { Editor } from './editor.js';
import { TextField } from './text-field.js';

const copied = ['fontFamily', 'fontSize', 'fontWeight', 'fontStyle', 'lineHeight', 'letterSpacing', 'textAlign', 'color', 'padding', 'writingMode', 'borderRadius'] as const;

/** A field over a text on the page, with its looks, so that it is edited where it stands. */
export function InlineText({ editor, item, nodeOf }: { editor: Editor; item: Item; nodeOf: (id: string) => HTMLElement | null }): JSX.Element {
    const box = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => {
        const node = nodeOf(item.id);
        const field = box.current?.querySelector('textarea') ?? null;
        if (node === null || field === null || box.current === null) {
            return;
        }

        // The text below is not seen meanwhile, but has the size.
        delete node.dataset.edited;
        const look = getComputedStyle(node);
        const { offsetLeft, offsetTop, offsetWidth, offsetHeight, style: { transform, transformOrigin } } = node;
        Object.assign(box.current.style, { left: `${offsetLeft}px`, top: `${offsetTop}px`, width: `${offsetWidth}px`, height: `${offsetHeight}px`, transform, transformOrigin });
        copied.forEach((name) => {
            field.style[name] = look[name];
        });
        node.dataset.edited = '';
    });
    useLayoutEffect(() => {
        const show = (): void => {
            delete nodeOf(item.id)?.dataset.edited;
        };

        return show;
    }, [item.id]);
    return (
        <div ref={box} class="inline-text" onDblClick={(event) => event.stopPropagation()}>
            <TextField
                editor={editor} value={String(item.attributes.text ?? '')} label={editor.t('editor.attribute_text')} asked={editor.typing.asked} change={(text) => editor.typing.typed(text)} onBlur={() => editor.typing.end()}
                onKeyDown={(event) => {
                    // An input method ends what it composes by these keys.
                    if (event.isComposing || event.keyCode === 229) {
                        return;
                    }

                    if (event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))) {
                        event.preventDefault();
                        event.stopPropagation();
                        nodeOf(item.id)?.focus({ preventScroll: true });
                    }
                }}
            />
        </div>
    );
}
