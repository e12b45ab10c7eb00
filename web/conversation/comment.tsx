import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';

import { Face } from '../../src/site/face';
import { href, timeIn, useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Concern } from './concern';
import { comments } from './service';
import type { Comment } from './service';
import { useTalk } from './talk';
import { Words } from './words';
import { Writing } from './writing';

/** The part that a comment is about, if that is not the project: a link to the page, or a button that shows the element. */
function Subject({ comment: { page, element } }: { comment: Comment }): JSX.Element | null {
    const { t } = useKit();
    const talk = useTalk();
    // What is said of the only page, or below the heading of the page itself, is about nothing more.
    if (page === null || (element === null && (talk.pages.length < 2 || (page === talk.page && talk.point === undefined)))) {
        return null;
    }

    const number = talk.pages.indexOf(page) + 1;
    const words = t(number === 0 ? 'comments.about_some_page' : element === null ? 'comments.about_page'
        : 'comments.about_part', { number });
    if (page !== talk.page) {
        return <a class="chip" href={href(`/p/${talk.project.id}/${page}`)}>{words}</a>;
    }

    return element !== null && talk.point !== undefined ? <button type="button" class="chip" onClick={() => talk.point?.(element)}>
        {words}</button> : <span class="chip">{words}</span>;
}

/** Whose comment it is, when it was written, and what it is about. */
function Head({ comment, to, labelId }: { comment: Comment; to: string | undefined; labelId: string }): JSX.Element {
    const { t, language } = useKit();
    const { nameOf } = useTalk();
    const { author, created_at: created, edited_at: edited } = comment;
    return (
        <p class="head">
            <span id={labelId} class="who">
                {author === null ? t('comments.gone') : <a href={href(`/u/${encodeURIComponent(author.username)}`)}>
                    <Face username={author.username} size={32} /><bdi>{nameOf(author)}</bdi></a>}
            </span>
            {to !== undefined && <span class="quiet">{t('comments.to', { name: to })}</span>}
            <time class="quiet" dateTime={created}>{timeIn(language, created)}</time>
            {edited !== null && comment.removed === null && <span class="quiet" title={timeIn(language, edited)}>
                {t('comments.edited')}</span>}
            <Subject comment={comment} />
        </p>
    );
}

/** Asks once more before a comment is removed for good. */
function Remove({ onRemove, onClose }: { onRemove(): void; onClose(): void }): JSX.Element {
    const { t } = useKit();
    return (
        <div class="does" role="group" aria-label={t('comments.remove_ask')}>
            <span>{t('comments.remove_ask')}</span>
            <button type="button" class="quiet" ref={(button) => button?.focus()} onClick={onRemove}>{t('comments.remove')}</button>
            <button type="button" class="quiet" onClick={onClose}>{t('ui.cancel')}</button>
        </div>
    );
}

interface OneProps {
    comment: Comment;
    /** the id of its thread, if it is a reply */
    thread?: string;
    /** to whom it replies, where that is not clear from its place */
    to?: string | undefined;
    /** begins a reply; undefined if the reader may not */
    reply?: (() => void) | undefined;
}

/** A comment, and what the reader can do with it. */
export function One({ comment, thread, to, reply }: OneProps): JSX.Element {
    const { t, language } = useKit();
    const session = useSession();
    const { project, threads, blocked, setBlocked, done } = useTalk();
    const [mode, setMode] = useState<'read' | 'edit' | 'remove'>('read');
    const [isShown, setShown] = useState(false);
    const [problem, setProblem] = useState('');
    const labelId = useId();
    const { id, author, text, removed, held } = comment;
    const isMine = session !== null && author?.id === session.user.id;
    const isBlocked = author !== null && blocked.has(author.id);
    const isThere = text !== null && removed === null;
    const isHidden = (isBlocked && !isShown) || (text === null && !held);

    const remove = (): void => {
        setProblem('');
        comments.remove(project, id).then((left) => {
            threads.put(left, thread);
            setMode('read');
            done(id, t('comments.removed'));
        }, (error: unknown) => {
            setMode('read');
            setProblem(problemText(t, language, error));
        });
    };

    const gone = removed !== null ? t(`comments.removed_${removed}`) : text === null && held ? t('comments.held') : undefined;
    return (
        <article class="comment" id={`comment-${id}`} tabIndex={-1} aria-labelledby={labelId}>
            <Head comment={comment} to={to} labelId={labelId} />
            {gone !== undefined ? <p class="quiet">{gone}</p> : isHidden ? (
                <p class="quiet">{t('comments.hidden')} {isThere && <button type="button" class="plain"
                    onClick={() => setShown(true)}>{t('comments.show')}</button>}</p>
            ) : mode === 'edit' ? (
                <Writing
                    label={t('comments.edit_label')} submit={t('ui.save')} place={`edit ${id}`} start={text ?? ''} focus cancel={() => {
                        setMode('read');
                        done(id, '');
                    }} send={async (changed) => {
                        threads.put(await comments.edit(project, id, changed), thread);
                        setMode('read');
                        done(id, t('comments.changed'));
                    }}
                />
            ) : <Words text={text ?? ''} mentions={comment.mentions} />}
            {held && isThere && <p class="quiet">{t('comments.held_own')}</p>}
            <p key="problem" class="problem" role="alert">{problem}</p>
            {mode === 'remove' && <Remove onRemove={remove} onClose={() => {
                setMode('read');
                done(id, '');
            }} />}
            {session !== null && removed === null && mode === 'read' && (
                // What came of a report or a block stays there when the words above are hidden.
                <div key="does" class="does">
                    {reply !== undefined && isThere && !isHidden && <button type="button" class="plain" onClick={reply}>
                        {t('comments.reply')}</button>}
                    {isMine && isThere && <button type="button" class="plain" onClick={() => setMode('edit')}>{t('comments.edit')}</button>}
                    <button type="button" class={isMine || project.owner === session.user.id ? 'plain' : 'plain for-moderators'}
                        onClick={() => setMode('remove')}>{t('comments.remove')}</button>
                    {!isMine && <Concern thing={{ comment: id }} person={author} isBlocked={isBlocked}
                        onBlocked={(is) => void (author !== null && setBlocked(author.id, is))} />}
                </div>
            )}
        </article>
    );
}
