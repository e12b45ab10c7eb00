import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Class } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { useKit, useSession } from '../ui/kit';
import { QrPicture } from '../ui/qr';
import { SentRequests } from './kept';

/** A slip for a pupil to sign in. */
export interface Slip {
    name: string;
    username: string;
    passphrase: string;
    /** of the request that opened the account */
    key?: string;
}

/** The page to sign in, with the username filled in, which leads to the class. It is behind a `#`, so it is in no log; the pass-phrase is not in it. */
const addressFor = (username: string): string => new URL(`/sign-in#${encodeURIComponent(username)}`, location.origin).href;

interface SheetsProps {
    one: Class;
    slips: readonly Slip[];
    onClosed(): void;
}

/** The sheets of new pupils, and of those with a new pass-phrase: a slip each, to print and to cut out. They stay until the teacher closes them. */
export function Sheets({ one, slips, onClosed }: SheetsProps): JSX.Element | null {
    const { t } = useKit();
    const session = useSession();
    const [isClosing, setClosing] = useState(false);
    const heading = useRef<HTMLHeadingElement>(null);
    useEffect(() => heading.current?.focus(), [slips]);
    useEffect(() => {
        const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
        if (slips.length > 0) {
            addEventListener('beforeunload', warn);
        }

        return () => removeEventListener('beforeunload', warn);
    }, [slips.length > 0]);

    if (slips.length === 0) {
        return null;
    }

    return (
        <section class="part sheets" aria-labelledby="sheets">
            <h2 id="sheets" ref={heading} tabIndex={-1}>{t('classes.sheets')}</h2>
            <p class="warning">{t('classes.sheets_text')}</p>
            <div class="bar">
                <button type="button" onClick={() => print()}>{t('classes.print')}</button>
                <button type="button" class="quiet" onClick={() => setClosing(true)}>{t('classes.close_sheets')}</button>
            </div>
            <ul class="slips" aria-labelledby="sheets">
                {slips.map(({ name, username, passphrase }) => (
                    <li key={username} class="slip">
                        <div>
                            <p class="slip-name"><bdi>{name}</bdi></p>
                            <p><bdi>{one.title}</bdi></p>
                            <dl>
                                <dt>{t('enter.username')}</dt><dd dir="ltr"><code>{username}</code></dd>
                                <dt>{t('classes.slip_passphrase')}</dt><dd dir="ltr"><code>{passphrase}</code></dd>
                                <dt>{t('classes.slip_address')}</dt><dd dir="ltr">{addressFor(username)}</dd>
                            </dl>
                            <p class="hint">{t('classes.slip_hint')}</p>
                        </div>
                        <QrPicture address={addressFor(username)} size={120} alt={t('editor.code_picture')} />
                    </li>
                ))}
            </ul>
            {isClosing && (
                <Confirm title={t('classes.close_sheets')} text={t('classes.close_text')} action={t('classes.close_sheets')} onClose={() => setClosing(false)} onConfirm={() => {
                    new SentRequests(one.id, session?.user.id ?? '').drop(...slips.flatMap(({ key }) => key ?? []));
                    setClosing(false);
                    onClosed();
                    return Promise.resolve();
                }} />
            )}
        </section>
    );
}
