import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Collection, ProjectWithStats } from '../../client/src/index.js';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { problemText } from '../ui/problems';
import { ProjectRow } from '../ui/project-row';
import { projectAddress, projectIn } from '../ui/project-number';

/** The projects of one collection, to put in order. */
export function CollectedProjects({ id }: { id: string }): JSX.Element {
    const { t, client, language, say } = useKit();
    const [collection, setCollection] = useState<Collection | null>(null);
    const [problem, setProblem] = useState('');
    const [times, setTimes] = useState(0);
    const list = useList<ProjectWithStats>(() => client.collections.projects(id, { count: 25 }), [times]);
    useEffect(() => {
        client.collections.get(id).then(setCollection, (error: unknown) => setProblem(problemText(t, language, error)));
    }, [times]);

    const change = async (work: () => Promise<unknown>, text: string): Promise<void> => {
        try {
            await work();
            say(text);
        }
        catch (error) {
            setProblem(problemText(t, language, error));
        }
    };

    const move = (project: ProjectWithStats, position: number): Promise<void> => change(async () => {
        await client.collections.put({ id }, project, position);
        list.change((items) => {
            const others = items.filter((each) => each.id !== project.id);
            return [...others.slice(0, position), project, ...others.slice(position)];
        });
    }, t('collections.moved', { title: project.title, position: position + 1 }));

    return (
        <>
            <p><a href={href('/account/collections')}>{t('collections.all')}</a></p>
            <p class="problem" role="alert">{problem}</p>
            {collection !== null && (
                <>
                    <h2 dir="auto">{collection.title}</h2>
                    <Form
                        key={times} label={t('collections.add')} submit={t('collections.add_do')} inline
                        fields={[{ name: 'project', label: t('collections.add'), focus: times > 0, hint: t('collections.add_hint'), maxLength: 500, codes: ['not_found'], check: (value) => (projectAddress.test(value) ? undefined : t('error.project_number')) }]}
                        onSubmit={async (values) => {
                            await client.collections.put({ id }, { id: projectIn(values.text('project')) });
                            setTimes(times + 1);
                            say(t('collections.added'));
                        }}
                    />
                    <Items list={list} label={collection.title} empty={t('collections.empty')} keyOf={(project) => project.id}>
                        {(project) => {
                            const at = list.items.indexOf(project);
                            return (
                                <ProjectRow project={project} facts={[t('ui.by', { name: project.author.username })]}>
                                    <div class="does">
                                        {at > 0 && <button type="button" class="quiet" aria-label={t('collections.up_title', { title: project.title })} onClick={() => void move(project, at - 1)}>{t('collections.up')}</button>}
                                        {at < list.items.length - 1 && <button type="button" class="quiet" aria-label={t('collections.down_title', { title: project.title })} onClick={() => void move(project, at + 1)}>{t('collections.down')}</button>}
                                        <button type="button" class="quiet" aria-label={t('collections.take_title', { title: project.title })} onClick={() => void change(async () => {
                                            await client.collections.take({ id }, project);
                                            list.change((items) => items.filter((each) => each.id !== project.id));
                                        }, t('collections.taken'))}>{t('collections.take')}</button>
                                    </div>
                                </ProjectRow>
                            );
                        }}
                    </Items>
                </>
            )}
        </>
    );
}
