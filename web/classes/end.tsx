import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Class } from '../../client/src/index.js';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { TakeAlong } from './take-along';

/** The end of a class: its work as a file, and deleting it. */
export function EndOfClass({ one }: { one: Class }): JSX.Element {
    const { t, client } = useKit();
    const [isOpen, setOpen] = useState(false);
    const close = (): void => setOpen(false);
    return (
        <section class="part end" aria-labelledby="end">
            <h2 id="end">{t('classes.end')}</h2>
            <div class="bar">
                <TakeAlong one={one} />
                <button type="button" class="quiet" onClick={() => setOpen(true)}>{t('classes.delete')}</button>
            </div>
            {isOpen && (
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
        </section>
    );
}
