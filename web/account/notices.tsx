import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { tellUnread } from '../unread';
import { listNotices, readNotices } from '../ui/conversation';
import type { Notice as Told } from '../ui/conversation';
import { useAct } from '../ui/act';
import { classNames } from '../ui/class-names';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { place } from '../ui/place';
import type { Translate } from '../../src/site/text-options';
import { Letter } from './letter';

/** A notice, with the name of who did it. */
type Notice = Told & { name: string | undefined };

/** Notices, with the names of the class for those who have one there. */
async function* withNames(names: ReturnType<typeof classNames>, notices: AsyncIterable<Told>): AsyncGenerator<Notice, void, undefined> {
    for await (const notice of notices) {
        yield { ...notice, name: (await names).get(notice.by?.id ?? '') ?? notice.by?.username };
    }
}

/** The page that a notice is about. */
function addressOf({ kind, by, project, comment, statement, assignment }: Notice): string {
    if (statement !== undefined) {
        return `/account/decisions#statement-${statement}`;
    }

    if (kind === 'decision' || kind === 'appeal') {
        return kind === 'decision' ? '/account/decisions#reports' : '/account/decisions';
    }

    if (assignment !== undefined) {
        return kind === 'handed_in' ? `/class/${assignment.class_id}?assignment=${assignment.id}` : `/class/${assignment.class_id}`;
    }

    if (project === null) {
        return by === null ? '/account/notices' : `/u/${encodeURIComponent(by.username)}`;
    }

    return comment === undefined ? `/p/${project.id}` : `/p/${project.id}#comment-${comment}`;
}

/** A notice as a sentence. */
function sentenceOf(t: Translate, { kind, name, project, statement, assignment }: Notice, reader: string | undefined): string {
    const values = { name: name ?? t('notices.somebody'), title: assignment?.title ?? (project?.title || t('page.untitled')) };
    if (kind === 'decision') {
        return statement === undefined ? t('notices.report') : project === null ? t('notices.decision')
            : t('notices.decision_title', values);
    }

    // Its owner is told of who came by a code.
    return t(kind === 'member' && project?.user_id === reader ? 'notices.member_joined' : `notices.${kind}`, values);
}

/** The notices of whoever is signed in, newest first. */
export function Notices(): JSX.Element {
    const { t, client, language } = useKit();
    const act = useAct();
    const [unread, setUnread] = useState(0);
    const first = useRef(true);
    const set = (next: number): void => {
        setUnread(next);
        tellUnread(client.session?.user.id ?? '', next);
    };

    const list = useList<Notice>(() => {
        first.current = true;
        return withNames(classNames(client), listNotices(client, (next) => {
            // Later pages are read while more may come.
            if (first.current) {
                first.current = false;
                set(next);
            }
        }));
    }, []);

    /** @param until the newest one that is read */
    const read = async (until: Notice): Promise<void> => {
        set(await readNotices(client, until.id));
        list.change((items) => items.map((each) => (Number(each.id) <= Number(until.id) ? { ...each, read: true } : each)));
    };

    const [newest] = list.items;
    return (
        <>
            {unread > 0 && newest !== undefined
                && <div class="bar"><button type="button"
                    onClick={() => void act(() => read(newest), t('notices.all_read'))}>{t('notices.read_all')}</button></div>}
            <Items list={list} label={t('account.notices')} empty={t('notices.none')} keyOf={({ id }) => id}>
                {(notice) => (
                    <article class={notice.read ? 'row notice' : 'row notice unread'}>
                        <div class="about">
                            <h2><a href={href(addressOf(notice))}>{sentenceOf(t, notice, client.session?.user.id)}</a></h2>
                            <p class="facts">
                                {!notice.read && <strong class="new">{t('notices.new')}</strong>}
                                <span>{timeIn(language, notice.at)}</span>
                                {notice.count > 1 && <span>{t('notices.more', { number: notice.count - 1 })}</span>}
                            </p>
                        </div>
                    </article>
                )}
            </Items>
            {place().mail && <Letter />}
        </>
    );
}
