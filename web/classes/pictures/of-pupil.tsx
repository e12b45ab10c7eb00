import type { JSX } from 'preact';

import type { Class, Pupil } from '../../../client/src/index.js';
import { Dialog } from '../../ui/dialog';
import { Form } from '../../ui/form';
import { useKit } from '../../ui/kit';
import { useAct } from '../../ui/act';
import type { Slip } from '../sheets';

interface OfPupilProps {
    one: Class;
    pupil: Pupil;
    name: string;
    onClose(): void;
    /** @param slip with new pictures, if there are some */
    onDone(slip?: Slip): Promise<void>;
}

/** Gives a pupil new pictures, or takes them away. */
export function PicturesOfPupil({ one, pupil: { user, has_pictures: has }, name, onClose, onDone }: OfPupilProps): JSX.Element {
    const { t, client } = useKit();
    const act = useAct();
    return (
        <Dialog title={t('classes.pictures_name', { name })} onClose={onClose}>
            <p class="words">{t('classes.pictures_new_text')}</p>
            <Form
                fields={[]} submit={t('classes.pictures_new')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async () => {
                    const { pictures = [] } = await client.classes.updatePupil(one, user.id, { pictures: true });
                    await onDone({ name, username: user.username ?? '', pictures });
                }}
            />
            {has && <div class="actions"><button type="button" class="quiet" onClick={() => void act(async () => {
                await client.classes.updatePupil(one, user.id, { pictures: false });
                await onDone();
            }, t('classes.pictures_taken', { name }))}>{t('classes.pictures_take')}</button></div>}
        </Dialog>
    );
}
