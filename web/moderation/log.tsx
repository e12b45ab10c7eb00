import type { JSX } from 'preact';

import type { List, LogEntry } from '../../client/src/index.js';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';

/** The acts of moderators, newest first. */
export function Log(): JSX.Element {
    const { client } = useKit();
    return <LogList read={() => client.moderation.log({ count: 25 })} isModerator />;
}

/** @param isModerator whether the reader can look at the projects */
export function LogList({ read, isModerator = false }: { read(): List<LogEntry>; isModerator?: boolean }): JSX.Element {
    const { t, language } = useKit();
    const list = useList<LogEntry>(read, []);
    return (
        <>
            <p class="lead">{t('log.lead')}</p>
            <Items list={list} label={t('moderation.log')} empty={t('log.none')} keyOf={({ at, act, target }) => `${at} ${String(act)} ${target.id}`}>
                {({ at, moderator, act, target, reason }) => (
                    <article class="row">
                        <div class="about">
                            <h2>{t(`log.${String(act)}`)}</h2>
                            <p class="facts">
                                <span>{timeIn(language, at)}</span>
                                <span>{moderator === null ? t('log.operator') : t('ui.by', { name: moderator.username })}</span>
                                <span>{t('log.whose', { name: target.owner.username })}</span>
                                {target.project_id !== null && !isModerator && <span>{t('log.project', { number: target.project_id })}</span>}
                                {target.project_id !== null && isModerator && <a href={href(`/moderation?view=project&id=${target.project_id}`)}>{t('log.project', { number: target.project_id })}</a>}
                            </p>
                            {reason !== null && <p class="words" dir="auto">{reason}</p>}
                        </div>
                    </article>
                )}
            </Items>
        </>
    );
}
