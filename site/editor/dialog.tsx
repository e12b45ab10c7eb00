import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

import { Icon } from './icons.js';

interface DialogProps {
    title: string;
    closeLabel: string;
    /** called when it is closed; without it, it stays until something is decided */
    close?: () => void;
    children: ComponentChildren;
}

/** A modal dialog, open for as long as it is there. */
export function Dialog({ title, closeLabel, close, children }: DialogProps): JSX.Element {
    const dialog = useRef<HTMLDialogElement>(null);
    const id = useId();
    useEffect(() => {
        dialog.current?.showModal();
    }, []);
    return (
        <dialog
            ref={dialog} aria-labelledby={id}
            onCancel={(event) => {
                event.preventDefault();
                close?.();
            }}
        >
            <div class="panel-head"><h2 id={id}>{title}</h2>{close !== undefined && <button type="button" class="plain" aria-label={closeLabel} onClick={close}><Icon name="close" /></button>}</div>
            {children}
        </dialog>
    );
}
