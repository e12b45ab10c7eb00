import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { HostedWebhook } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';

/** All webhooks, with the hosts that they send to. */
export function AllWebhooks(): JSX.Element {
    const { t, client, language, say } = useKit();
    const list = useList<HostedWebhook>(() => client.admin.webhooks({ count: 25 }), []);
    const [ending, setEnding] = useState<HostedWebhook | null>(null);
    return (
        <>
            <p class="lead">{t('admin.webhooks_lead')}</p>
            <Items list={list} label={t('admin.webhooks')} empty={t('admin.no_webhooks')} keyOf={({ id }) => id}>
                {(webhook) => {
                    const { host, owner, events, enabled, reason, waiting, failing_since: failing } = webhook;
                    return (
                        <article class="row">
                            <div class="about">
                                <h2 dir="ltr">{host}</h2>
                                <p class="facts">
                                    <strong>{t(enabled ? 'admin.is_on' : reason === null ? 'admin.is_off' : `admin.off_${reason}`)}</strong>
                                    <span>{owner === null ? t('log.operator') : t('ui.by', { name: owner.username })}</span>
                                    <span dir="ltr">{events.join(', ')}</span>
                                    <span>{t('admin.waiting', { count: waiting })}</span>
                                    {failing !== null && <span>{t('admin.failing', { time: timeIn(language, failing) })}</span>}
                                </p>
                                {enabled && <div class="does"><button type="button" class="quiet" aria-label={t('admin.switch_off_name', { name: host })} onClick={() => setEnding(webhook)}>{t('admin.switch_off')}</button></div>}
                            </div>
                        </article>
                    );
                }}
            </Items>
            {ending !== null && (
                <Confirm title={t('admin.switch_off_name', { name: ending.host })} text={t('admin.switch_off_text')} action={t('admin.switch_off')} onClose={() => setEnding(null)} onConfirm={async () => {
                    const next = await client.admin.switchWebhookOff(ending);
                    list.change((items) => items.map((each) => (each.id === next.id ? next : each)));
                    say(t('admin.switched_off', { name: ending.host }));
                    setEnding(null);
                }} />
            )}
        </>
    );
}
