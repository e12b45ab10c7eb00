import type { JSX } from 'preact';

import type { LogEntry } from '../../client/src/index.js';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';

/** The acts of moderators, newest first. */
export function Log(): JSX.Element {
    const { t, client, language } = useKit();
    const list = useList<LogEntry>(() => client.moderation.log({ count: 25 }), []);
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
                                {target.project_id !== null && <a href={href(`/moderation?view=project&id=${target.project_id}`)}>{t('log.project', { number: target.project_id })}</a>}
                            </p>
                            {reason !== null && <p class="words" dir="auto">{reason}</p>}
                        </div>
                    </article>
                )}
            </Items>
        </>
    );
}
