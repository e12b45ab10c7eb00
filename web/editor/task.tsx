import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Class, Client, ListedAssignment, Work } from '../../client/src/index.js';
import { timeHere } from '../region.js';
import { Dialog } from './dialog.js';
import type { Editor } from './editor.js';

interface Task {
    one: Class;
    listed: ListedAssignment;
    work: Work;
}

/** The assignment that a project is a work for; undefined if it is none. */
async function findTask(client: Client, project: string): Promise<Task | undefined> {
    for (const { class: one, role } of await client.classes.mine()) {
        const all = role === 'pupil' ? await client.classes.assignments(one) : [];
        const listed = all.find(({ work }) => work?.project_id === project);
        if (listed?.work !== undefined && listed.work !== null) {
            // The list has the beginning of a long text.
            return { one, listed: listed.more ? { ...listed, ...await client.classes.assignment(listed.assignment) } : listed, work: listed.work };
        }
    }

    return undefined;
}

/** A pupil's task, above their work for it: its text, handing in, and the way back to the class. */
export function TaskBar({ editor }: { editor: Editor }): JSX.Element | null {
    const { t, client, doc: { project }, role } = editor;
    const [task, setTask] = useState<Task>();
    const [isAsking, setAsking] = useState(false);
    const read = (): Promise<void> => findTask(client, project.id).then(setTask, () => undefined);
    useEffect(() => void (role === 'owner' && project.visibility === 'private' && read()), []);
    if (task === undefined) {
        return null;
    }

    const { one, listed: { assignment }, work } = task;
    const { title, text, due_at: due } = assignment;
    const act = async (what: () => Promise<unknown>, said: string): Promise<void> => {
        setAsking(false);
        await editor.attempt(async () => {
            await what();
            editor.say(said);
        });
        await read();
    };

    const handIn = (): Promise<void> => act(async () => {
        // What is handed in is what was saved.
        await editor.saving.settled();
        await client.classes.handIn(assignment, work);
    }, t('classes.handed_in'));
    return (
        <>
            <section class="banner task" aria-label={t('classes.task')}>
                <details>
                    <summary><strong><bdi>{title}</bdi></strong> <span>{t(`classes.work_${String(work.state)}`)}</span> <bdi class="beginning">{text}</bdi></summary>
                    {due !== null && <p>{t('classes.due', { time: timeHere(due) })}</p>}
                    {text !== '' && <p class="words" dir="auto">{text}</p>}
                    {work.note !== '' && <p class="words" dir="auto">{work.note}</p>}
                    <p><a href={`/class/${one.id}`}><bdi>{one.title}</bdi></a></p>
                </details>
                {(work.state === 'started' || work.state === 'returned') && <button type="button" class="small" onClick={() => setAsking(true)}>{t('classes.hand_in')}</button>}
                {work.state === 'handed_in' && <button type="button" class="quiet small" onClick={() => void act(() => client.classes.takeBack(assignment, work), t('classes.taken_back'))}>{t('classes.take_back')}</button>}
            </section>
            {isAsking && (
                <Dialog title={t('classes.hand_in_title', { title })} closeLabel={t('ui.cancel')} close={() => setAsking(false)}>
                    <p>{t('classes.hand_in_text')}</p>
                    <p class="choices"><button type="button" class="small" onClick={() => void handIn()}>{t('classes.hand_in')}</button></p>
                </Dialog>
            )}
        </>
    );
}
