import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { Form } from './form';
import { useKit } from './kit';

interface DialogProps {
    title: string;
    onClose(): void;
    children: ComponentChildren;
    /** `wide` if it has a table */
    class?: string | undefined;
}

/** A window above the page. The browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, onClose, children, class: name = '' }: DialogProps): JSX.Element {
    const dialog = useRef<HTMLDialogElement>(null);
    const id = useId();
    useLayoutEffect(() => {
        const { current } = dialog;
        current?.showModal();
        return () => current?.close();
    }, []);
    return (
        <dialog ref={dialog} class={`window ${name}`} aria-labelledby={id} onCancel={(event) => {
            event.preventDefault();
            onClose();
        }}>
            <h2 id={id}>{title}</h2>
            {children}
        </dialog>
    );
}

interface ConfirmProps {
    title: string;
    text: string;
    /** what the button says */
    action: string;
    onConfirm(): Promise<void>;
    onClose(): void;
}

/** Asks before something that cannot be taken back easily. */
export function Confirm({ title, text, action, onConfirm, onClose }: ConfirmProps): JSX.Element {
    const { t } = useKit();
    return (
        <Dialog title={title} onClose={onClose}>
            <p class="words">{text}</p>
            <Form fields={[]} submit={action} danger cancel={{ label: t('ui.cancel'), onCancel: onClose }} onSubmit={onConfirm} />
        </Dialog>
    );
}
