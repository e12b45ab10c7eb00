import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { comments } from './service';
import type { About, Comment, Commented, Thread } from './service';

/** Milliseconds between two looks for new comments. */
const PAUSE = 15_000;

/** The threads of a project, as far as they were read. */
export interface Threads {
    threads: readonly Thread[];
    state: 'loading' | 'ready' | 'failed';
    problem: string;
    more: boolean;
    /** whether others have written meanwhile */
    hasNew: boolean;
    load(): Promise<void>;
    /** reads the newest again */
    reload(): Promise<void>;
    /** @throws what the service answers */
    moreReplies(thread: Thread): Promise<void>;
    /** shows a comment as it is now @param thread the id of its thread, if it is a reply */
    put(comment: Comment, thread?: string): void;
}

const replaced = (replies: readonly Comment[], comment: Comment): Comment[] => (replies.some(({ id }) => id === comment.id)
    ? replies.map((reply) => (reply.id === comment.id ? comment : reply)) : [...replies, comment]);

function withComment(threads: readonly Thread[], comment: Comment, thread: string | undefined): readonly Thread[] {
    if (thread === undefined) {
        const known = threads.find(({ id }) => id === comment.id);
        return known === undefined ? [{ ...comment, replies: [], reply_count: 0, next_reply: null }, ...threads]
            : threads.map((each) => (each === known ? { ...known, ...comment } : each));
    }

    return threads.map((each) => {
        const isNew = each.id === thread && !each.replies.some(({ id }) => id === comment.id);
        return each.id === thread ? { ...each, replies: replaced(each.replies, comment), reply_count: each.reply_count + (isNew ? 1
            : 0) } : each;
    });
}

/** The state that others change by writing: which threads there are, and how many replies each has. */
const stateOf = (threads: readonly Thread[]): string => threads.map(({ id, reply_count: count }) => `${id} ${count}`).join();

/** Threads that have all of the replies that were read before. */
function withoutThoseThere(threads: readonly Thread[], read: readonly Thread[]): Thread[] {
    const known = new Set(threads.map(({ id }) => id));
    return read.filter(({ id }) => !known.has(id));
}

export function useThreads(project: Commented, about: About): Threads {
    const { t, language } = useKit();
    const user = useSession()?.user.id;
    const [threads, setThreads] = useState<readonly Thread[]>([]);
    const [next, setNext] = useState<string | null>(null);
    const [state, setState] = useState<Threads['state']>('loading');
    const [problem, setProblem] = useState('');
    const [hasNew, setNew] = useState(false);
    const current = useRef({ threads, looked: 0 });
    current.current.threads = threads;

    const read = useCallback(async (after: string | null): Promise<void> => {
        setState('loading');
        setProblem('');
        try {
            const page = await comments.threads(project, after, about);
            current.current.looked = Date.now();
            setThreads((before) => (after === null ? page.comments : [...before, ...withoutThoseThere(before, page.comments)]));
            setNext(page.next);
            setNew(false);
            setState('ready');
        }
        catch (error) {
            setProblem(problemText(t, language, error));
            setState('failed');
        }
    }, [project.id, about.page, about.element]);

    useEffect(() => {
        setThreads([]);
        void read(null);
    }, [read, user]);

    // Whoever comes back to the page is told what others have written, without that anything moves under their eyes.
    useEffect(() => {
        const look = (): void => {
            const now = Date.now();
            if (document.hidden || now - current.current.looked < PAUSE) {
                return;
            }

            current.current.looked = now;
            comments.threads(project, null, about).then(({ comments: newest }) => {
                const shown = current.current.threads.slice(0, newest.length);
                setNew(stateOf(shown) !== stateOf(newest));
            }, () => undefined);
        };

        addEventListener('focus', look);
        document.addEventListener('visibilitychange', look);
        return () => {
            removeEventListener('focus', look);
            document.removeEventListener('visibilitychange', look);
        };
    }, [project.id, about.page, about.element]);

    return {
        threads, state, problem, hasNew,
        more: next !== null,
        load: () => read(next),
        reload: () => read(null),
        put: (comment, thread) => setThreads((before) => withComment(before, comment, thread)),
        moreReplies: async ({ id, next_reply: after }) => {
            const page = await comments.replies(project, id, after);
            setThreads((before) => before.map((each) => {
                const known = new Set(each.replies.map((reply) => reply.id));
                return each.id === id ? { ...each,
                    replies: [...each.replies, ...page.comments.filter((reply) => !known.has(reply.id))], next_reply: page.next } : each;
            }));
        }
    };
}
