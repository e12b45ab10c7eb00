import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Project } from '../../client/src/index.js';
import { decideAppeal, listAppeals } from '../ui/conversation';
import type { OpenAppeal, Statement } from '../ui/conversation';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { Contents } from './contents';

const outcomes = ['upheld', 'reversed'] as const;
type Outcome = typeof outcomes[number];

/** People who say that a decision about them is wrong. */
export function Appeals(): JSX.Element {
    const { t, client, say } = useKit();
    const list = useList<OpenAppeal>(() => listAppeals(client), []);
    const [open, setOpen] = useState<{ appeal: OpenAppeal; outcome: Outcome } | null>(null);
    const close = (): void => setOpen(null);
    return (
        <>
            <p class="lead">{t('moderation.appeals_lead')}</p>
            <Items list={list} label={t('moderation.appeals')} empty={t('moderation.appeals_none')} keyOf={({ statement }) => statement.id}>
                {(appeal) => <Row appeal={appeal} onDecide={(outcome) => setOpen({ appeal, outcome })} />}
            </Items>
            {open !== null && (
                <Dialog title={t(`moderation.${open.outcome}_name`, { name: open.appeal.user.username })} onClose={close}>
                    <p>{t(`moderation.${open.outcome}_text`)}</p>
                    <Form
                        fields={[{ name: 'reason', label: t('moderation.why'), type: 'textarea', maxLength: 1000, focus: true,
                            codes: ['not_found'] }]}
                        submit={t(`moderation.${open.outcome}`)} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={async (values) => {
                            await decideAppeal(client, open.appeal.statement, open.outcome, values.text('reason').trim());
                            list.change((items) => items.filter((each) => each !== open.appeal));
                            say(t('moderation.appeal_decided', { name: open.appeal.user.username }));
                            close();
                        }}
                    />
                </Dialog>
            )}
        </>
    );
}

/** The statement, what it is about, and the person's words. */
function Row({ appeal: { statement, user: { username: name }, moderator },
    onDecide }: { appeal: OpenAppeal; onDecide(outcome: Outcome): void }): JSX.Element {
    const { t, client, language } = useKit();
    const isOwn = moderator !== null && moderator.id === client.session?.user.id;
    // Who is alone decides all the same; the service knows whether that is so.
    const [isAlone, setAlone] = useState(false);
    const { decision, type, project_id: project, thing_id: thing, sha256, rule, reason, facts, at, until, title } = statement;
    const address = type === 'user' || project === null ? `/u/${encodeURIComponent(name)}`
        : type === 'comment' ? `/p/${project}#comment-${thing}` : `/p/${project}`;
    const what = t(`moderation.thing_${type}`, { title: title ?? t('page.untitled') });
    return (
        <article class="row">
            <div class="about">
                <h2>{t('moderation.appeal_of', { name })}</h2>
                <p class="facts">
                    <strong>{t(`decisions.${decision}`)}</strong>
                    {type === 'picture' ? <span>{what}</span> : <a href={href(address)}>{what}</a>}<span>{timeIn(language, at)}</span>
                    <span>
                        {moderator === null ? t('moderation.decided_by_service') : t('moderation.decided_by', { name: moderator.username })}
                    </span>
                    <span>{t(`decisions.facts_${facts}`)}</span>
                    {decision === 'suspend'
                        && <span>{until === null ? t('decisions.no_end') : t('decisions.until', { time: timeIn(language, until) })}</span>}
                </p>
                {sha256 !== null && <p><code>{sha256}</code></p>}
                {type !== 'user' && type !== 'comment' && project !== null && <OfProject id={project} />}
                <h3>{t('moderation.the_decision')}</h3>
                <p>{t('decisions.rule', { rule: t(`report.${rule}`) })}</p>
                <blockquote class="words" dir="auto">{reason}</blockquote>
                <Words statement={statement} />
                {isOwn && !isAlone ? (
                    <>
                        <p class="warning">{t('moderation.own_decision')}</p>
                        <div class="does">
                            <button type="button" class="quiet" onClick={() => setAlone(true)}>{t('moderation.own_alone')}</button>
                        </div>
                    </>
                ) : (
                    <div class="does">
                        {outcomes.map((outcome) =>
                            <button key={outcome} type="button" class="quiet" aria-label={t(`moderation.${outcome}_name`, { name })}
                                onClick={() => onDecide(outcome)}>{t(`moderation.${outcome}`)}</button>)}
                    </div>
                )}
            </div>
        </article>
    );
}

function Words({ statement: { appeal } }: { statement: Statement }): JSX.Element | null {
    const { t, language } = useKit();
    return appeal && (
        <>
            <h3>{t('moderation.their_words')}</h3>
            <p class="facts"><span>{timeIn(language, appeal.at)}</span></p>
            <blockquote class="words large" dir="auto">{appeal.text}</blockquote>
        </>
    );
}

/** The pages of a project that a decision was about; nothing if it is in the trash. */
function OfProject({ id }: { id: string }): JSX.Element | null {
    const { client } = useKit();
    const [project, setProject] = useState<Project | null>(null);
    useEffect(() => void client.projects.get(id).then(setProject, () => undefined), [id]);
    return project && <Contents project={project} />;
}
