import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { reportReasons } from '../../src/community/report-reasons';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { circles, report } from './service';
import type { Named } from './service';

interface ConcernProps {
    /** what is reported */
    thing: Parameters<typeof report>[0];
    /** whose it is; null if the account is gone */
    person: Named | null;
    isBlocked: boolean;
    onBlocked(is: boolean): void;
    /** what the button says; *Report or block* if left out */
    label?: string;
}

/** Reports something, or blocks whoever has made it: one tap opens it, the second one does it, and a block can be taken back. */
export function Concern({ thing, person, isBlocked, onBlocked, label }: ConcernProps): JSX.Element {
    const { t, language } = useKit();
    const [isOpen, setOpen] = useState(false);
    const [said, setSaid] = useState<'' | 'reported' | 'blocked' | 'unblocked'>('');
    const [problem, setProblem] = useState('');
    const box = useRef<HTMLDivElement>(null);
    const button = useRef<HTMLButtonElement>(null);
    const id = useId();
    const name = person?.username ?? '';

    // What was pressed is gone: the focus goes where it is said what came of it.
    useEffect(() => {
        if (said !== '') {
            box.current?.querySelector<HTMLElement>('[role="status"]')?.focus();
        }
    }, [said]);

    const attempt = (work: () => Promise<void>, then: typeof said): void => {
        setProblem('');
        work().then(() => {
            setSaid(then);
            setOpen(false);
        }, (error: unknown) => setProblem(problemText(t, language, error)));
    };

    const block = (is: boolean): void => attempt(async () => {
        await circles.set('blocks', name, is);
        onBlocked(is);
    }, is ? 'blocked' : 'unblocked');

    const close = (): void => {
        setOpen(false);
        button.current?.focus();
    };

    return (
        <div class="concern" ref={box} onKeyDown={(event) => {
            if (event.key === 'Escape' && isOpen) {
                event.stopPropagation();
                close();
            }
        }}>
            <button ref={button} type="button" class="plain" aria-expanded={isOpen} aria-controls={id} onClick={() => {
                setSaid('');
                setOpen(!isOpen);
            }}>{label ?? t(person === null ? 'comments.report' : 'comments.concern')}</button>
            <p class="told" role="status" tabIndex={-1}>
                {said !== '' && t(`comments.${said}`, { name })}
                {said === 'blocked' && <>{' '}<button type="button" class="quiet" onClick={() => block(false)}>
                    {t('comments.undo')}</button></>}
            </p>
            <div id={id} class="concerns" hidden={!isOpen}>
                <p>{t('comments.concern_text')}</p>
                <div class="does">
                    {reportReasons.map((reason) => <button key={reason} type="button" class="quiet"
                        onClick={() => attempt(() => report(thing, reason), 'reported')}>{t(`player.reason_${reason}`)}</button>)}
                </div>
                {person !== null && (
                    <>
                        <p>{t(isBlocked ? 'comments.is_blocked' : 'comments.block_text', { name })}</p>
                        <div class="does">
                            <button type="button" class="quiet" onClick={() => block(!isBlocked)}>{t(isBlocked ? 'comments.unblock'
                                : 'comments.block', { name })}</button>
                        </div>
                    </>
                )}
                <p class="problem" role="alert">{problem}</p>
            </div>
        </div>
    );
}
