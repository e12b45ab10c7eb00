import type { JSX } from 'preact';

import type { AdminLogEntry } from '../../client/src/index.js';
import { LogList } from '../moderation/log';
import { timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';

/** Acts done here and by commands, newest first. */
export function StaffLog(): JSX.Element {
    const { t, client, language } = useKit();
    const list = useList<AdminLogEntry>(() => client.admin.log({ count: 25 }), []);
    const inWords = (act: string, detail: string): string => {
        return act === 'announce' ? t('sessions.until', { time: timeIn(language, detail) }) : act === 'grant' || act === 'revoke' ? t(`admin.permission_${detail}`) : detail;
    };

    return (
        <>
            <p class="lead">{t('admin.log_lead')}</p>
            <Items list={list} label={t('admin.log')} empty={t('log.none')} keyOf={({ at, act, target }) => `${at} ${act} ${target.id}`}>
                {({ at, by, act, target: { name }, detail }) => (
                    <article class="row">
                        <div class="about">
                            <h2>{t(`admin.act_${act}`)}</h2>
                            <p class="facts">
                                <span>{timeIn(language, at)}</span>
                                <span>{by === null ? t('log.operator') : t('ui.by', { name: by.username })}</span>
                                {name !== null && <span>{t('log.whose', { name })}</span>}
                            </p>
                            {detail !== null && <p class="words" dir="auto">{inWords(act, detail)}</p>}
                        </div>
                    </article>
                )}
            </Items>
        </>
    );
}

/** The log of moderators, also for those who are none. */
export function ModerationLog(): JSX.Element {
    const { client } = useKit();
    return <LogList read={() => client.admin.moderationLog({ count: 25 })} />;
}
