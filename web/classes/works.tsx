import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Assignment, ClassRead, ProjectWithStats, PupilWork, Work } from '../../client/src/index.js';
import { MAX_NOTE } from '../../src/limits';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { HandedIn } from './handed-in';
import { Picture } from './picture';

type Open = { what: 'answer' | 'look'; name: string; work: Work } | null;

/** Which works are shown. */
const filters = ['all', 'none', 'to_look', 'late'] as const;
type Filter = typeof filters[number];

/** Whether a work is to be looked at: it is handed in, and not answered. */
const isToLook = ({ work }: PupilWork): boolean => work !== null && work.state === 'handed_in' && !work.withdrawn;

/** Whether a work is late: it was handed in late, or is not handed in, and it should be. */
const isLate = ({ work }: PupilWork, due: string | null): boolean => (work === null || work.handed_in_at === null ? due !== null && Date.parse(due) < Date.now() : work.late === true);

const isShown = (each: PupilWork, filter: Filter, due: string | null): boolean => filter === 'all' || (filter === 'none' ? each.work === null : filter === 'to_look' ? isToLook(each) : isLate(each, due));

/** The works for an assignment, as teachers see them: each pupil with how far they are. */
export function Works({ found: { class: one }, id }: { found: ClassRead; id: string }): JSX.Element {
    const { t, client, language, say } = useKit();
    const [assignment, setAssignment] = useState<Assignment | null>(null);
    const [works, setWorks] = useState<readonly PupilWork[]>([]);
    const [projects, setProjects] = useState<ReadonlyMap<string, ProjectWithStats>>(new Map());
    const [filter, setFilter] = useState<Filter>('all');
    const [open, setOpen] = useState<Open>(null);
    const [problem, setProblem] = useState('');
    const close = (): void => setOpen(null);
    const nameOf = ({ pupil }: PupilWork): string => pupil?.name ?? pupil?.user.username ?? t('classes.unnamed');
    const read = async (): Promise<readonly PupilWork[]> => {
        try {
            const all = await client.classes.works({ id, class_id: one.id });
            setWorks(all);
            setAssignment((await client.classes.assignment({ id, class_id: one.id })).assignment);
            return all;
        }
        catch (error) {
            setProblem(problemText(t, language, error));
            return [];
        }
    };

    const readPictures = async (): Promise<void> => {
        const found = new Map<string, ProjectWithStats>();
        for await (const project of client.classes.projects(one, { count: 100 })) {
            found.set(project.id, project);
        }

        setProjects(found);
    };

    useEffect(() => void read(), []);
    // Without their pictures, works can be looked at, too.
    useEffect(() => void readPictures().catch(() => undefined), []);
    /** Opens the next work that is to be looked at. */
    const goOn = (all: readonly PupilWork[], { id: last }: Work): void => {
        const at = all.findIndex(({ work }) => work?.id === last);
        const next = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))].find(isToLook);
        setOpen(next?.work ? { what: 'look', name: nameOf(next), work: next.work } : null);
    };

    const answer = async (name: string, work: Work, state: 'returned' | 'accepted', note: string): Promise<readonly PupilWork[]> => {
        await client.classes.review({ id, class_id: one.id }, work, state, note);
        const all = await read();
        say(t('classes.answered', { name }));
        return all;
    };

    const due = assignment?.due_at ?? null;
    return (
        <>
            <p><a href={href(`/class/${one.id}?part=assignments`)}>{t('classes.assignments')}</a></p>
            <p class="problem" role="alert">{problem}</p>
            {assignment === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <>
                    <h2 id="works"><bdi>{assignment.title}</bdi></h2>
                    {due !== null && <p class="facts"><span>{t('classes.due', { time: timeIn(language, due) })}</span></p>}
                    {assignment.text !== '' && <p class="words" dir="auto">{assignment.text}</p>}
                    {works.length === 0 && <p class="empty">{t('classes.no_pupils')}</p>}
                    <div class="bar" role="group" aria-label={t('projects.show')}>
                        {filters.map((each) => <button key={each} type="button" class="quiet" aria-pressed={each === filter} onClick={() => setFilter(each)}>{t(`classes.filter_${each}`)} ({works.filter((work) => isShown(work, each, due)).length})</button>)}
                    </div>
                    <ul class="rows people works" aria-labelledby="works">
                        {works.filter((each) => isShown(each, filter, due)).map((each, at) => {
                            const { pupil, work } = each;
                            const name = nameOf(each);
                            const project = projects.get(work?.project_id ?? '');
                            return (
                                <li key={work?.id ?? pupil?.user.id ?? at}>
                                    <article class="row">
                                        {project === undefined ? <div class="picture none" aria-hidden="true" /> : <Picture project={project} />}
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
            {open?.what === 'look' && (
                <HandedIn
                    key={open.work.id} title={t('classes.look_name', { name: open.name })} work={open.work} onClose={close} onNext={works.some((each) => isToLook(each) && each.work?.id !== open.work.id) ? () => goOn(works, open.work) : undefined}
                    onAnswer={open.work.point === null ? undefined : async (state, note) => goOn(await answer(open.name, open.work, state, note), open.work)}
                />
            )}
            {open?.what === 'answer' && (
                <Dialog title={t('classes.answer_name', { name: open.name })} onClose={close}>
                    <Form
                        fields={[
                            { name: 'note', label: t('classes.note'), type: 'textarea', optional: true, maxLength: MAX_NOTE, value: open.work.note, focus: true },
                            { name: 'state', label: t('classes.answer_state'), hint: t('classes.answer_hint'), type: 'select', value: open.work.state, options: (['returned', 'accepted'] as const).map((state) => [state, t(`classes.work_${state}`)]) }
                        ]}
                        submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={async (values) => {
                            await answer(open.name, open.work, values.text('state') === 'accepted' ? 'accepted' : 'returned', values.text('note'));
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
