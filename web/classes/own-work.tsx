import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Assignment, Work } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { href, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { WorkFacts } from './works';

/** A pupil's own work for an assignment: what they can do next. */
export function OwnWork({ assignment, work, read }: { assignment: Assignment; work: Work | null; read(): Promise<void> }): JSX.Element {
    const { t, client, language, say } = useKit();
    const [isOpen, setOpen] = useState(false);
    const attempt = async (what: () => Promise<void>): Promise<void> => {
        try {
            await what();
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };

    const begin = (): Promise<void> => attempt(async () => {
        const { project_id: project } = await client.classes.begin(assignment);
        location.assign(href(`/edit/${String(project)}`));
    });

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
                {work.state === 'handed_in' && (
                    <button type="button" class="quiet" aria-label={t('classes.take_back_title', { title })} onClick={() => void attempt(async () => {
                        await client.classes.takeBack(assignment, work);
                        await read();
                        say(t('classes.taken_back'));
                    })}>{t('classes.take_back')}</button>
                )}
            </div>
            {isOpen && (
                <Confirm title={t('classes.hand_in_title', { title })} text={t('classes.hand_in_text')} action={t('classes.hand_in')} onClose={() => setOpen(false)} onConfirm={async () => {
                    await client.classes.handIn(assignment, work);
                    await read();
                    say(t('classes.handed_in'));
                    setOpen(false);
                }} />
            )}
        </>
    );
}
