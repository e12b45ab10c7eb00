import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Project, TrashEntry } from '../../client/src/index.js';
import { Form } from '../ui/form';
import { timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { problemText } from '../ui/problems';
import { projectAddress, projectIn } from '../ui/project-number';
import { ProjectRow } from '../ui/project-row';
import { nameOfRemoved } from '../ui/removed';
import { ProjectActs } from './acts';
import { Contents } from './contents';

/** Any project, by its number or address, also one that nobody reported. */
export function Lookup(): JSX.Element {
    const { t, client } = useKit();
    const [project, setProject] = useState<Project | null>(null);
    const given = new URLSearchParams(location.search).get('id') ?? '';
    useEffect(() => {
        if (given !== '') {
            client.projects.get(given).then(setProject, () => undefined);
        }
    }, []);
    return (
        <>
            <p class="lead">{t('moderation.lookup_lead')}</p>
            <Form
                label={t('moderation.project')} submit={t('moderation.lookup')} inline
                fields={[{ name: 'project', label: t('moderation.number'), value: given, maxLength: 500, codes: ['not_found'], check: (value) => (projectAddress.test(value) ? undefined : t('error.project_number')) }]}
                onSubmit={async (values) => {
                    setProject(null);
                    setProject(await client.projects.get(projectIn(values.text('project'))));
                }}
            />
            {project !== null && (
                <>
                    <ProjectRow project={project} facts={[t('ui.by', { name: project.author.username }), t(`visibility.${String(project.visibility)}`)]}>
                        <Contents project={project} />
                        <ProjectActs project={project} onChange={setProject} onRemoved={() => setProject(null)} />
                    </ProjectRow>
                    <Removed key={project.author.id} author={project.author} />
                </>
            )}
        </>
    );
}

/** The removed things of an author. Only moderators can restore what they removed. */
function Removed({ author }: { author: Project['author'] }): JSX.Element {
    const { t } = useKit();
    const [isOpen, setOpen] = useState(false);
    return isOpen ? <RemovedList author={author} /> : <p><button type="button" class="quiet" onClick={() => setOpen(true)}>{t('moderation.trash_of', { name: author.username })}</button></p>;
}

function RemovedList({ author }: { author: Project['author'] }): JSX.Element {
    const { t, client, language, say } = useKit();
    const list = useList<TrashEntry>(() => client.moderation.trash(author, { count: 25 }), []);
    const restore = async (entry: TrashEntry): Promise<void> => {
        try {
            await client.moderation.restore(author, entry);
            list.change((items) => items.filter((each) => each !== entry));
            say(t('trash.restored', { name: nameOfRemoved(t, entry) }));
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };

    return (
        <section class="part">
            <h2>{t('moderation.trash_of', { name: author.username })}</h2>
            <Items list={list} label={t('moderation.trash_of', { name: author.username })} empty={t('trash.none')} keyOf={({ id }) => id}>
                {(entry) => (
                    <article class="row">
                        <div class="about">
                            <h2 dir="auto">{nameOfRemoved(t, entry)}</h2>
                            <p class="facts"><span>{t('trash.removed', { time: timeIn(language, entry.deleted_at) })}</span>{entry.deleted_by !== null && <span>{t('ui.by', { name: entry.deleted_by.username })}</span>}</p>
                            <div class="does"><button type="button" class="quiet" aria-label={t('trash.restore_name', { name: nameOfRemoved(t, entry) })} onClick={() => void restore(entry)}>{t('trash.restore')}</button></div>
                        </div>
                    </article>
                )}
            </Items>
        </section>
    );
}
