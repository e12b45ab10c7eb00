import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { ClassRead, Client, ProjectWithStats } from '../../client/src/index.js';
import { MAX_HIDE_REASON } from '../../src/limits';
import { useAct } from '../ui/act';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, useKit, useSession } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { Picture } from './picture';
import { useWatch } from './watching';

type WallPage = Awaited<ReturnType<Client['classes']['wall']>>;

/** Why the class does not see a project, by the ids of projects. */
type Unseen = Map<string, WallPage['unseen'][number]>;

/** Reads the projects of a class, and notes which of them it does not see. */
async function* wallOf(client: Client, one: ClassRead['class'], unseen: Unseen): AsyncGenerator<ProjectWithStats, void, undefined> {
    let after: string | null = null;
    do {
        const { items, next, unseen: found }: WallPage = await client.classes.wall(one, { count: 25, after });
        items.forEach(({ id }) => unseen.delete(id));
        found.forEach((each) => unseen.set(each.project_id, each));
        yield* items;
        after = next;
    } while (after !== null);
}

type Open = { what: 'put' } | { what: 'take' | 'hide'; project: ProjectWithStats } | null;

/** Projects of a class that the reader may see, last changed first. Changes show within two seconds. */
export function Wall({ found: { class: one, pupils, role } }: { found: ClassRead }): JSX.Element {
    const { t, client, say } = useKit();
    const session = useSession();
    const [open, setOpen] = useState<Open>(null);
    const unseen = useRef<Unseen>(new Map()).current;
    const list = useList<ProjectWithStats>(() => wallOf(client, one, unseen), [one.id]);
    const act = useAct();
    const show = (project: ProjectWithStats): Promise<void> => act(async () => {
        await client.classes.show(one, project);
        await list.refresh();
    }, t('classes.shown', { title: project.title }));
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
                        <State of={unseen.get(project.id)} />
                        <div class="does">
                            {project.user_id === session?.user.id && <button type="button" class="quiet" aria-label={t('classes.take_title', { title: project.title })} onClick={() => setOpen({ what: 'take', project })}>{t('classes.take')}</button>}
                            {role === 'teacher' && unseen.has(project.id) && <button type="button" aria-label={t('classes.show_title', { title: project.title })} onClick={() => void show(project)}>{t('classes.show_do')}</button>}
                            {role === 'teacher' && unseen.get(project.id)?.state !== 'hidden' && <button type="button" class="quiet" aria-label={t('classes.hide_title', { title: project.title })} onClick={() => setOpen({ what: 'hide', project })}>{t('classes.hide')}</button>}
                        </div>
                    </article>
                )}
            </Items>
            {open?.what === 'put' && <PutDialog one={one} isForTeachers={one.publish === 'nobody' && pupils.some(({ user: { id }, managed }) => managed && id === session?.user.id)} onClose={close} onPut={async () => {
                await list.refresh();
                say(t('classes.put_done'));
                close();
            }} />}
            {open?.what === 'hide' && (
                <Dialog title={t('classes.hide_title', { title: open.project.title })} onClose={close}>
                    <p class="words">{t('classes.hide_text')}</p>
                    <Form
                        fields={[{ name: 'reason', label: t('classes.hide_reason'), type: 'textarea', maxLength: MAX_HIDE_REASON, focus: true }]}
                        submit={t('classes.hide')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={async (values) => {
                            await client.classes.hide(one, open.project, values.text('reason').trim());
                            await list.refresh();
                            say(t('classes.hidden', { title: open.project.title }));
                            close();
                        }}
                    />
                </Dialog>
            )}
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

/** Says why the class does not see a project. */
function State({ of: unseen }: { of: WallPage['unseen'][number] | undefined }): JSX.Element | null {
    const { t } = useKit();
    return unseen === undefined ? null : <p class="warning">{unseen.state === 'waiting' ? t('classes.is_waiting') : t('classes.is_hidden', { reason: unseen.reason ?? '' })}</p>;
}

/** How many of one's own projects are offered. */
const MAX_OFFERED = 200;

/** Puts a project of one's own into the class. @param isForTeachers whether only they may see it */
function PutDialog({ one, isForTeachers, onClose, onPut }: { one: ClassRead['class']; isForTeachers: boolean; onClose(): void; onPut(): Promise<void> }): JSX.Element {
    const { t, client } = useKit();
    const list = useList<ProjectWithStats>(() => client.projects.mine({ count: 100 }), []);
    useEffect(() => {
        if (list.more && list.items.length < MAX_OFFERED) {
            void list.load();
        }
    }, [list.items.length]);

    return (
        <Dialog title={t('classes.put')} onClose={onClose}>
            {list.items.length === 0 && list.state === 'loading' ? <p class="loading" role="status">{t('page.loading')}</p> : list.items.length === 0 ? <p class="words">{t('projects.none_such')}</p> : (
                <Form
                    fields={[
                        { name: 'project', label: t('classes.put_project'), type: 'select', options: list.items.map(({ id, title }) => [id, title]), focus: true },
                        { name: 'audience', label: t('visibility.label'), type: 'select', value: one.publish === 'nobody' ? 'teachers' : 'class', options: [...isForTeachers ? [] : [['class', t('classes.publish_class')] as const], ['teachers', t('classes.teachers')]] }
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
