import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { ReportedProject } from '../../client/src/index.js';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { ProjectRow } from '../ui/project-row';
import { ProjectActs } from './acts';
import { Contents } from './contents';

type State = 'kept' | 'held' | 'removed';

/** Decides about a reported project: each decision needs a note. */
function Decision({ report: { project }, state, onClose, onDone }: { report: ReportedProject; state: State; onClose(): void; onDone(): void }): JSX.Element {
    const { t, client, say } = useKit();
    return (
        <Dialog title={t(`moderation.${state}_title`, { title: project.title })} onClose={onClose}>
            <p>{t(`moderation.${state}_text`)}</p>
            <Form
                fields={[{ name: 'note', label: t('moderation.note'), type: 'textarea', maxLength: 1000, focus: true, codes: ['not_found'] }]}
                submit={t(`moderation.${state}`)} danger={state === 'removed'} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    await client.moderation.decide(project, state, values.text('note').trim());
                    say(t('moderation.decided', { title: project.title }));
                    onDone();
                }}
            />
        </Dialog>
    );
}

/** Reported projects that nobody has decided about, the most reported first. */
export function Queue(): JSX.Element {
    const { t, client, language } = useKit();
    const [open, setOpen] = useState<{ report: ReportedProject; state: State } | null>(null);
    const list = useList<ReportedProject>(() => client.moderation.reports({ count: 25 }), []);
    return (
        <>
            <p class="lead">{t('moderation.lead')}</p>
            <Items list={list} label={t('moderation.reports')} empty={t('moderation.none')} keyOf={({ project }) => project.id}>
                {(report) => {
                    const { project, count, reasons, newest, guests } = report;
                    return (
                        <ProjectRow project={project} facts={[t('ui.by', { name: project.author.username }), t('moderation.count', { count })]}>
                            <ul class="chips" aria-label={t('moderation.reasons')}>
                                {Object.entries(reasons).map(([reason, times]) => <li key={reason}>{t('moderation.reason_times', { reason: t(`report.${reason}`), count: times })}</li>)}
                            </ul>
                            <Contents project={project} />
                            <details>
                                <summary>{t('moderation.newest')}</summary>
                                <ul class="quotes">
                                    {newest.map(({ by, reason, text, at }) => (
                                        <li key={by.id}>
                                            <p class="facts"><strong>{t(`report.${String(reason)}`)}</strong><span>{t('ui.by', { name: by.username })}</span><span>{timeIn(language, at)}</span></p>
                                            {text !== '' && <p class="words" dir="auto">{text}</p>}
                                        </li>
                                    ))}
                                    {guests.map(({ reason, text, at }, number) => (
                                        <li key={number}>
                                            <p class="facts"><strong>{t(`report.${String(reason)}`)}</strong><span>{t('moderation.guest')}</span><span>{timeIn(language, at)}</span></p>
                                            {text !== '' && <p class="words" dir="auto">{text}</p>}
                                        </li>
                                    ))}
                                </ul>
                            </details>
                            <div class="does">
                                <a class="button quiet" href={href(`/p/${project.id}`)} target="_blank" rel="noopener" aria-label={t('moderation.look_title', { title: project.title })}>{t('moderation.look')}</a>
                                {(['kept', 'held', 'removed'] as const).map((state) => (
                                    <button key={state} type="button" class="quiet" aria-label={t(`moderation.${state}_title`, { title: project.title })} onClick={() => setOpen({ report, state })}>{t(`moderation.${state}`)}</button>
                                ))}
                            </div>
                            <details>
                                <summary>{t('moderation.further')}</summary>
                                <ProjectActs project={project} isReported onChange={(next) => list.change((items) => items.map((each) => (each === report ? { ...each, project: next } : each)))} />
                            </details>
                        </ProjectRow>
                    );
                }}
            </Items>
            {open !== null && (
                <Decision {...open} onClose={() => setOpen(null)} onDone={() => {
                    list.change((items) => items.filter((each) => each !== open.report));
                    setOpen(null);
                }} />
            )}
        </>
    );
}
