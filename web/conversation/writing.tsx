import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { dropDraft, useDraft } from './draft';
import { newKey } from './service';

/** Most characters of a comment, and how many are left when that is said. */
const MAX_TEXT = 2000;
const FEW_LEFT = 200;

interface WritingProps {
    label: string;
    submit: string;
    /** where it is written, for the draft */
    place: string;
    /** what is there at first */
    start?: string;
    /** whether it has the focus at once */
    focus?: boolean;
    /** @param key under which the service does it once */
    send(text: string, key: string): Promise<void>;
    cancel?(): void;
    children?: ComponentChildren;
}

/** A field to write a comment in. What is written stays if it cannot be sent, and if the page is loaded again. */
export function Writing({ label, submit, place, start = '', focus = false, send, cancel, children }: WritingProps): JSX.Element {
    const { t, language } = useKit();
    const user = useSession()?.user.id ?? '';
    const [text, change] = useDraft(user, place, start);
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);
    const tried = useRef({ text: '', key: '' });
    const field = useRef<HTMLTextAreaElement>(null);
    const id = useId();
    const left = MAX_TEXT - text.length;

    useEffect(() => {
        const { current } = field;
        if (focus && current !== null) {
            current.focus();
            current.setSelectionRange(current.value.length, current.value.length);
        }
    }, []);

    const sendNow = async (): Promise<void> => {
        if (busy) {
            return;
        }

        if (text.trim() === '') {
            setProblem(t('comments.nothing_written'));
            field.current?.focus();
            return;
        }

        // The same text again may have come already, if the response was lost.
        tried.current = tried.current.text === text ? tried.current : { text, key: newKey() };
        setBusy(true);
        setProblem('');
        try {
            await send(text.trim(), tried.current.key);
            tried.current = { text: '', key: '' };
            dropDraft(user, place);
            change('');
        }
        catch (error) {
            setProblem(problemText(t, language, error));
            field.current?.focus();
        }

        setBusy(false);
    };

    return (
        <form class="writing" noValidate aria-busy={busy} onSubmit={(event) => {
            event.preventDefault();
            void sendNow();
        }}>
            <label for={id}>{label}</label>
            <textarea
                id={id} ref={field} rows={3} dir="auto" maxLength={MAX_TEXT} value={text} aria-describedby={problem === ''
                    ? undefined : `${id}-problem`} aria-invalid={problem !== ''}
                onInput={({ currentTarget }) => change(currentTarget.value)}
                onKeyDown={(event) => {
                    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                        event.preventDefault();
                        void sendNow();
                    }
                    else if (event.key === 'Escape' && cancel !== undefined && text === start) {
                        cancel();
                    }
                }}
            />
            {left <= FEW_LEFT && <p class="hint" role="status">{t('comments.left', { count: left })}</p>}
            {children}
            <p class="problem" role="alert" id={`${id}-problem`}>{problem}</p>
            <div class="does">
                <button type="submit" aria-disabled={busy}>{submit}</button>
                {cancel !== undefined && <button type="button" class="quiet" onClick={() => {
                    dropDraft(user, place);
                    cancel();
                }}>{t('ui.cancel')}</button>}
            </div>
        </form>
    );
}
