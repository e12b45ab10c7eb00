import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Project, ProjectWithStats } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { visibilities } from '../../src/api/representations/visibility';
import { isVisibility, useVisibilities } from '../ui/choices';
import type { Visibility } from '../../src/api/representations/visibility';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import type { Kit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { problemText } from '../ui/problems';
import { ProjectRow } from '../ui/project-row';
import { fileName, saveFile } from '../ui/save-file';
import { NewProject } from './first-project';

/** Who may see something, to choose from. */
export function VisibilitySelect({ value, label, onChoose }: { value: Visibility; label: string; onChoose(visibility: Visibility): void }): JSX.Element {
    const { t } = useKit();
    return (
        <select class="small" aria-label={label} value={String(value)} onChange={({ currentTarget }) => {
            if (isVisibility(currentTarget.value)) {
                onChoose(currentTarget.value);
            }
        }}>
            {useVisibilities().map((each) => <option key={each} value={each}>{t(`visibility.${each}`)}</option>)}
        </select>
    );
}

/** The values of a field for the visibility. */
export const useVisibilityOptions = (): [value: string, label: string][] => {
    const { t } = useKit();
    return useVisibilities().map((each) => [each, t(`visibility.${each}`)]);
};

export const visibilityOf = (value: string): Visibility | undefined => (isVisibility(value) ? value : undefined);

function ExportDialog({ project, onClose }: { project: Project; onClose(): void }): JSX.Element {
    const { t, client, say } = useKit();
    return (
        <Dialog title={t('projects.export_title', { title: project.title })} onClose={onClose}>
            <p>{t('projects.export_text')}</p>
            <Form
                fields={[{ name: 'as', label: t('projects.export_as'), type: 'select', value: 'zip', options: [['zip', t('projects.export_zip')], ['history', t('projects.export_history')], ['html', t('projects.export_html')]] }]} submit={t('projects.export')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    const as = values.text('as');
                    const file = await client.export(project, as === 'html' ? { as } : { history: as === 'history' });
                    await saveFile(file, `${fileName(project.title)}.${as === 'html' ? as : 'zip'}`);
                    say(t('files.saved'));
                    onClose();
                }}
            />
        </Dialog>
    );
}

/** How many people like it, which its author alone is told. */
function likesOf(t: Kit['t'], project: Project): string[] {
    const count = fieldOf(project, 'likes');
    return typeof count === 'number' ? [t('projects.likes', { count })] : [];
}

type Open = { what: 'delete' | 'export'; project: ProjectWithStats } | null;

export function OwnProjects(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [filter, setFilter] = useState('all');
    const [open, setOpen] = useState<Open>(null);
    const list = useList<ProjectWithStats>(() => client.projects.mine({ count: 25, ...isVisibility(filter) && { visibility: filter } }), [filter]);
    const close = (): void => setOpen(null);

    const setVisibility = async (project: ProjectWithStats, visibility: Visibility): Promise<void> => {
        const replace = (next: ProjectWithStats): void => list.change((items) => items.map((each) => (each.id === next.id ? next : each)));
        replace({ ...project, visibility });
        try {
            const { data } = await client.api.PATCH('/users/{user}/projects/{project}', { params: { path: { user: 'me', project: project.id } }, body: { visibility } });
            replace({ ...project, ...data.project });
            say(t('projects.visibility_changed', { title: project.title, visibility: t(`visibility.${String(visibility)}`) }));
        }
        catch (error) {
            replace({ ...project });
            say(problemText(t, language, error));
        }
    };

    return (
        <>
            <NewProject focus={new URLSearchParams(location.search).has('new')} />
            <div class="bar">
                <label>{t('projects.show')}{' '}
                    <select class="small" value={filter} onChange={({ currentTarget }) => setFilter(currentTarget.value)}>
                        {['all', ...visibilities].map((each) => <option key={each} value={each}>{t(`projects.filter.${each}`)}</option>)}
                    </select>
                </label>
            </div>
            <Items list={list} label={t('account.projects')} empty={t(filter === 'all' ? 'projects.none' : 'projects.none_such')} keyOf={({ id }) => id}>
                {(project) => (
                    <ProjectRow project={project} facts={[t('projects.views', { count: project.stats.views }),
                        t('projects.remixes', { count: project.stats.remixes }), ...likesOf(t, project)]}>
                        <div class="does">
                            <a class="button quiet" href={href(`/edit/${project.id}`)} aria-label={t('projects.edit_title', { title: project.title })}>{t('projects.edit')}</a>
                            <VisibilitySelect value={project.visibility} label={t('projects.visibility_of', { title: project.title })} onChoose={(visibility) => void setVisibility(project, visibility)} />
                            <button type="button" class="quiet" aria-label={t('projects.export_title', { title: project.title })} onClick={() => setOpen({ what: 'export', project })}>{t('projects.export')}</button>
                            <button type="button" class="quiet" aria-label={t('projects.delete_title', { title: project.title })} onClick={() => setOpen({ what: 'delete', project })}>{t('projects.delete')}</button>
                        </div>
                    </ProjectRow>
                )}
            </Items>
            {open?.what === 'export' && <ExportDialog project={open.project} onClose={close} />}
            {open?.what === 'delete' && (
                <Confirm
                    title={t('projects.delete_title', { title: open.project.title })} text={t('projects.delete_text')} action={t('projects.delete')} onClose={close}
                    onConfirm={async () => {
                        await client.api.DELETE('/users/{user}/projects/{project}', { params: { path: { user: 'me', project: open.project.id } } });
                        list.change((items) => items.filter(({ id }) => id !== open.project.id));
                        say(t('projects.deleted', { title: open.project.title }));
                        close();
                    }}
                />
            )}
        </>
    );
}
