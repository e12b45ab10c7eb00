import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Class, ClassDevice } from '../../../client/src/index.js';
import { Dialog } from '../../ui/dialog';
import { useKit } from '../../ui/kit';
import { problemText } from '../../ui/problems';
import { QrPicture } from '../../ui/qr';
import { preparingAddress } from './prepare';

/** Seconds between two looks at whether the device is ready. */
const EVERY = 2;

/** Shows a code to one device after the other: once a device is ready, the next code. The last one, which is not used, goes with the dialog. */
export function OtherDevices({ one, onClose }: { one: Class; onClose(): void }): JSX.Element {
    const { t, client, language } = useKit();
    const [address, setAddress] = useState<string | null>(null);
    const [count, setCount] = useState(0);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        const over = new AbortController();
        const { signal } = over;
        const pause = (): Promise<void> => new Promise((resolve) => {
            const timer = setTimeout(resolve, EVERY * 1000);
            signal.addEventListener('abort', () => {
                clearTimeout(timer);
                resolve();
            });
        });
        let last: ClassDevice | undefined;
        const prepare = async (): Promise<void> => {
            while (!signal.aborted) {
                const made = await client.classes.addDevice(one);
                last = made.device;
                setAddress(preparingAddress(one.id, made.code));
                let isWaiting = true;
                while (isWaiting && !signal.aborted) {
                    await pause();
                    const devices = await client.classes.devices(one);
                    isWaiting = devices.some(({ id, ready }) => id === made.device.id && !ready);
                    const isReady = devices.some(({ id, ready }) => id === made.device.id && ready);
                    setCount((before) => (isReady ? before + 1 : before));
                    last = isReady ? undefined : last;
                }
            }

            await (last && client.classes.removeDevice(one, last));
        };

        prepare().catch((error: unknown) => signal.aborted || setProblem(problemText(t, language, error)));
        return () => over.abort();
    }, [one.id]);

    return (
        <Dialog title={t('classes.pictures_others')} onClose={onClose}>
            <p class="words">{t('classes.pictures_others_text')}</p>
            <p class="problem" role="alert">{problem}</p>
            {address !== null && (
                <>
                    <p class="to-scan"><QrPicture address={address} size={220} alt={t('editor.code_picture')} /></p>
                    <label class="field">
                        <span>{t('classes.slip_address')}</span>
                        <input readOnly value={address} dir="ltr" onFocus={({ currentTarget }) => currentTarget.select()} />
                    </label>
                </>
            )}
            <p role="status"><strong>{t('classes.pictures_ready', { count })}</strong></p>
            <div class="actions"><button type="button" onClick={onClose}>{t('classes.pictures_done')}</button></div>
        </Dialog>
    );
}
