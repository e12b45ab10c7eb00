import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Suspend } from './acts';
import { suspendBy } from './reported';

/** Moderators' acts on a person, to which the person's page leads. */
export function Person(): JSX.Element {
    const { t } = useKit();
    const query = new URLSearchParams(location.search);
    const id = query.get('id') ?? '';
    return (
        <>
            <p class="lead">{t('moderation.person_lead')}</p>
            <Form
                label={t('moderation.person')} submit={t('moderation.person_find')} inline fields={[{ name: 'username', label: t('enter.username'), value: query.get('name') ?? '', maxLength: 100 }]}
                onSubmit={(values) => {
                    location.assign(href(`/u/${encodeURIComponent(values.text('username').trim())}`));
                    return Promise.resolve();
                }}
            />
            {id !== '' && <Acts person={{ id, username: query.get('name') ?? id }} />}
        </>
    );
}

function Acts({ person }: { person: { id: string; username: string } }): JSX.Element {
    const { t, client, language, say } = useKit();
    const [isSuspending, setSuspending] = useState(false);
    const { id: user, username: name } = person;
    const act = async (work: () => Promise<unknown>, text: string): Promise<void> => {
        try {
            await work();
            say(text);
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };

    const params = { path: { user } };
    return (
        <div class="does">
            <button type="button" class="quiet" onClick={() => void act(() => client.api.PUT('/moderation/users/{user}/teacher', { params }), t('moderation.made_teacher', { name }))}>{t('moderation.make_teacher', { name })}</button>
            <button type="button" class="quiet" onClick={() => void act(() => client.api.DELETE('/moderation/users/{user}/teacher', { params }), t('moderation.dismissed_teacher', { name }))}>{t('moderation.dismiss_teacher', { name })}</button>
            <button type="button" class="quiet" onClick={() => setSuspending(true)}>{t('moderation.suspend_name', { name })}</button>
            <button type="button" class="quiet" onClick={() => void act(() => client.moderation.unsuspend({ id: user }), t('moderation.unsuspended', { name }))}>{t('moderation.unsuspend', { name })}</button>
            {isSuspending && <Suspend name={name} hasRule suspend={(...why) => suspendBy(client, person.id, ...why)}
                onClose={() => setSuspending(false)} />}
        </div>
    );
}
