import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Webhook } from '../../client/src/index.js';
import { Confirm, Dialog } from '../ui/dialog';
import { href, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Deliveries } from './deliveries';
import { Editing, eventName } from './webhook-dialog';

type Open = { what: 'new' } | { what: 'edit' | 'off' | 'renew' | 'delete'; webhook: Webhook } | { what: 'secret'; secret: string } | null;

/** The addresses that are told what happens to one's projects, or what one of them was sent. */
export function OwnWebhooks(): JSX.Element {
    const { t, client, language } = useKit();
    const [webhooks, setWebhooks] = useState<readonly Webhook[] | null>(null);
    const [problem, setProblem] = useState('');
    const chosen = new URLSearchParams(location.search).get('id');
    useEffect(() => {
        client.webhooks.list().then(setWebhooks, (error: unknown) => setProblem(problemText(t, language, error)));
    }, []);

    if (webhooks === null) {
        return problem === '' ? <p class="loading" role="status">{t('page.loading')}</p> : <p class="problem" role="alert">{problem}</p>;
    }

    const webhook = webhooks.find(({ id }) => id === chosen);
    return webhook === undefined ? <WebhookList webhooks={webhooks} setWebhooks={setWebhooks} /> : <Deliveries webhook={webhook} />;
}

/** Whether it is told anything, and if not, since when and why. */
function State({ webhook: { enabled, reason, switched_off_at: since, failing_since: failing, waiting } }: { webhook: Webhook }): JSX.Element {
    const { t, language } = useKit();
    return (
        <>
            <p class="facts">
                <strong>{enabled ? t('webhooks.is_on') : t('webhooks.is_off')}</strong>
                {since !== null && <span>{t('sessions.since', { time: timeIn(language, since) })}</span>}
                {waiting > 0 && <span>{t('webhooks.waiting', { count: waiting })}</span>}
            </p>
            {reason !== null && <p class="words warning">{t(`webhooks.off_${reason}`)}</p>}
            {enabled && failing !== null && <p class="words warning">{t('webhooks.failing', { time: timeIn(language, failing) })}</p>}
        </>
    );
}

interface WebhookListProps {
    webhooks: readonly Webhook[];
    setWebhooks(webhooks: readonly Webhook[]): void;
}

function WebhookList({ webhooks, setWebhooks }: WebhookListProps): JSX.Element {
    const { t, client, language, say } = useKit();
    const [open, setOpen] = useState<Open>(null);
    const close = (): void => setOpen(null);
    const put = (webhook: Webhook): void => setWebhooks(webhooks.map((each) => (each.id === webhook.id ? webhook : each)));
    const switchOn = async (webhook: Webhook): Promise<void> => {
        try {
            put(await client.webhooks.update(webhook, { enabled: true }));
            say(t('webhooks.switched_on'));
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };

    return (
        <>
            <p class="lead">{t('webhooks.lead')}</p>
            <p>{t('webhooks.how')} <a href={href('/docs')}>{t('page.api')}</a></p>
            <div class="bar"><button type="button" onClick={() => setOpen({ what: 'new' })}>{t('webhooks.new')}</button></div>
            {webhooks.length === 0 ? <p class="empty">{t('webhooks.none')}</p> : (
                <ul class="rows" aria-label={t('account.webhooks')}>
                    {webhooks.map((webhook) => {
                        const { id, url, enabled } = webhook;
                        return (
                            <li key={id}>
                                <article class="row">
                                    <div class="about">
                                        <h2 dir="ltr">{url}</h2>
                                        <State webhook={webhook} />
                                        <ul class="chips" aria-label={t('webhooks.events')}>{webhook.events.map((event) => <li key={event}>{eventName(t, event)}</li>)}</ul>
                                        <p class="facts"><span>{webhook.projects === null ? t('webhooks.all') : t('tokens.projects', { count: webhook.projects.length })}</span></p>
                                        <div class="does">
                                            <a class="button quiet" href={href(`/account/webhooks?id=${id}`)} aria-label={t('webhooks.sent_name', { url })}>{t('webhooks.sent')}</a>
                                            <button type="button" class="quiet" aria-label={t('apps.edit_name', { name: url })} onClick={() => setOpen({ what: 'edit', webhook })}>{t('apps.edit')}</button>
                                            {enabled
                                                ? <button key="off" type="button" class="quiet" aria-label={t('webhooks.off_name', { url })} onClick={() => setOpen({ what: 'off', webhook })}>{t('webhooks.off')}</button>
                                                : <button key="on" type="button" class="quiet" aria-label={t('webhooks.on_name', { url })} onClick={() => void switchOn(webhook)}>{t('webhooks.on')}</button>}
                                            <button type="button" class="quiet" aria-label={t('apps.renew_name', { name: url })} onClick={() => setOpen({ what: 'renew', webhook })}>{t('apps.renew')}</button>
                                            <button type="button" class="quiet" aria-label={t('apps.delete_name', { name: url })} onClick={() => setOpen({ what: 'delete', webhook })}>{t('apps.delete')}</button>
                                        </div>
                                    </div>
                                </article>
                            </li>
                        );
                    })}
                </ul>
            )}
            {open?.what === 'new' && (
                <Editing onClose={close} onSaved={(webhook, secret) => {
                    setWebhooks([webhook, ...webhooks]);
                    say(t('apps.saved'));
                    setOpen(secret === null ? null : { what: 'secret', secret });
                }} />
            )}
            {open?.what === 'edit' && (
                <Editing webhook={open.webhook} onClose={close} onSaved={(webhook) => {
                    put(webhook);
                    say(t('apps.saved'));
                    close();
                }} />
            )}
            {open?.what === 'off' && (
                <Confirm title={t('webhooks.off_name', { url: open.webhook.url })} text={t('webhooks.off_text')} action={t('webhooks.off')} onClose={close} onConfirm={async () => {
                    put(await client.webhooks.update(open.webhook, { enabled: false }));
                    say(t('webhooks.switched_off'));
                    close();
                }} />
            )}
            {open?.what === 'renew' && (
                <Confirm title={t('apps.renew_name', { name: open.webhook.url })} text={t('webhooks.renew_text')} action={t('apps.renew')} onClose={close}
                    onConfirm={async () => setOpen({ what: 'secret', secret: await client.webhooks.replaceSecret(open.webhook) })} />
            )}
            {open?.what === 'secret' && (
                <Dialog title={t('webhooks.secret')} onClose={close}>
                    <p class="words">{t('webhooks.secret_text')}</p>
                    <p dir="ltr"><code>{open.secret}</code></p>
                    <div class="actions">
                        <button type="button" onClick={close}>{t('apps.secret_kept')}</button>
                        <button type="button" class="quiet" onClick={() => void navigator.clipboard.writeText(open.secret).then(() => say(t('webhooks.copied')), () => undefined)}>{t('webhooks.copy')}</button>
                    </div>
                </Dialog>
            )}
            {open?.what === 'delete' && (
                <Confirm title={t('apps.delete_name', { name: open.webhook.url })} text={t('webhooks.delete_text')} action={t('apps.delete')} onClose={close} onConfirm={async () => {
                    await client.webhooks.delete(open.webhook);
                    setWebhooks(webhooks.filter(({ id }) => id !== open.webhook.id));
                    say(t('webhooks.deleted'));
                    close();
                }} />
            )}
        </>
    );
}
