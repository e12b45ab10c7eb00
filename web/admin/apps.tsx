import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { TrustedApp } from '../../client/src/index.js';
import { useAct } from '../ui/act';
import { Confirm } from '../ui/dialog';
import { timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';

/** All apps in which people sign in with their account here. */
export function AllApps(): JSX.Element {
    const { t, client, language, say } = useKit();
    const act = useAct();
    const list = useList<TrustedApp>(() => client.admin.apps({ count: 25 }), []);
    const [ending, setEnding] = useState<TrustedApp | null>(null);
    const trust = async (app: TrustedApp): Promise<void> => {
        const next = await client.admin.trustApp(app, !app.trusted);
        list.change((items) => items.map((each) => (each.id === next.id ? next : each)));
    };

    return (
        <>
            <p class="lead">{t('admin.apps_lead')}</p>
            <Items list={list} label={t('admin.apps')} empty={t('admin.no_apps')} keyOf={({ id }) => id}>
                {(app) => {
                    const { name, url, owner, trusted, users, created_at: since } = app;
                    return (
                        <article class="row">
                            <div class="about">
                                <h2 dir="auto">{name}</h2>
                                <p class="facts">
                                    <span dir="ltr">{url}</span>
                                    <span>{owner === null ? t('admin.registered_itself') : t('ui.by', { name: owner.username })}</span>
                                    <span>{t('admin.let_in', { count: users })}</span>
                                    <span>{t('sessions.since', { time: timeIn(language, since) })}</span>
                                    {trusted && <strong>{t('admin.trusted')}</strong>}
                                </p>
                                <div class="does">
                                    <button type="button" class="quiet" aria-label={t(trusted ? 'admin.distrust_name' : 'admin.trust_name', { name })} onClick={() => void act(() => trust(app), t(trusted ? 'admin.distrust_done' : 'admin.trust_done', { name }))}>{t(trusted ? 'admin.distrust' : 'admin.trust')}</button>
                                    <button type="button" class="quiet" aria-label={t('apps.delete_name', { name })} onClick={() => setEnding(app)}>{t('apps.delete')}</button>
                                </div>
                            </div>
                        </article>
                    );
                }}
            </Items>
            {ending !== null && (
                <Confirm title={t('apps.delete_name', { name: ending.name })} text={t('apps.delete_text')} action={t('apps.delete')} onClose={() => setEnding(null)} onConfirm={async () => {
                    await client.admin.deleteApp(ending);
                    list.change((items) => items.filter(({ id }) => id !== ending.id));
                    say(t('apps.deleted'));
                    setEnding(null);
                }} />
            )}
        </>
    );
}
