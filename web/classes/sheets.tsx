import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Class, PictureName } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { useKit, useSession } from '../ui/kit';
import { QrPicture } from '../ui/qr';
import { SentRequests } from './kept';
import { Picture } from './pictures/shown';

/** A slip for a pupil to sign in. */
export interface Slip {
    name: string;
    username: string;
    /** undefined if it is not known any more */
    passphrase?: string;
    pictures?: readonly PictureName[];
    /** of the request that opened the account */
    key?: string;
}

/** Slips with more of them. New pictures come to the pass-phrase of the pupil; a new pass-phrase has ended all that was before. */
export const withSlips = (before: readonly Slip[], more: readonly Slip[]): Slip[] => [
    ...before.filter(({ username }) => more.every((slip) => slip.username !== username)),
    ...more.map((slip) => {
        const known = slip.passphrase === undefined ? before.find(({ username }) => username === slip.username) : undefined;
        return { ...known, ...slip };
    })
];

/**
 * Where a pupil signs in: with pictures the page of the class, and else the page to sign in, with the username filled in, which leads to the
 * class. It is behind a `#`, so it is in no log; neither the pass-phrase nor the pictures are in it.
 */
const addressFor = ({ id }: Class, { username, pictures }: Slip): string => {
    return new URL(pictures === undefined ? `/sign-in#${encodeURIComponent(username)}` : `/class/${id}`, location.origin).href;
};

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
                {slips.map((slip) => <SlipOf key={slip.username} one={one} slip={slip} />)}
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

function SlipOf({ one, slip }: { one: Class; slip: Slip }): JSX.Element {
    const { t } = useKit();
    const { name, username, passphrase, pictures } = slip;
    const address = addressFor(one, slip);
    return (
        <li class="slip">
            <div>
                <p class="slip-name"><bdi>{name}</bdi></p>
                <p><bdi>{one.title}</bdi></p>
                <dl>
                    {pictures !== undefined && (
                        <>
                            <dt>{t('classes.slip_pictures')}</dt>
                            <dd>
                                <ol class="slip-pictures">
                                    {pictures.map((each, at) => <li key={each}><Picture name={each} />{at + 1}. {t(`classes.picture_${each}`)}</li>)}
                                </ol>
                            </dd>
                        </>
                    )}
                    <dt>{t('enter.username')}</dt><dd dir="ltr"><code>{username}</code></dd>
                    {passphrase !== undefined && <><dt>{t('classes.slip_passphrase')}</dt><dd dir="ltr"><code>{passphrase}</code></dd></>}
                    <dt>{t('classes.slip_address')}</dt><dd dir="ltr">{address}</dd>
                </dl>
                {passphrase !== undefined && <p class="hint">{t('classes.slip_hint')}</p>}
            </div>
            <QrPicture address={address} size={120} alt={t('editor.code_picture')} />
        </li>
    );
}
