import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { NewWebhook, ProjectWithStats, Webhook } from '../../client/src/index.js';
import { webhookEvents } from '../../src/api/representations/webhook-events';
import { MAX_WEBHOOK_PROJECTS } from '../../src/limits';
import type { Translate } from '../../src/site/text-options';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import type { Values } from '../ui/form';
import { useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';

/** The words for an event. */
export const eventName = (t: Translate, event: string): string => t(`webhooks.event_${event.replace('.', '_')}`);

interface EditingProps {
    /** left out for a new one */
    webhook?: Webhook;
    onClose(): void;
    onSaved(webhook: Webhook, secret: string | null): void;
}

/** The fields of a webhook. */
export function Editing({ webhook, onClose, onSaved }: EditingProps): JSX.Element {
    const { t, client } = useKit();
    const [chosen, setChosen] = useState<readonly string[]>(webhook?.projects ?? []);
    const toggle = (id: string): void => setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
    const written = (values: Values): NewWebhook => {
        const events = webhookEvents.filter((event) => values.isChecked(event));
        if (events.length === 0) {
            throw new Error(t('webhooks.no_events'));
        }

        return { url: values.text('url').trim(), events, projects: chosen.length === 0 ? null : [...chosen] };
    };

    return (
        <Dialog title={webhook === undefined ? t('webhooks.new') : t('apps.edit_name', { name: webhook.url })} onClose={onClose}>
            <Form
                submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                fields={[{ name: 'url', label: t('webhooks.url'), hint: t('webhooks.url_hint'), maxLength: 512, value: webhook?.url ?? 'https://', focus: true }]}
                onSubmit={async (values) => {
                    if (webhook === undefined) {
                        const made = await client.webhooks.create(written(values));
                        onSaved(made.webhook, made.secret);
                    }
                    else {
                        onSaved(await client.webhooks.update(webhook, written(values)), null);
                    }
                }}
            >
                <fieldset class="field">
                    <legend>{t('webhooks.events')}</legend>
                    {webhookEvents.map((event) => <Check key={event} name={event} label={eventName(t, event)} initially={webhook === undefined ? event !== 'work.handed_in' : webhook.events.includes(event)} />)}
                </fieldset>
                <Projects chosen={chosen} toggle={toggle} before={webhook?.projects ?? []} />
            </Form>
        </Dialog>
    );
}

function Check({ name, label, initially }: { name: string; label: string; initially: boolean }): JSX.Element {
    return <div class="field check"><input id={`check-${name}`} name={name} type="checkbox" defaultChecked={initially} /><label for={`check-${name}`}>{label}</label></div>;
}

interface ProjectsProps {
    chosen: readonly string[];
    toggle(id: string): void;
    /** those that it was for, which need not be among one's own */
    before: readonly string[];
}

/** The choice of the only projects that it tells of. */
function Projects({ chosen, toggle, before }: ProjectsProps): JSX.Element {
    const { t, client } = useKit();
    const mine = useList<ProjectWithStats>(() => client.projects.mine({ count: 25 }), []);
    const shared = useList<ProjectWithStats>(() => client.members.shared({ count: 25 }), []);
    const known = [...mine.items, ...shared.items];
    const row = (id: string, title: string): JSX.Element => {
        const isChosen = chosen.includes(id);
        return (
            <div class="field check">
                <input id={`project-${id}`} name={`project-${id}`} type="checkbox" checked={isChosen} disabled={!isChosen && chosen.length >= MAX_WEBHOOK_PROJECTS} onChange={() => toggle(id)} />
                <label for={`project-${id}`} dir="auto">{title}</label>
            </div>
        );
    };

    const others = before.filter((id) => known.every((each) => each.id !== id));
    return (
        <fieldset class="field">
            <legend>{t('tokens.only')}</legend>
            <p class="hint">{t('webhooks.only_hint')}</p>
            {mine.state !== 'loading' && shared.state !== 'loading' && others.length > 0 && <ul class="checks" aria-label={t('tokens.only')}>{others.map((id) => <li key={id}>{row(id, t('webhooks.project', { id }))}</li>)}</ul>}
            <Items list={mine} label={t('account.projects')} empty={t('projects.none_such')} keyOf={({ id }) => id} class="checks">{({ id, title }) => row(id, title)}</Items>
            {shared.items.length > 0 && <Items list={shared} label={t('account.shared')} empty="" keyOf={({ id }) => id} class="checks">{({ id, title }) => row(id, title)}</Items>}
        </fieldset>
    );
}
