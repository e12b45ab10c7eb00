import type { ComponentChildren, JSX } from 'preact';

import type { Project } from '../../client/src/index.js';
import type { Translate } from '../../src/site/text-options';
import { href, timeIn, useKit } from '../ui/kit';
import { ProjectRow } from '../ui/project-row';
import { ProjectActs } from './acts';
import { Contents } from './contents';
import { statesOf, thingOf } from './reported';
import type { Reported, State } from './reported';

/** A reported thing in words. */
export function nameOf(t: Translate, { project, comment, user }: Reported): string {
    return comment !== undefined ? t('moderation.comment_of', { name: comment.author?.username ?? t('notices.somebody') })
        : user?.username ?? project?.title ?? '';
}

/** A reported thing, large enough to decide about it, and what people say of it. */
export function Entry({ report, onDecide,
    onChange }: { report: Reported; onDecide(state: State): void; onChange(project: Project): void }): JSX.Element {
    const { t } = useKit();
    const { project, comment, user, count } = report;
    if (comment !== undefined) {
        return (
            <Row report={report} address={`/p/${comment.project_id}#comment-${comment.id}`} about={comment.author?.username}
                title={project?.title} onDecide={onDecide} at={comment.created_at}>
                {comment.text === null ? <p>{t('moderation.text_gone')}</p>
                    : <blockquote class="words large" dir="auto">{comment.text}</blockquote>}
            </Row>
        );
    }

    if (project !== undefined && 'author' in project) {
        return (
            <ProjectRow project={project} facts={[t('ui.by', { name: project.author.username }), t('moderation.count', { count })]}>
                <Reasons report={report} />
                <Contents project={project} />
                <Said report={report} />
                <Decide report={report} address={`/p/${project.id}`} onDecide={onDecide} />
                <details>
                    <summary>{t('moderation.further')}</summary>
                    <ProjectActs project={project} isReported onChange={onChange} />
                </details>
            </ProjectRow>
        );
    }

    return <Row report={report} address={`/u/${encodeURIComponent(user?.username ?? '')}`} about={undefined} onDecide={onDecide} />;
}

interface RowProps {
    report: Reported;
    address: string;
    /** the name of its author */
    about: string | undefined;
    at?: string;
    /** of the project that it is at */
    title?: string | undefined;
    children?: ComponentChildren;
    onDecide(state: State): void;
}

/** A reported comment or person. */
function Row({ report, address, about, at, title, children, onDecide }: RowProps): JSX.Element {
    const { t, language } = useKit();
    return (
        <article class="row">
            <div class="about">
                <h2><a href={href(address)}>{nameOf(t, report)}</a></h2>
                <p class="facts">
                    <span>{t('moderation.count', { count: report.count })}</span>
                    {title !== undefined && <span>{t('moderation.comment_at', { title })}</span>}
                    {at !== undefined && <span>{timeIn(language, at)}</span>}
                    {about !== undefined && <a href={href(`/u/${encodeURIComponent(about)}`)}><bdi>{about}</bdi></a>}
                </p>
                {children}
                <Reasons report={report} />
                <Said report={report} />
                <Decide report={report} address={address} onDecide={onDecide} />
            </div>
        </article>
    );
}

function Reasons({ report: { reasons } }: { report: Reported }): JSX.Element {
    const { t } = useKit();
    return (
        <ul class="chips" aria-label={t('moderation.reasons')}>
            {Object.entries(reasons).map(([reason, times]) =>
                <li key={reason}>{t('moderation.reason_times', { reason: t(`report.${reason}`), count: times })}</li>)}
        </ul>
    );
}

/** The newest reports, in the words of those who sent them. */
function Said({ report: { newest, guests } }: { report: Reported }): JSX.Element {
    const { t, language } = useKit();
    return (
        <details>
            <summary>{t('moderation.newest')}</summary>
            <ul class="quotes">
                {[...newest.map(({ by, ...each }) => ({ ...each, who: t('ui.by', { name: by.username }) })),
                    ...guests.map((each) => ({ ...each, who: t('moderation.guest') }))].map(({ reason, text, at, who }, number) => (
                    <li key={number}>
                        <p class="facts">
                            <strong>{t(`report.${String(reason)}`)}</strong><span>{who}</span><span>{timeIn(language, at)}</span>
                        </p>
                        {text !== '' && <p class="words" dir="auto">{text}</p>}
                    </li>
                ))}
            </ul>
        </details>
    );
}

function Decide({ report, address, onDecide }: { report: Reported; address: string; onDecide(state: State): void }): JSX.Element {
    const { t } = useKit();
    const title = nameOf(t, report);
    return (
        <div class="does">
            <a class="button quiet" href={href(address)} target="_blank" rel="noopener" aria-label={t('moderation.look_title', { title })}>
                {t('moderation.look')}
            </a>
            {statesOf[thingOf(report).kind].map((state) => (
                <button key={state} type="button" class="quiet"
                    aria-label={state === 'suspended' ? t('moderation.suspend_name', { name: title })
                        : t(`moderation.${state}_title`, { title })} onClick={() => onDecide(state)}>
                    {t(state === 'suspended' ? 'moderation.suspend' : `moderation.${state}`)}
                </button>
            ))}
        </div>
    );
}
