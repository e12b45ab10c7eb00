import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ClassDevice, ClassRead } from '../../../client/src/index.js';
import { useAct } from '../../ui/act';
import { Confirm } from '../../ui/dialog';
import { timeIn, useKit } from '../../ui/kit';
import { problemText } from '../../ui/problems';
import { QrPicture } from '../../ui/qr';
import { nameOf } from '../pupils';
import type { Slip } from '../sheets';
import { OtherDevices } from './other-devices';
import { preparingAddress } from './prepare';

interface PicturesProps {
    found: ClassRead;
    read(): Promise<void>;
    show(slips: readonly Slip[]): void;
}

/** Whether pupils can sign in with pictures, and all that belongs to it. */
export function PictureSignIn({ found, read, show }: PicturesProps): JSX.Element {
    const { t, client } = useKit();
    const act = useAct();
    const { class: one } = found;
    return (
        <section class="part" aria-labelledby="picture-sign-in">
            <h2 id="picture-sign-in">{t('classes.pictures')}</h2>
            <p class="lead">{t('classes.pictures_text')}</p>
            {one.picture_sign_in ? <Allowed found={found} read={read} show={show} /> : (
                <div class="bar"><button type="button" class="quiet" onClick={() => void act(async () => {
                    await client.classes.update(one, { picture_sign_in: true });
                    await read();
                }, t('classes.pictures_allowed'))}>{t('classes.pictures_allow')}</button></div>
            )}
        </section>
    );
}

type Open = { what: 'others' | 'end' } | { what: 'device'; device: ClassDevice } | null;

function Allowed({ found: { class: one, pupils }, read, show }: PicturesProps): JSX.Element {
    const { t, client, language, say } = useKit();
    const [devices, setDevices] = useState<readonly ClassDevice[]>([]);
    const [open, setOpen] = useState<Open>(null);
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);
    const close = (): void => setOpen(null);
    const attempt = (work: () => Promise<unknown>): Promise<void> => {
        return work().then(() => setProblem(''), (error: unknown) => setProblem(problemText(t, language, error)));
    };

    const list = (): Promise<void> => attempt(async () => setDevices((await client.classes.devices(one)).filter(({ ready }) => ready)));
    useEffect(() => void list(), [one.id]);
    const without = pupils.filter(({ managed, has_pictures: has }) => managed && !has);
    const give = async (): Promise<void> => {
        setBusy(true);
        await attempt(async () => {
            // One after the other, and each is on its sheet at once: what was given is not lost if the next one fails.
            for (const { user: { id } } of without) {
                const { pupil, pictures = [] } = await client.classes.updatePupil(one, id, { pictures: true });
                show([{ name: nameOf(t, pupil), username: pupil.user.username ?? '', pictures }]);
            }
        });
        await read();
        setBusy(false);
    };

    const named = ({ label }: ClassDevice): string => label ?? t('classes.pictures_unnamed');
    const endOf = (device: ClassDevice): string => t('classes.pictures_device_end_name', { name: named(device) });
    return (
        <>
            <p class="problem" role="alert">{problem}</p>
            <div class="bar">
                {without.length > 0 && (
                    <button type="button" aria-busy={busy} disabled={busy} onClick={() => void give()}>
                        {t('classes.pictures_give', { count: without.length })}
                    </button>
                )}
                <button type="button" class="quiet" onClick={() => void attempt(async () => {
                    const { code } = await client.classes.addDevice(one);
                    history.pushState(null, '', preparingAddress(one.id, code));
                    location.reload();
                })}>{t('classes.pictures_this')}</button>
                <button type="button" class="quiet" onClick={() => setOpen({ what: 'others' })}>{t('classes.pictures_others')}</button>
            </div>
            <h3 id="class-devices">{t('classes.pictures_devices')}</h3>
            {devices.length === 0 ? <p class="empty">{t('classes.pictures_no_devices')}</p> : (
                <ul class="rows people" aria-labelledby="class-devices">
                    {devices.map((device) => (
                        <li key={device.id}>
                            <article class="row">
                                <h4>{named(device)}</h4>
                                <p class="facts"><span>{t('sessions.since', { time: timeIn(language, device.since) })}</span></p>
                                <div class="does">
                                    <button type="button" class="quiet" aria-label={endOf(device)} onClick={() => setOpen({ what: 'device', device })}>
                                        {t('classes.pictures_device_end')}
                                    </button>
                                </div>
                            </article>
                        </li>
                    ))}
                </ul>
            )}
            <h3>{t('classes.pictures_address')}</h3>
            <div class="class-code">
                <QrPicture address={new URL(`/class/${one.id}`, location.origin).href} size={120} alt={t('editor.code_picture')} />
                <div><p>{t('classes.pictures_address_text')}</p></div>
            </div>
            <div class="bar">
                <button type="button" class="quiet" onClick={() => setOpen({ what: 'end' })}>{t('classes.pictures_end')}</button>
            </div>
            {open?.what === 'others' && <OtherDevices one={one} onClose={() => {
                close();
                void list();
            }} />}
            {open?.what === 'device' && (
                <Confirm
                    title={endOf(open.device)} text={t('classes.pictures_device_end_text')} action={t('classes.pictures_device_end')} onClose={close}
                    onConfirm={async () => {
                        await client.classes.removeDevice(one, open.device);
                        await list();
                        say(t('classes.pictures_device_ended'));
                        close();
                    }}
                />
            )}
            {open?.what === 'end' && (
                <Confirm
                    title={t('classes.pictures_end')} text={t('classes.pictures_end_text')} action={t('classes.pictures_end')} onClose={close}
                    onConfirm={async () => {
                        await client.classes.update(one, { picture_sign_in: false });
                        close();
                        await read();
                        say(t('classes.pictures_ended'));
                    }}
                />
            )}
        </>
    );
}
