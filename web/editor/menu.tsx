import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Closes something that is open when another place is pressed or has the focus, and with Escape. */
export function useDismiss(box: RefObject<HTMLElement>, isOpen: boolean, close: () => void): void {
    useLayoutEffect(() => {
        if (!isOpen) {
            return undefined;
        }

        const elsewhere = ({ target }: Event): void => {
            if (!(target instanceof Node) || box.current?.contains(target) !== true) {
                close();
            }
        };

        const escape = (event: KeyboardEvent): void => {
            if (event.key === 'Escape') {
                event.stopPropagation();
                close();
                box.current?.querySelector<HTMLElement>('summary, [aria-expanded]')?.focus();
            }
        };

        document.addEventListener('pointerdown', elsewhere, true);
        document.addEventListener('focusin', elsewhere);
        document.addEventListener('keydown', escape, true);
        return () => {
            document.removeEventListener('pointerdown', elsewhere, true);
            document.removeEventListener('focusin', elsewhere);
            document.removeEventListener('keydown', escape, true);
        };
    }, [isOpen]);
}

/** A button with more buttons below it, which go when one of them is pressed. @param label of the button @param sign what it shows */
export function Menu({ label, sign, children }: { label: string; sign: ComponentChildren; children: ComponentChildren }): JSX.Element {
    const menu = useRef<HTMLDetailsElement>(null);
    const [isOpen, setOpen] = useState(false);
    const close = (): void => setOpen(false);
    useDismiss(menu, isOpen, close);
    return (
        <details ref={menu} class="menu" open={isOpen}>
            <summary
                class="plain button" aria-label={label} onClick={(event) => {
                    event.preventDefault();
                    setOpen(!isOpen);
                }}
            >{sign}</summary>
            <div
                onClickCapture={() => {
                    close();
                    // Before a dialog opens, which gives the focus back to what has it now: that must be seen then.
                    menu.current?.querySelector('summary')?.focus();
                }}
            >{children}</div>
        </details>
    );
}
