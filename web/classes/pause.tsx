import type { JSX } from 'preact';

import type { Class, Pupil } from '../../client/src/index.js';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';

/** How long a pause can be, in minutes. */
const lengths = [15, 60, 24 * 60, 7 * 24 * 60] as const;

const MINUTE = 60_000;

/** Asks for how long a pupil is to read only. */
export function Pause({ one, pupil, name, onClose, onDone }: { one: Class; pupil: Pupil; name: string; onClose(): void; onDone(): Promise<void> }): JSX.Element {
    const { t, client, language } = useKit();
    const words = (minutes: number): string => new Intl.NumberFormat(language, { style: 'unit', unitDisplay: 'long', ...minutes < 60 ? { unit: 'minute' } : minutes < 24 * 60 ? { unit: 'hour' } : { unit: 'day' } }).format(minutes < 60 ? minutes : minutes < 24 * 60 ? minutes / 60 : minutes / 24 / 60);
    return (
        <Dialog title={t('classes.pause_name', { name })} onClose={onClose}>
            <p class="words">{t('classes.pause_text')}</p>
            <Form
                fields={[{ name: 'length', label: t('moderation.how_long'), type: 'select', options: lengths.map((minutes) => [String(minutes), words(minutes)]), focus: true }]}
                submit={t('classes.pause')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    await client.classes.pause(one, pupil.user.id, new Date(Date.now() + Number(values.text('length')) * MINUTE).toISOString());
                    await onDone();
                }}
            />
        </Dialog>
    );
}
