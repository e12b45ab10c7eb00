import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ClassRead, ListedAssignment } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { href, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { AssignmentDialog } from './assignment-dialog';
import { OwnWork } from './own-work';
import { Task } from './task';

type Open = { what: 'new' } | { what: 'edit' | 'delete'; listed: ListedAssignment } | null;

/** Assignments of a class: for teachers with how far pupils are, for pupils with their own work. */
export function Assignments({ found: { class: one, pupils, role } }: { found: ClassRead }): JSX.Element {
    const { t, client, language, say } = useKit();
    const [all, setAll] = useState<readonly ListedAssignment[] | null>(null);
    const [open, setOpen] = useState<Open>(null);
    const [problem, setProblem] = useState('');
    const read = (): Promise<void> => client.classes.assignments(one).then(setAll, (error: unknown) => setProblem(problemText(t, language, error)));
    const close = (): void => setOpen(null);
    const done = async (text: string): Promise<void> => {
        await read();
        say(text);
        close();
    };

    // With all of its text, of which the list has the beginning.
    const edit = (listed: ListedAssignment): Promise<void> => client.classes.assignment(listed.assignment).then((found) => setOpen({ what: 'edit', listed: { ...listed, ...found } }), (error: unknown) => setProblem(problemText(t, language, error)));

    useEffect(() => void read(), []);
    return (
        <section class="part" aria-labelledby="assignments">
            <h2 id="assignments">{t('classes.assignments')}</h2>
            {role === 'teacher' && <div class="bar"><button type="button" onClick={() => setOpen({ what: 'new' })}>{t('classes.assignment_new')}</button></div>}
            <p class="problem" role="alert">{problem}</p>
            {all === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : all.length === 0 ? <p class="empty">{t('classes.no_assignments')}</p> : (
                <ul class="rows" aria-labelledby="assignments">
                    {all.map((listed) => {
                        const { assignment: { id, title, text, due_at: due }, counts } = listed;
                        return (
                            <li key={id}>
                                <article class="row">
                                    <div class="about">
                                        <h3>{counts === undefined ? <bdi>{title}</bdi> : <a href={href(`/class/${one.id}?assignment=${id}`)}><bdi>{title}</bdi></a>}</h3>
                                        <p class="facts">
                                            {due !== null && <span>{t('classes.due', { time: timeIn(language, due) })}</span>}
                                            {counts !== undefined && <span>{t('classes.handed_in_of', { done: counts.handed_in + counts.returned + counts.accepted, all: pupils.length })}</span>}
                                            {counts !== undefined && counts.late > 0 && <span>{t('classes.late_count', { late: counts.late })}</span>}
                                        </p>
                                        {text !== '' && <Task listed={listed} />}
                                        {counts === undefined ? <OwnWork assignment={listed.assignment} work={listed.work ?? null} read={read} /> : (
                                            <div class="does">
                                                <button type="button" class="quiet" aria-label={t('classes.assignment_edit_title', { title })} onClick={() => void edit(listed)}>{t('collections.edit')}</button>
                                                <button type="button" class="quiet" aria-label={t('classes.delete_title', { title })} onClick={() => setOpen({ what: 'delete', listed })}>{t('collections.delete')}</button>
                                            </div>
                                        )}
                                    </div>
                                </article>
                            </li>
                        );
                    })}
                </ul>
            )}
            {open?.what === 'new' && <AssignmentDialog one={one} onClose={close} onDone={() => done(t('classes.assignment_saved'))} />}
            {open?.what === 'edit' && <AssignmentDialog one={one} assignment={open.listed.assignment} onClose={close} onDone={() => done(t('classes.assignment_saved'))} />}
            {open?.what === 'delete' && (
                <Confirm title={t('classes.delete_title', { title: open.listed.assignment.title })} text={t('classes.assignment_delete_text')} action={t('collections.delete')} onClose={close} onConfirm={async () => {
                    await client.classes.deleteAssignment(open.listed.assignment);
                    await done(t('classes.assignment_deleted'));
                }} />
            )}
        </section>
    );
}
