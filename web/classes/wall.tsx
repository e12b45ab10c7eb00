import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ClassRead, ProjectWithStats } from '../../client/src/index.js';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, useKit, useSession } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { Picture } from './picture';
import { useWatch } from './watching';

type Open = { what: 'put' } | { what: 'take'; project: ProjectWithStats } | null;

/** What is in a class and the reader may see, last changed first. It shows changes within two seconds. */
export function Wall({ found: { class: one, pupils } }: { found: ClassRead }): JSX.Element {
    const { t, client, say } = useKit();
    const session = useSession();
    const [open, setOpen] = useState<Open>(null);
    const list = useList<ProjectWithStats>(() => client.classes.projects(one, { count: 25 }), [one.id]);
    const close = (): void => setOpen(null);
    useWatch(client, one, list.refresh);
    const names = new Map(pupils.map(({ user, name }) => [user.id, name]));
    return (
        <section class="part" aria-labelledby="wall">
            <h2 id="wall">{t('classes.projects')}</h2>
            <div class="bar"><button type="button" class="quiet" onClick={() => setOpen({ what: 'put' })}>{t('classes.put')}</button></div>
            <Items list={list} label={t('classes.projects')} empty={t('classes.no_projects')} keyOf={({ id }) => id} class="cards">
                {(project) => (
                    <article class="card">
                        <a class="cover" href={href(`/p/${project.id}`)}>
                            <Picture project={project} />
                            <span class="title"><bdi>{project.title}</bdi></span>
                        </a>
                        <p class="by"><bdi>{names.get(project.user_id) ?? project.author.username}</bdi></p>
                        {project.user_id === session?.user.id && <div class="does"><button type="button" class="quiet" aria-label={t('classes.take_title', { title: project.title })} onClick={() => setOpen({ what: 'take', project })}>{t('classes.take')}</button></div>}
                    </article>
                )}
            </Items>
            {open?.what === 'put' && <PutDialog one={one} onClose={close} onPut={async () => {
                await list.refresh();
                say(t('classes.put_done'));
                close();
            }} />}
            {open?.what === 'take' && (
                <Confirm title={t('classes.take_title', { title: open.project.title })} text={t('classes.take_text')} action={t('classes.take')} onClose={close} onConfirm={async () => {
                    await client.classes.takeProject(one, open.project);
                    list.change((items) => items.filter(({ id }) => id !== open.project.id));
                    say(t('classes.take_done'));
                    close();
                }} />
            )}
        </section>
    );
}

/** How many of one's own projects are offered. */
const MOST_OFFERED = 200;

/** Puts a project of one's own into the class. */
function PutDialog({ one, onClose, onPut }: { one: ClassRead['class']; onClose(): void; onPut(): Promise<void> }): JSX.Element {
    const { t, client } = useKit();
    const list = useList<ProjectWithStats>(() => client.projects.mine({ count: 100 }), []);
    useEffect(() => {
        if (list.more && list.items.length < MOST_OFFERED) {
            void list.load();
        }
    }, [list.items.length]);

    return (
        <Dialog title={t('classes.put')} onClose={onClose}>
            {list.items.length === 0 && list.state === 'loading' ? <p class="loading" role="status">{t('page.loading')}</p> : list.items.length === 0 ? <p class="words">{t('projects.none_such')}</p> : (
                <Form
                    fields={[
                        { name: 'project', label: t('classes.put_project'), type: 'select', options: list.items.map(({ id, title }) => [id, title]), focus: true },
                        { name: 'audience', label: t('visibility.label'), type: 'select', value: one.publish === 'nobody' ? 'teachers' : 'class', options: [['class', t('classes.publish_class')], ['teachers', t('classes.teachers')]] }
                    ]}
                    submit={t('classes.put_do')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                    onSubmit={async (values) => {
                        await client.classes.putProject(one, { user_id: 'me', id: values.text('project') }, values.text('audience') === 'teachers' ? 'teachers' : 'class');
                        await onPut();
                    }}
                />
            )}
            {list.items.length === 0 && <div class="actions"><button type="button" onClick={onClose}>{t('editor.close')}</button></div>}
        </Dialog>
    );
}
