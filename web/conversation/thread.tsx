import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { One } from './comment';
import { hasDraft } from './draft';
import { comments } from './service';
import type { Comment, Thread } from './service';
import { useTalk } from './talk';
import { Writing } from './writing';

/** A comment with the replies to it, which stand below it, indented once. */
export function WholeThread({ thread }: { thread: Thread }): JSX.Element {
    const { t, language } = useKit();
    const session = useSession();
    const { project, settings, threads, nameOf, done } = useTalk();
    const place = `${project.id} ${thread.id}`;
    // Whoever was writing when the page was left goes on.
    const [to, setTo] = useState<Comment | undefined>(() => (session !== null && hasDraft(session.user.id, place) ? thread : undefined));
    const [isFocused, setFocused] = useState(false);
    const [problem, setProblem] = useState('');
    const [isBusy, setBusy] = useState(false);
    const may = session !== null && settings?.may_comment === true;
    const left = thread.reply_count - thread.replies.length;

    const begin = (comment: Comment): (() => void) | undefined => (may ? () => {
        setFocused(true);
        setTo(comment);
    } : undefined);

    const authorOf = ({ author }: Comment): string | undefined => (author === null ? undefined : nameOf(author));
    const repliedTo = ({ reply_to: id }: Comment): string | undefined => (id === thread.id ? undefined
        : thread.replies.filter((reply) => reply.id === id).map(authorOf)[0]);

    const more = (): void => {
        if (isBusy) {
            return;
        }

        setBusy(true);
        setProblem('');
        threads.moreReplies(thread).catch((error: unknown) => setProblem(problemText(t, language, error))).finally(() => setBusy(false));
    };

    return (
        <>
            <One comment={thread} reply={begin(thread)} />
            {(thread.replies.length > 0 || thread.next_reply !== null || to !== undefined) && (
                <div class="replies">
                    {thread.replies.length > 0 && <ul aria-label={t('comments.replies')}>
                        {thread.replies.map((reply) => <li key={reply.id}><One comment={reply} thread={thread.id}
                            to={repliedTo(reply)} reply={begin(reply)} /></li>)}</ul>}
                    {thread.next_reply !== null && <button type="button" class="plain" aria-disabled={isBusy} onClick={more}>
                        {t('comments.more_replies', { count: Math.max(1, left) })}</button>}
                    <p class="problem" role="alert">{problem}</p>
                    {may && to !== undefined && (
                        <Writing
                            key={to.id} label={t('comments.reply_label', { name: authorOf(to) ?? t('comments.gone') })}
                            submit={t('comments.reply')} place={place} focus={isFocused} cancel={() => {
                                setTo(undefined);
                                done(to.id, '');
                            }} send={async (text, key) => {
                                const reply = await comments.write(project, { text, reply_to: to.id }, key);
                                threads.put(reply, thread.id);
                                setTo(undefined);
                                done(reply.id, t('comments.sent'));
                            }}
                        />
                    )}
                </div>
            )}
        </>
    );
}
