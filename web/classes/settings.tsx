import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Class } from '../../client/src/index.js';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { classFields, classWritten } from './fields';
import { TakeAlong } from './take-along';

/** What the class lets its accounts show, and the ways to change it, to take its work along and to delete it. */
export function Settings({ one, read }: { one: Class; read(): Promise<void> }): JSX.Element {
    const { t, client, say } = useKit();
    const [open, setOpen] = useState<'settings' | 'delete' | null>(null);
    const close = (): void => setOpen(null);
    return (
        <>
            <p class="facts"><span>{t('classes.publish')}: {t(`classes.publish_${String(one.publish)}`)}</span></p>
            <div class="bar">
                <button type="button" class="quiet" onClick={() => setOpen('settings')}>{t('classes.settings')}</button>
                <button type="button" class="quiet" onClick={() => setOpen('delete')}>{t('classes.delete')}</button>
                <TakeAlong one={one} />
            </div>
            {open === 'settings' && (
                <Dialog title={t('classes.settings')} onClose={close}>
                    <Form fields={classFields(t, one)} submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: close }} onSubmit={async (values) => {
                        await client.classes.update(one, { ...classWritten(values), revision: one.revision });
                        await read();
                        say(t('classes.saved'));
                        close();
                    }} />
                </Dialog>
            )}
            {open === 'delete' && (
                <Dialog title={t('classes.delete_title', { title: one.title })} onClose={close}>
                    <p class="words">{t('classes.delete_text')}</p>
                    <p class="words">{t('classes.delete_first')}</p>
                    <div class="bar"><TakeAlong one={one} /></div>
                    <Form
                        fields={[{ name: 'accounts', label: t('classes.delete_accounts'), hint: t('classes.closed_hint'), type: 'select', value: 'keep', options: [['keep', t('classes.delete_keep')], ['remove', t('classes.delete_remove')]] }]}
                        submit={t('classes.delete')} danger cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={async (values) => {
                            await client.classes.delete(one, { removeAccounts: values.text('accounts') === 'remove' });
                            location.assign(href('/classes'));
                        }}
                    />
                </Dialog>
            )}
        </>
    );
}
