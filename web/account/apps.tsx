import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Authorization, OwnApp } from '../../client/src/index.js';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import type { FieldOptions, Values } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { place } from '../ui/place';

type Open = { what: 'end'; used: Authorization } | { what: 'new' } | { what: 'edit' | 'renew' | 'delete'; app: OwnApp } | { what: 'secret'; secret: string } | null;

/** The addresses in a text, one a line. */
const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim()).filter((line) => line !== '');

function Editing({ app, onClose, onSaved }: { app?: OwnApp; onClose(): void; onSaved(app: OwnApp, secret: string | null): void }): JSX.Element {
    const { t, client } = useKit();
    const fields: FieldOptions[] = [
        { name: 'name', label: t('apps.name'), maxLength: 80, value: app?.name ?? '' },
        { name: 'url', label: t('apps.url'), maxLength: 512, value: app?.url ?? 'https://' },
        { name: 'redirect_uris', label: t('apps.redirects'), hint: t('apps.redirects_hint'), type: 'textarea', value: app?.redirect_uris.join('\n') ?? '' },
        ...app === undefined ? [{ name: 'confidential', label: t('apps.confidential'), type: 'checkbox' as const }] : []
    ];
    const written = (values: Values): Pick<OwnApp, 'name' | 'url' | 'redirect_uris'> => ({ name: values.text('name').trim(), url: values.text('url').trim(), redirect_uris: linesOf(values.text('redirect_uris')) });
    return (
        <Dialog title={app === undefined ? t('apps.new') : t('apps.edit_name', { name: app.name })} onClose={onClose}>
            <Form fields={fields} submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: onClose }} onSubmit={async (values) => {
                if (app === undefined) {
                    const made = await client.apps.create({ ...written(values), confidential: values.isChecked('confidential') });
                    onSaved(made.app, made.clientSecret);
                }
                else {
                    onSaved(await client.apps.update(app, written(values)), null);
                }
            }} />
        </Dialog>
    );
}

/** The apps that one uses, and those that one made. */
export function Apps(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [used, setUsed] = useState<readonly Authorization[] | null>(null);
    const [made, setMade] = useState<readonly OwnApp[] | null>(null);
    const [open, setOpen] = useState<Open>(null);
    const [problem, setProblem] = useState('');
    const { issuer } = place();
    const close = (): void => setOpen(null);
    useEffect(() => {
        if (issuer === null) {
            Promise.all([client.apps.used().then(setUsed), client.apps.mine().then(setMade)]).catch((error: unknown) => setProblem(problemText(t, language, error)));
        }
    }, []);

    if (issuer !== null) {
        return <p class="lead">{t('sessions.elsewhere', { issuer })}</p>;
    }

    return (
        <>
            <p class="lead">{t('apps.lead')}</p>
            <p class="problem" role="alert">{problem}</p>
            <h2 id="used">{t('apps.used')}</h2>
            {used === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : used.length === 0 ? <p class="empty">{t('apps.none_used')}</p> : (
                <ul class="rows" aria-labelledby="used">
                    {used.map((each) => (
                        <li key={each.app.id}>
                            <article class="row">
                                <div class="about">
                                    <h3 dir="auto">{each.app.name}</h3>
                                    <p class="facts"><span dir="ltr">{each.app.url}</span><span>{t('apps.since', { time: timeIn(language, each.since) })}</span></p>
                                    <ul class="words">{each.scope.map((name) => <li key={name}>{t(`consent.scope_${name}`)}</li>)}</ul>
                                    <div class="does"><button type="button" class="quiet" aria-label={t('apps.end_name', { name: each.app.name })} onClick={() => setOpen({ what: 'end', used: each })}>{t('apps.end')}</button></div>
                                </div>
                            </article>
                        </li>
                    ))}
                </ul>
            )}
            <h2 id="made">{t('apps.made')}</h2>
            <p>{t('apps.made_lead')} <a href={href('/docs')}>{t('page.api')}</a></p>
            {made !== null && made.length > 0 && (
                <ul class="rows" aria-labelledby="made">
                    {made.map((app) => (
                        <li key={app.id}>
                            <article class="row">
                                <div class="about">
                                    <h3 dir="auto">{app.name}</h3>
                                    <p class="facts"><span>{t('apps.id', { id: app.id })}</span><span dir="ltr">{app.url}</span></p>
                                    <ul class="words" dir="ltr">{app.redirect_uris.map((uri) => <li key={uri}>{uri}</li>)}</ul>
                                    <div class="does">
                                        <button type="button" class="quiet" aria-label={t('apps.edit_name', { name: app.name })} onClick={() => setOpen({ what: 'edit', app })}>{t('apps.edit')}</button>
                                        {app.confidential && <button type="button" class="quiet" aria-label={t('apps.renew_name', { name: app.name })} onClick={() => setOpen({ what: 'renew', app })}>{t('apps.renew')}</button>}
                                        <button type="button" class="quiet" aria-label={t('apps.delete_name', { name: app.name })} onClick={() => setOpen({ what: 'delete', app })}>{t('apps.delete')}</button>
                                    </div>
                                </div>
                            </article>
                        </li>
                    ))}
                </ul>
            )}
            <div class="actions"><button type="button" onClick={() => setOpen({ what: 'new' })}>{t('apps.new')}</button></div>
            {open?.what === 'new' && (
                <Editing onClose={close} onSaved={(app, secret) => {
                    setMade([app, ...made ?? []]);
                    say(t('apps.saved'));
                    setOpen(secret === null ? null : { what: 'secret', secret });
                }} />
            )}
            {open?.what === 'edit' && (
                <Editing app={open.app} onClose={close} onSaved={(app) => {
                    setMade(made?.map((each) => (each.id === app.id ? app : each)) ?? null);
                    say(t('apps.saved'));
                    close();
                }} />
            )}
            {open?.what === 'renew' && (
                <Confirm title={t('apps.renew_name', { name: open.app.name })} text={t('apps.renew_text')} action={t('apps.renew')} onClose={close}
                    onConfirm={async () => setOpen({ what: 'secret', secret: await client.apps.replaceSecret(open.app) })} />
            )}
            {open?.what === 'secret' && (
                <Dialog title={t('apps.secret')} onClose={close}>
                    <p class="words">{t('apps.secret_text')}</p>
                    <p dir="ltr"><code>{open.secret}</code></p>
                    <div class="actions"><button type="button" onClick={close}>{t('apps.secret_kept')}</button></div>
                </Dialog>
            )}
            {open?.what === 'end' && (
                <Confirm title={t('apps.end_name', { name: open.used.app.name })} text={t('apps.end_text')} action={t('apps.end')} onClose={close} onConfirm={async () => {
                    await client.apps.end(open.used.app);
                    setUsed(used?.filter(({ app }) => app.id !== open.used.app.id) ?? null);
                    say(t('apps.ended'));
                    close();
                }} />
            )}
            {open?.what === 'delete' && (
                <Confirm title={t('apps.delete_name', { name: open.app.name })} text={t('apps.delete_text')} action={t('apps.delete')} onClose={close} onConfirm={async () => {
                    await client.apps.delete(open.app);
                    setMade(made?.filter(({ id }) => id !== open.app.id) ?? null);
                    say(t('apps.deleted'));
                    close();
                }} />
            )}
        </>
    );
}
