import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { ProjectWithStats } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { ProjectRow } from '../ui/project-row';

/** The code of an invitation, as it is or at the end of the address that has it. */
const codeIn = (text: string): string => text.trim().split('#').at(-1) ?? '';

interface JoinProps {
    code?: string;
    focus?: boolean;
}

function JoinForm({ code = '', focus = false }: JoinProps): JSX.Element {
    const { t, client } = useKit();
    return (
        <Form
            label={t('shared.join')} submit={t('shared.join')} inline
            fields={[{ name: 'code', label: t('shared.code'), hint: t('shared.code_hint'), value: code, focus, maxLength: 500, codes: ['invitation_invalid'] }]}
            onSubmit={async (values) => {
                const { project, role } = await client.members.join(codeIn(values.text('code'))).catch((error: unknown) => {
                    throw error instanceof PagewrightError && (error.status === 400 || error.status === 404) ? new PagewrightError(error.status, { code: 'invitation_invalid' }) : error;
                });
                location.assign(href(role === 'editor' ? `/edit/${project.id}` : `/p/${project.id}`));
            }}
        />
    );
}

/** The page of an invitation's address. The code is behind a `#`, so it is in no log. */
export function Join(): JSX.Element {
    const { t } = useKit();
    return (
        <div class="enter">
            <h1>{t('shared.join_title')}</h1>
            <p>{t('shared.join_text')}</p>
            <JoinForm code={location.hash.slice(1)} focus />
        </div>
    );
}

export function SharedProjects(): JSX.Element {
    const { t, client, say } = useKit();
    const [leaving, setLeaving] = useState<ProjectWithStats | null>(null);
    const list = useList<ProjectWithStats>(() => client.members.shared({ count: 25 }), []);
    return (
        <>
            <JoinForm />
            <Items list={list} label={t('account.shared')} empty={t('shared.none')} keyOf={({ id }) => id}>
                {(project) => (
                    <ProjectRow project={project} facts={[t('ui.by', { name: project.author.username })]}>
                        <div class="does">
                            <a class="button quiet" href={href(`/edit/${project.id}`)} aria-label={t('projects.edit_title', { title: project.title })}>{t('projects.edit')}</a>
                            <button type="button" class="quiet" aria-label={t('shared.leave_title', { title: project.title })} onClick={() => setLeaving(project)}>{t('shared.leave')}</button>
                        </div>
                    </ProjectRow>
                )}
            </Items>
            {leaving !== null && (
                <Confirm
                    title={t('shared.leave_title', { title: leaving.title })} text={t('shared.leave_text')} action={t('shared.leave')} onClose={() => setLeaving(null)}
                    onConfirm={async () => {
                        await client.members.remove(leaving, client.session?.user.username ?? '');
                        list.change((items) => items.filter(({ id }) => id !== leaving.id));
                        say(t('shared.left', { title: leaving.title }));
                        setLeaving(null);
                    }}
                />
            )}
        </>
    );
}
