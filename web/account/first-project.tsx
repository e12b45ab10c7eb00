import type { JSX } from 'preact';

import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';

/** Makes a project, which is private until its author publishes it, and opens it in the editor. */
export function NewProject({ focus = false, value = '' }: { focus?: boolean; value?: string }): JSX.Element {
    const { t, client } = useKit();
    return (
        <Form
            label={t('projects.new')} submit={t('projects.create')} inline
            fields={[{ name: 'title', label: t('projects.title'), maxLength: 256, value, focus, hint: t('projects.private_hint') }]}
            onSubmit={async (values) => {
                const { project } = await client.projects.create({ title: values.text('title').trim(), visibility: 'private' });
                location.assign(href(`/edit/${project.id}`));
            }}
        />
    );
}

/** The step after a new account: a project, or a look around. */
export function FirstProject(): JSX.Element {
    const { t, client } = useKit();
    return (
        <div class="enter">
            <h1>{t('enter.welcome', { name: client.session?.user.username ?? '' })}</h1>
            <p>{t('enter.first_project')}</p>
            <NewProject focus />
            <p class="other"><a href={href('/')}>{t('enter.look_around')}</a></p>
        </div>
    );
}
