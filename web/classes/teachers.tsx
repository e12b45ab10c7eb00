import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { ClassRead, Teacher } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, useKit, useSession } from '../ui/kit';

/** The teachers of a class, who can add others. */
export function Teachers({ found: { class: one, teachers }, read }: { found: ClassRead; read(): Promise<void> }): JSX.Element {
    const { t, client, say } = useKit();
    const session = useSession();
    const [leaving, setLeaving] = useState<Teacher | null>(null);
    const [times, setTimes] = useState(0);
    const isMe = ({ id }: Teacher): boolean => id === session?.user.id;
    return (
        <section class="part" aria-labelledby="teachers">
            <h2 id="teachers">{t('classes.teachers')}</h2>
            <ul class="rows people" aria-labelledby="teachers">
                {teachers.map((teacher) => (
                    <li key={teacher.id}>
                        <article class="row">
                            <h3><bdi>{teacher.username}</bdi>{isMe(teacher) && <span class="hint"> ({t('classes.you')})</span>}</h3>
                            {teachers.length > 1 && <div class="does"><button type="button" class="quiet" aria-label={t('classes.take_out_name', { name: teacher.username })} onClick={() => setLeaving(teacher)}>{t('classes.take_out')}</button></div>}
                        </article>
                    </li>
                ))}
            </ul>
            <Form
                key={times} label={t('classes.teacher_add')} submit={t('classes.teacher_add')} inline
                fields={[{ name: 'username', label: t('enter.username'), hint: t('classes.teacher_hint'), maxLength: 100, codes: ['not_found', 'no_teacher'], focus: times > 0 }]}
                onSubmit={async (values) => {
                    const { username } = await client.classes.addTeacher(one, values.text('username').trim());
                    await read();
                    setTimes(times + 1);
                    say(t('classes.teacher_added', { name: username }));
                }}
            />
            {leaving !== null && (
                <Confirm title={t('classes.take_out_name', { name: leaving.username })} text={t('classes.teacher_out_text')} action={t('classes.take_out')} onClose={() => setLeaving(null)} onConfirm={async () => {
                    await client.classes.removeTeacher(one, leaving.username);
                    if (isMe(leaving)) {
                        location.assign(href('/classes'));
                        return;
                    }

                    await read();
                    say(t('classes.taken_out', { name: leaving.username }));
                    setLeaving(null);
                }} />
            )}
        </section>
    );
}
