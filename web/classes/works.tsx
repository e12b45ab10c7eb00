import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Assignment, ClassRead, PupilWork, Work } from '../../client/src/index.js';
import { MOST_NOTE } from '../../src/limits';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { HandedIn } from './handed-in';

type Open = { what: 'answer' | 'look'; name: string; work: Work } | null;

/** The works for an assignment, as teachers see them: each pupil with how far they are. */
export function Works({ found: { class: one }, id }: { found: ClassRead; id: string }): JSX.Element {
    const { t, client, language, say } = useKit();
    const [assignment, setAssignment] = useState<Assignment | null>(null);
    const [works, setWorks] = useState<readonly PupilWork[]>([]);
    const [open, setOpen] = useState<Open>(null);
    const [problem, setProblem] = useState('');
    const close = (): void => setOpen(null);
    const read = async (): Promise<void> => {
        try {
            setWorks(await client.classes.works({ id, class_id: one.id }));
            setAssignment((await client.classes.assignments(one)).find(({ assignment: each }) => each.id === id)?.assignment ?? null);
        }
        catch (error) {
            setProblem(problemText(t, language, error));
        }
    };

    useEffect(() => void read(), []);
    return (
        <>
            <p><a href={href(`/class/${one.id}`)}><bdi>{one.title}</bdi></a></p>
            <p class="problem" role="alert">{problem}</p>
            {assignment === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <>
                    <h2 id="works"><bdi>{assignment.title}</bdi></h2>
                    {assignment.due_at !== null && <p class="facts"><span>{t('classes.due', { time: timeIn(language, assignment.due_at) })}</span></p>}
                    {assignment.text !== '' && <p class="words" dir="auto">{assignment.text}</p>}
                    {works.length === 0 && <p class="empty">{t('classes.no_pupils')}</p>}
                    <ul class="rows people" aria-labelledby="works">
                        {works.map(({ pupil, work }, at) => {
                            const name = pupil?.name ?? pupil?.user.username ?? t('classes.unnamed');
                            return (
                                <li key={work?.id ?? pupil?.user.id ?? at}>
                                    <article class="row">
                                        <h3><bdi>{name}</bdi></h3>
                                        <WorkFacts work={work} />
                                        {work !== null && (
                                            <div class="does">
                                                {work.project_id !== null && <a class="button quiet" href={href(`/p/${work.project_id}`)} target="_blank" rel="noopener" aria-label={t('classes.project_of', { name })}>{t('classes.project_now')}</a>}
                                                {work.points.length > 0 && !work.withdrawn && <button type="button" class="quiet" aria-label={t('classes.look_name', { name })} onClick={() => setOpen({ what: 'look', name, work })}>{t('classes.look')}</button>}
                                                {work.point !== null && <button type="button" class="quiet" aria-label={t('classes.answer_name', { name })} onClick={() => setOpen({ what: 'answer', name, work })}>{t('classes.answer')}</button>}
                                            </div>
                                        )}
                                        {work !== null && work.note !== '' && <p class="words note" dir="auto">{work.note}</p>}
                                    </article>
                                </li>
                            );
                        })}
                    </ul>
                </>
            )}
            {open?.what === 'look' && <HandedIn title={t('classes.look_name', { name: open.name })} work={open.work} onClose={close} />}
            {open?.what === 'answer' && (
                <Dialog title={t('classes.answer_name', { name: open.name })} onClose={close}>
                    <Form
                        fields={[
                            { name: 'note', label: t('classes.note'), type: 'textarea', optional: true, maxLength: MOST_NOTE, value: open.work.note, focus: true },
                            { name: 'state', label: t('classes.answer_state'), hint: t('classes.answer_hint'), type: 'select', value: open.work.state, options: (['returned', 'accepted'] as const).map((state) => [state, t(`classes.work_${state}`)]) }
                        ]}
                        submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={async (values) => {
                            await client.classes.review({ id, class_id: one.id }, open.work, values.text('state') === 'accepted' ? 'accepted' : 'returned', values.text('note'));
                            await read();
                            say(t('classes.answered', { name: open.name }));
                            close();
                        }}
                    />
                </Dialog>
            )}
        </>
    );
}

/** How far a work is, in words. */
export function WorkFacts({ work }: { work: Work | null }): JSX.Element {
    const { t, language } = useKit();
    return (
        <p class="facts">
            <strong>{t(work === null ? 'classes.work_none' : `classes.work_${String(work.state)}`)}</strong>
            {work !== null && work.handed_in_at !== null && <span>{timeIn(language, work.handed_in_at)}</span>}
            {work?.late === true && <span class="late">{t('classes.late')}</span>}
            {work?.withdrawn === true && <span>{t('classes.withdrawn')}</span>}
        </p>
    );
}
