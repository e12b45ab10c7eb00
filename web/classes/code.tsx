import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { ClassRead } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { useKit } from '../ui/kit';
import { QrPicture } from '../ui/qr';

/** The code that others join by: to read out, as an address, and as a picture for cameras. */
export function Code({ found: { class: one, code = '' }, read }: { found: ClassRead; read(): Promise<void> }): JSX.Element {
    const { t, client, say } = useKit();
    const [isOpen, setOpen] = useState(false);
    const close = (): void => setOpen(false);
    const address = new URL(`/classes#${code}`, location.origin).href;
    return (
        <section class="part" aria-labelledby="code">
            <h2 id="code">{t('classes.code_title')}</h2>
            <p>{t('classes.code_text')}</p>
            <div class="class-code">
                <QrPicture address={address} size={160} alt={t('editor.code_picture')} />
                <div>
                    <p class="code" dir="ltr">{code}</p>
                    <label class="field"><span>{t('editor.code_address')}</span><input readOnly value={address} dir="ltr" onFocus={({ currentTarget }) => currentTarget.select()} /></label>
                    <div class="does">
                        <button type="button" class="quiet" onClick={() => void navigator.clipboard.writeText(address).then(() => say(t('editor.code_copied')), () => undefined)}>{t('editor.code_copy')}</button>
                        <button type="button" class="quiet" onClick={() => setOpen(true)}>{t('classes.code_new')}</button>
                    </div>
                </div>
            </div>
            {isOpen && (
                <Confirm title={t('classes.code_new')} text={t('classes.code_new_text')} action={t('classes.code_new')} onClose={close} onConfirm={async () => {
                    await client.classes.update(one, { code: true });
                    await read();
                    say(t('classes.code_renewed'));
                    close();
                }} />
            )}
        </section>
    );
}
