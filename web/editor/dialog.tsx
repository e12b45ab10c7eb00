import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useId, useRef } from 'preact/hooks';

import { Icon } from './icons.js';

interface DialogProps {
    title: string;
    closeLabel: string;
    close: () => void;
    children: ComponentChildren;
}

/** A modal dialog, open for as long as it is there. Its title has the focus first, so that no key presses anything by accident. */
export function Dialog({ title, closeLabel, close, children }: DialogProps): JSX.Element {
    const dialog = useRef<HTMLDialogElement>(null);
    const heading = useRef<HTMLHeadingElement>(null);
    const id = useId();
    useLayoutEffect(() => {
        const { current } = dialog;
        current?.showModal();
        heading.current?.focus();
        // Closed, it gives the focus back.
        return () => current?.close();
    }, []);
    return (
        <dialog
            ref={dialog} aria-labelledby={id}
            onCancel={(event) => {
                event.preventDefault();
                close();
            }}
        >
            <div class="panel-head"><h2 ref={heading} id={id} tabIndex={-1}>{title}</h2><button type="button" class="plain" aria-label={closeLabel} title={closeLabel} onClick={close}><Icon name="close" /></button></div>
            {children}
        </dialog>
    );
}
