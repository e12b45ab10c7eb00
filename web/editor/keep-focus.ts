import { useEffect } from 'preact/hooks';

/**
 * Keeps the focus when what has it goes, such as a row that is removed or a dialog whose button is not there any more: the next key would start at
 * the top of the page. It goes to the title of the dialog that is open, or else to the page that is edited.
 */
export function useKeptFocus(): void {
    useEffect(() => {
        let last: Element | null = null;
        const note = ({ target }: FocusEvent): void => {
            last = target instanceof Element ? target : null;
        };

        const keep = (): void => {
            if (document.activeElement === document.body && last?.isConnected === false) {
                last = null;
                const to = document.querySelector<HTMLElement>('dialog[open] h2, .editor:not(:has(dialog[open])) .stage');
                // A dialog may be scrolled away from its title; the page that is edited stays as it is.
                to?.focus({ preventScroll: to.matches('.stage') });
            }
        };

        const observer = new MutationObserver(keep);
        observer.observe(document.body, { childList: true, subtree: true });
        document.addEventListener('focusin', note);
        return () => {
            observer.disconnect();
            document.removeEventListener('focusin', note);
        };
    }, []);
}
