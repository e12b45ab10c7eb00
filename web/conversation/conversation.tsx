import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { signInAddress } from '../session';
import { classNames } from '../ui/class-names';
import { useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { circles, comments, whoMayComment } from './service';
import type { About, CommentSettings, Commented, Named } from './service';
import { TalkContext, useTalk } from './talk';
import type { Talk } from './talk';
import { WholeThread } from './thread';
import { useThreads } from './threads';
import { Writing } from './writing';

interface ConversationProps extends Pick<Talk, 'project' | 'pages' | 'page' | 'point'> {
    /** comments about this alone; all of the project if it is empty */
    about: About;
}

/** Who may comment, by which names they are known, and whom the reader has blocked. */
function useRights(project: Commented): { settings: CommentSettings | undefined; setSettings(settings: CommentSettings): void;
    names: ReadonlyMap<string, string>; blocked: ReadonlySet<string>; setBlocked: Talk['setBlocked'] } {
    const user = useSession()?.user.id;
    const { client } = useKit();
    const [settings, setSettings] = useState<CommentSettings>();
    const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
    const [blocked, setAll] = useState<ReadonlySet<string>>(new Set());
    useEffect(() => {
        setAll(new Set());
        // If that cannot be read, nothing can be written here, and the list says why.
        comments.settings(project).then((found) => {
            setSettings(found);
            void (user !== undefined && found.class_only && classNames(client).then(setNames));
        }, () => undefined);
        const read = async (): Promise<void> => {
            const ids: string[] = [];
            for await (const { id } of circles.list('blocks')) {
                ids.push(id);
            }

            setAll(new Set(ids));
        };

        void (user !== undefined && read().catch(() => undefined));
    }, [project.id, user]);
    const setBlocked = (id: string, is: boolean): void => setAll((before) => new Set([...before, id].filter((each) => is || each !== id)));
    return { settings, setSettings, names, blocked, setBlocked };
}

/** The field for a new comment, or why there is none. */
function Begin({ about }: { about: About }): JSX.Element | null {
    const { t } = useKit();
    const session = useSession();
    const { project, settings, pages, page, threads, done } = useTalk();
    const [isAboutPage, setAboutPage] = useState(false);
    if (settings === undefined) {
        return null;
    }

    if (session === null && settings.who !== 'nobody') {
        return <p><a class="button quiet" href={signInAddress(`${location.pathname}${location.search}#comments`)}>
            {t('comments.sign_in')}</a></p>;
    }

    if (!settings.may_comment) {
        return <p class="quiet">{t('comments.closed')}</p>;
    }

    const number = page === undefined ? 0 : pages.indexOf(page) + 1;
    const isFixed = about.page !== undefined;
    return (
        <Writing
            key={`${about.page} ${about.element}`} label={t('comments.write')} submit={t('comments.send')}
            place={[project.id, 'new', ...isFixed ? [about.element ?? about.page] : []].join(' ')}
            send={async (text, key) => {
                const comment = await comments.write(project, { text, ...isFixed ? about : isAboutPage ? { page } : {} }, key);
                threads.put(comment);
                done(comment.id, t('comments.sent'));
            }}
        >
            {settings.class_only && <p class="hint">{t('comments.class_only')}</p>}
            {!isFixed && pages.length > 1 && number > 0 && <label class="check">
                <input type="checkbox" checked={isAboutPage}
                    onChange={({ currentTarget }) => setAboutPage(currentTarget.checked)} /> {t('comments.about_this', { number })}</label>}
        </Writing>
    );
}

/** Lets the owner say who may comment. */
function Settings({ onSet }: { onSet(settings: CommentSettings): void }): JSX.Element | null {
    const { t, language } = useKit();
    const session = useSession();
    const { project, settings } = useTalk();
    const [said, say] = useState('');
    if (settings === undefined || session?.user.id !== project.owner) {
        return null;
    }

    return (
        <p class="who-may">
            <label>{t('comments.who')}{' '}
                <select value={settings.who} onChange={({ currentTarget }) => {
                    const who = whoMayComment.find((each) => each === currentTarget.value) ?? settings.who;
                    comments.set(project, who).then((next) => {
                        onSet(next);
                        say(t('comments.who_changed'));
                    }, (error: unknown) => {
                        // It shows again what is so.
                        currentTarget.value = settings.who;
                        say(problemText(t, language, error));
                    });
                }}>{whoMayComment.map((each) => <option key={each} value={each}>{t(`comments.who_${each}`)}</option>)}</select>
            </label>{' '}
            <span role="status">{said}</span>
        </p>
    );
}

/** The comments of a project, or of a part of it: newest threads first. */
export function Conversation({ project, pages, page, point, about }: ConversationProps): JSX.Element {
    const { t } = useKit();
    const threads = useThreads(project, about);
    const { settings, setSettings, names, blocked, setBlocked } = useRights(project);
    const box = useRef<HTMLDivElement>(null);
    const [said, say] = useState('');
    const [wanted, focus] = useState<string>();
    const isLed = useRef(false);

    // The comment is drawn by then.
    useEffect(() => {
        if (wanted !== undefined) {
            box.current?.querySelector<HTMLElement>(`#comment-${wanted}`)?.focus();
            focus(undefined);
        }
    }, [wanted]);

    const nameOf = ({ id, username }: Named): string => names.get(id) ?? username;
    const done = (comment: string, text: string): void => {
        say(text);
        focus(comment);
    };

    // An address may lead to a comment, such as that of a notice.
    useEffect(() => {
        const id = /^#comment-(\d+)$/.exec(location.hash)?.[1];
        if (threads.state === 'ready' && id !== undefined && about.page === undefined && !isLed.current) {
            isLed.current = true;
            focus(id);
        }
    }, [threads.state]);

    const { state, more, hasNew, problem } = threads;
    const isEmpty = threads.threads.length === 0;
    return (
        <TalkContext.Provider value={{ project, pages, page, point, settings, threads, blocked, setBlocked, done, nameOf }}>
            <div class="comments" ref={box} aria-busy={state === 'loading'}>
                <Begin about={about} />
                <p class="visually-hidden" role="status">{said}</p>
                {hasNew && <button type="button" class="quiet" onClick={() => void threads.reload()}>{t('comments.show_new')}</button>}
                {state === 'loading' && isEmpty && <p class="loading" role="status">{t('page.loading')}</p>}
                {state === 'ready' && isEmpty && <p class="quiet">{t('comments.none')}</p>}
                {!isEmpty && <ul class="threads" aria-label={t('comments.title')}>
                    {threads.threads.map((thread) => <li key={thread.id}><WholeThread thread={thread} /></li>)}</ul>}
                {state === 'failed' && <p class="problem" role="alert">{problem} <button type="button" class="quiet"
                    onClick={() => void (isEmpty ? threads.reload() : threads.load())}>{t('comments.again')}</button></p>}
                {more && state !== 'failed' && <button type="button" class="quiet" aria-disabled={state === 'loading'}
                    onClick={() => void (state === 'ready' && threads.load())}>{t('ui.more')}</button>}
                <Settings onSet={setSettings} />
            </div>
        </TalkContext.Provider>
    );
}
