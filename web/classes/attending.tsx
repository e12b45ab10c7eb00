import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { ClassRead } from '../../client/src/index.js';
import { SignOut } from '../account/sign-out';
import { preparedFor } from '../prepared';
import { Confirm } from '../ui/dialog';
import { href, useKit, useSession } from '../ui/kit';
import { Assignments } from './assignments';
import { nameOf } from './pupils';
import { Wall } from './wall';

/** A class, as a pupil sees it. */
export function Attending({ found }: { found: ClassRead }): JSX.Element {
    const { class: one, teachers, pupils } = found;
    const { t, client } = useKit();
    const session = useSession();
    const [isOpen, setOpen] = useState(false);
    const isManaged = pupils.some(({ user, managed }) => managed && user.id === session?.user.id);
    return (
        <>
            <p class="facts"><span>{t('classes.taught_by', { names: teachers.map(({ username }) => username).join(', ') })}</span></p>
            {preparedFor(one.id) !== undefined && (
                <div class="bar"><SignOut class="quiet" to={href(`/class/${one.id}`)}>{t('classes.pictures_finished')}</SignOut></div>
            )}
            <Assignments found={found} />
            <Wall found={found} />
            <h2 id="pupils">{t('classes.pupils')}</h2>
            <ul class="names" aria-labelledby="pupils">
                {pupils.map((pupil) => (
                    <li key={pupil.user.id}>
                        <bdi>{nameOf(t, pupil)}</bdi>
                        {pupil.user.id === session?.user.id && <span class="hint"> ({t('classes.you')})</span>}
                    </li>
                ))}
            </ul>
            {isManaged ? <p class="hint">{t('classes.managed_hint')}</p> : <div class="bar"><button type="button" class="quiet" onClick={() => setOpen(true)}>{t('classes.leave')}</button></div>}
            {isOpen && (
                <Confirm title={t('classes.leave_title', { title: one.title })} text={t('classes.leave_text')} action={t('classes.leave')} onClose={() => setOpen(false)} onConfirm={async () => {
                    await client.classes.removePupil(one, session?.user.id ?? '');
                    location.assign(href('/classes'));
                }} />
            )}
        </>
    );
}
