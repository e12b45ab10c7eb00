import type { JSX } from 'preact';

import { signInAddress } from '../session.js';
import type { Editor } from './editor.js';
import { Icon } from './icons.js';
import type { IconName } from './icons.js';
import { Menu } from './menu.js';
import { Others } from './others.js';
import { Bell, useCommented } from './signs.js';
import { wayBack } from './way-back.js';

function Status({ editor: { state, saving, t } }: { editor: Editor }): JSX.Element {
    const { waiting, isOffline } = saving;
    const isKept = state === 'saved' && isOffline;
    return (
        <span class={`status ${state}${isKept ? ' unreachable' : ''}`} role="status">
            {isKept ? t('editor.state_unreachable') : t(`editor.state_${state.replace('-', '_')}`, { count: waiting })}
            {state === 'signed-out' && <>{' '}<a href={signInAddress()}>{t('page.sign_in')}</a></>}
        </span>
    );
}

/** The dialogs and panels that can be opened over the page. */
export type Open = 'comments' | 'history' | 'trash' | 'share' | 'source' | 'question' | null;

/** The bar above the page. */
export function TopBar({ editor, open }: { editor: Editor; open: (what: Open) => void }): JSX.Element {
    const { t, doc: { project }, canEdit } = editor;
    const isCommented = useCommented(editor);
    const action = (name: string, icon: IconName, act: () => void, text = true): JSX.Element => <button type="button" class="plain" aria-label={t(`editor.${name}`)} title={t(`editor.${name}`)} onClick={act}><Icon name={icon} />{text && <span class="long">{t(`editor.${name}`)}</span>}</button>;
    return (
        <header class="editor-top">
            <a class="plain button home" href={wayBack(project.id)} aria-label={t('editor.home')}><Icon name="close" /></a>
            <h1 class="visually-hidden">{t('editor.heading', { title: project.title })}</h1>
            <input class="project-title" aria-label={t('editor.title_of_project')} dir="auto" maxLength={256} readOnly={!canEdit} value={project.title} onChange={({ currentTarget }) => (currentTarget.value.trim() === '' ? (currentTarget.value = project.title) : editor.paging.changeProject({ title: currentTarget.value.trim() }))} />
            <Status editor={editor} />
            {editor.presence.others.length > 0 && <Others editor={editor} />}
            {!editor.gone && <div class="top-actions">
                {canEdit && action('undo', 'undo', () => void editor.earlier.undo(), false)}
                {canEdit && action('redo', 'redo', () => void editor.earlier.redo(), false)}
                {action('history', 'history', () => open('history'))}
                {action('share', 'share', () => open('share'))}
                <Menu label={t('page.more')} sign={<><Icon name="more" />{isCommented && <span class="dot" />}</>}>
                    <button type="button" class="quiet" onClick={() => open('comments')}>{t('comments.title')}{isCommented && <>
                        <span class="dot" /><span class="visually-hidden"> {t('editor.comments_some')}</span></>}</button>
                    {canEdit && <button type="button" class="quiet" onClick={() => open('trash')}>{t('editor.trash')}</button>}
                    {project.remixed_from !== null && <button type="button" class="quiet" onClick={() => open('source')}>{t('editor.source')}</button>}
                    <button
                        type="button" class="quiet" onClick={() => void editor.attempt(async () => {
                            await editor.saving.settled();
                            const remix = await editor.client.projects.remix(project, { visibility: 'private' });
                            location.assign(`/edit/${remix.id}`);
                        })}
                    >{t('editor.remix')}</button>
                    <a class="button quiet for-moderators" href="/moderation">{t('page.moderation')}</a>
                </Menu>
            </div>}
            <Bell editor={editor} />
            <a class="button small play" href={`/p/${project.id}`} aria-label={t('editor.play')}><Icon name="play" /><span class="long">{t('editor.play')}</span></a>
        </header>
    );
}
