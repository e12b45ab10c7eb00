import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { useKit } from './kit';

interface SecretProps {
    /** what it is, for screen readers */
    title: string;
    label: string;
    value: string;
    /** what the button says, and what is said then */
    copy: string;
    copied: string;
}

/** A secret that is not shown again. */
export function Secret({ title, label, value, copy, copied }: SecretProps): JSX.Element {
    const { t, say } = useKit();
    const input = useRef<HTMLInputElement>(null);
    useEffect(() => input.current?.focus(), [value]);
    return (
        <section class="part" aria-label={title}>
            <label class="field">
                <span>{label}</span>
                <input readOnly name="secret" dir="ltr" value={value} ref={input} onFocus={({ currentTarget }) => currentTarget.select()} />
            </label>
            <p class="hint">{t('tokens.secret_hint')}</p>
            <div class="actions">
                <button type="button" class="quiet" onClick={() => void navigator.clipboard.writeText(value).then(() => say(copied), () => undefined)}>{copy}</button>
            </div>
        </section>
    );
}
