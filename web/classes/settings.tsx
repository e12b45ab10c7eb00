import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Class } from '../../client/src/index.js';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { classFields, classWritten } from './fields';

/** The settings of a class, and the way to change them. */
export function Settings({ one, read }: { one: Class; read(): Promise<void> }): JSX.Element {
    const { t, client, say } = useKit();
    const [isOpen, setOpen] = useState(false);
    const close = (): void => setOpen(false);
    return (
        <section class="part" aria-labelledby="settings">
            <h2 id="settings">{t('classes.settings')}</h2>
            <p class="facts"><span>{t('classes.publish')}: {t(`classes.publish_${String(one.publish)}`)}</span></p>
            <div class="bar"><button type="button" class="quiet" onClick={() => setOpen(true)}>{t('classes.settings_change')}</button></div>
            {isOpen && (
                <Dialog title={t('classes.settings')} onClose={close}>
                    <Form fields={classFields(t, one)} submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: close }} onSubmit={async (values) => {
                        await client.classes.update(one, { ...classWritten(values), revision: one.revision });
                        await read();
                        say(t('classes.saved'));
                        close();
                    }} />
                </Dialog>
            )}
        </section>
    );
}
