import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { ClassRead, Pupil } from '../../client/src/index.js';
import { MAX_PUPIL_NAME } from '../../src/limits';
import type { Translate } from '../../src/site/text-options';
import { useAct } from '../ui/act';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { timeIn, useKit, useSession } from '../ui/kit';
import { SentRequests } from './kept';
import { Pause } from './pause';
import { PicturesOfPupil } from './pictures/of-pupil';
import type { Slip } from './sheets';
import { TakeAlong } from './take-along';

/** A pupil's name in the class. */
export const nameOf = (t: Translate, { name, user }: Pick<Pupil, 'name' | 'user'>): string => name ?? user.username ?? t('classes.unnamed');

type Open = { what: 'rename' | 'passphrase' | 'pictures' | 'pause' | 'out'; pupil: Pupil } | null;

interface PupilsProps {
    found: ClassRead;
    read(): Promise<void>;
    show(slips: readonly Slip[]): void;
}

/** The pupils of a class, with what its teachers do about each. */
export function Pupils({ found: { class: one, pupils }, read, show }: PupilsProps): JSX.Element {
    const { t, client, language, say } = useKit();
    const session = useSession();
    const [open, setOpen] = useState<Open>(null);
    const close = (): void => setOpen(null);
    const act = useAct();
    const endPause = ({ user }: Pupil, name: string): Promise<void> => act(async () => {
        await client.classes.pause(one, user.id, null);
        await read();
    }, t('classes.pause_ended', { name }));
    const forget = ({ user }: Pupil): void => new SentRequests(one.id, session?.user.id ?? '').forget(user.username);
    const done = async (text: string): Promise<void> => {
        await read();
        say(text);
        close();
    };

    if (pupils.length === 0) {
        return <p class="empty">{t('classes.no_pupils')}</p>;
    }

    return (
        <>
            <p class="facts"><span>{t('classes.count', { count: pupils.length })}</span></p>
            <ul class="rows people" aria-labelledby="pupils">
                {pupils.map((pupil) => {
                    const name = nameOf(t, pupil);
                    return (
                        <li key={pupil.user.id}>
                            <article class="row">
                                <h3><bdi>{name}</bdi></h3>
                                <p class="facts">
                                    {pupil.user.username !== null && <span><bdi>{pupil.user.username}</bdi></span>}
                                    <span>{t(pupil.managed ? 'classes.managed' : 'classes.own_account')}</span>
                                    {pupil.has_pictures && <span>{t('classes.has_pictures')}</span>}
                                    {pupil.paused_until !== null && <strong>{t('classes.paused', { time: timeIn(language, pupil.paused_until) })}</strong>}
                                </p>
                                <div class="does">
                                    <button type="button" class="quiet" aria-label={t('classes.rename_name', { name })} onClick={() => setOpen({ what: 'rename', pupil })}>{t('classes.rename')}</button>
                                    {pupil.managed && <button type="button" class="quiet" aria-label={t('classes.passphrase_name', { name })} onClick={() => setOpen({ what: 'passphrase', pupil })}>{t('classes.passphrase')}</button>}
                                    {pupil.managed && one.picture_sign_in && (
                                        <button type="button" class="quiet" aria-label={t('classes.pictures_name', { name })} onClick={() => setOpen({ what: 'pictures', pupil })}>
                                            {t('classes.pictures_of')}
                                        </button>
                                    )}
                                    {pupil.paused_until === null ? <button type="button" class="quiet" aria-label={t('classes.pause_name', { name })} onClick={() => setOpen({ what: 'pause', pupil })}>{t('classes.pause')}</button>
                                        : <button type="button" class="quiet" aria-label={t('classes.pause_end_name', { name })} onClick={() => void endPause(pupil, name)}>{t('classes.pause_end')}</button>}
                                    <button type="button" class="quiet" aria-label={t('classes.take_out_name', { name })} onClick={() => setOpen({ what: 'out', pupil })}>{t('classes.take_out')}</button>
                                </div>
                            </article>
                        </li>
                    );
                })}
            </ul>
            {open?.what === 'rename' && (
                <Dialog title={t('classes.rename_name', { name: nameOf(t, open.pupil) })} onClose={close}>
                    <Form
                        fields={[{ name: 'name', label: t('classes.pupil_name'), hint: t('classes.pupil_name_hint'), maxLength: MAX_PUPIL_NAME, value: open.pupil.name ?? '', focus: true }]}
                        submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={async (values) => {
                            const { pupil } = await client.classes.updatePupil(one, open.pupil.user.id, { name: values.text('name').trim() });
                            await done(t('classes.renamed', { name: nameOf(t, pupil) }));
                        }}
                    />
                </Dialog>
            )}
            {open?.what === 'passphrase' && (
                <Confirm
                    title={t('classes.passphrase_name', { name: nameOf(t, open.pupil) })} text={t('classes.passphrase_text')} action={t('classes.passphrase')} onClose={close}
                    onConfirm={async () => {
                        // It ends the pictures, too.
                        const wanted = open.pupil.has_pictures ? { passphrase: true, pictures: true } as const : { passphrase: true } as const;
                        const { pupil, ...shown } = await client.classes.updatePupil(one, open.pupil.user.id, wanted);
                        forget(open.pupil);
                        show([{ name: nameOf(t, pupil), username: pupil.user.username ?? '', ...shown }]);
                        close();
                    }}
                />
            )}
            {open?.what === 'pictures' && (
                <PicturesOfPupil one={one} pupil={open.pupil} name={nameOf(t, open.pupil)} onClose={close} onDone={async (slip) => {
                    forget(open.pupil);
                    show(slip === undefined ? [] : [slip]);
                    await read();
                    close();
                }} />
            )}
            {open?.what === 'pause' && <Pause one={one} pupil={open.pupil} name={nameOf(t, open.pupil)} onClose={close} onDone={() => done(t('classes.pause_done', { name: nameOf(t, open.pupil) }))} />}
            {open?.what === 'out' && <TakeOut found={one} pupil={open.pupil} onClose={close} onDone={() => {
                forget(open.pupil);
                return done(t('classes.taken_out', { name: nameOf(t, open.pupil) }));
            }} />}
        </>
    );
}

interface TakeOutProps {
    found: ClassRead['class'];
    pupil: Pupil;
    onClose(): void;
    onDone(): Promise<void>;
}

/** Asks what is to become of an account that the class has made. */
function TakeOut({ found, pupil, onClose, onDone }: TakeOutProps): JSX.Element {
    const { t, client } = useKit();
    const title = t('classes.take_out_name', { name: nameOf(t, pupil) });
    const name = nameOf(t, pupil);
    return (
        <Dialog title={title} onClose={onClose}>
            <p class="words">{t('classes.take_out_first', { name })}</p>
            <div class="bar"><TakeAlong one={found} pupil={{ id: pupil.user.id, name }} /></div>
            <p class="words">{t(pupil.managed ? 'classes.take_out_managed' : 'classes.take_out_text')}</p>
            <Form
                fields={pupil.managed ? [{ name: 'account', label: t('classes.account'), hint: t('classes.closed_hint'), type: 'select', options: [['', t('classes.account_choose')], ['keep', t('classes.account_keep')], ['remove', t('classes.account_remove')]], check: (value) => (value === '' ? t('error.required') : undefined) }] : []}
                submit={t('classes.take_out')} danger cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    await client.classes.removePupil(found, pupil.user.id, { removeAccount: values.text('account') === 'remove' });
                    await onDone();
                }}
            />
        </Dialog>
    );
}
