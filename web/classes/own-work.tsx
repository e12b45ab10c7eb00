import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { Assignment, Work } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { href, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { WorkFacts } from './works';

/** Whether the work or the assignment is not any more what the page shows: a teacher has answered or deleted it meanwhile, or another tab has changed it. */
const isOld = (error: unknown): boolean => error instanceof PagewrightError && (error.status === 404 || error.status === 409);

/** A pupil's own work for an assignment: what they can do next. */
export function OwnWork({ assignment, work, read }: { assignment: Assignment; work: Work | null; read(): Promise<void> }): JSX.Element {
    const { t, client, language, say } = useKit();
    const [isOpen, setOpen] = useState(false);
    /** Says why something could not be done. @param handedIn the text if it was handed in or answered */
    const refused = async (error: unknown, handedIn = problemText(t, language, error)): Promise<void> => {
        await (isOld(error) ? read() : undefined);
        say(error instanceof PagewrightError && error.code === 'handed_in' ? handedIn : problemText(t, language, error));
    };

    const begin = (): Promise<void> => client.classes.begin(assignment).then(({ project_id: project }) => location.assign(href(`/edit/${String(project)}`)), refused);
    const takeBack = async (one: Work): Promise<void> => {
        try {
            await client.classes.takeBack(assignment, one);
            await read();
            say(t('classes.taken_back'));
        }
        catch (error) {
            await refused(error, t('classes.not_taken_back'));
        }
    };

    const handIn = async (one: Work): Promise<void> => {
        try {
            await client.classes.handIn(assignment, one);
            await read();
            say(t('classes.handed_in'));
        }
        catch (error) {
            if (!isOld(error)) {
                throw error;
            }

            await refused(error);
        }

        setOpen(false);
    };

    const { title } = assignment;
    if (work === null || work.project_id === null) {
        return <div class="does"><button type="button" aria-label={t('classes.begin_title', { title })} onClick={() => void begin()}>{t('classes.begin')}</button></div>;
    }

    return (
        <>
            <WorkFacts work={work} />
            {work.note !== '' && <p class="words note" dir="auto">{work.note}</p>}
            <div class="does">
                <a class="button quiet" href={href(`/edit/${work.project_id}`)} aria-label={t('projects.edit_title', { title })}>{t('projects.edit')}</a>
                {work.state !== 'accepted' && work.state !== 'handed_in' && <button type="button" aria-label={t('classes.hand_in_title', { title })} onClick={() => setOpen(true)}>{t('classes.hand_in')}</button>}
                {work.state === 'handed_in' && <button type="button" class="quiet" aria-label={t('classes.take_back_title', { title })} onClick={() => void takeBack(work)}>{t('classes.take_back')}</button>}
            </div>
            {isOpen && (
                <Confirm title={t('classes.hand_in_title', { title })} text={t('classes.hand_in_text')} action={t('classes.hand_in')} onClose={() => setOpen(false)} onConfirm={() => handIn(work)} />
            )}
        </>
    );
}
