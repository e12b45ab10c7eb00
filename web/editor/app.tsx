import type { JSX } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

import { timeHere } from '../region.js';
import { ConflictBanner, ConflictDialog, NotSaved } from './conflict.js';
import type { Editor } from './editor.js';
import { HistoryDialog } from './film.js';
import { Icon } from './icons.js';
import { useKeptFocus } from './keep-focus.js';
import { LateComments } from './late-comments.js';
import { Pages } from './pages.js';
import { ElementPanel, PagePanel } from './panel.js';
import { ShareDialog, SourceDialog } from './share.js';
import { remember, useShortcuts } from './shortcuts.js';
import { Stage } from './stage.js';
import { TaskBar } from './task.js';
import { ChosenBar, Tools } from './tools.js';
import { TopBar } from './top-bar.js';
import type { Open } from './top-bar.js';
import { TrashDialog } from './trash.js';

/** The whole editor. */
export function App({ editor }: { editor: Editor }): JSX.Element {
    const [, again] = useReducer<number, void>((count) => count + 1, 0);
    const [opened, open] = useState<Open>(null);
    useLayoutEffect(() => editor.subscribe(() => again()), [editor]);
    useShortcuts(editor);
    useKeptFocus();
    useLayoutEffect(() => {
        document.title = `${editor.doc.project.title} · ${document.title.split(' · ').at(-1)}`;
    }, [editor.doc.project.title]);
    const { t, canEdit, past, selection: { items: chosen }, gone, question, deciding: { notice }, saving: { failures }, doc: { project } } = editor;

    const close = (): void => open(null);
    const around = useRef<{ top: JSX.Element; pages: JSX.Element; panel: JSX.Element | false } | undefined>(undefined);
    if (around.current === undefined || !editor.dragging) {
        around.current = {
            top: <TopBar editor={editor} open={open} />,
            pages: <Pages editor={editor} />,
            panel: canEdit && (chosen.length > 0 ? <ElementPanel editor={editor} copy={() => remember(editor)} close={() => (matchMedia('(width > 900px)').matches ? editor.selection.select([]) : editor.openPanel(false))} /> : <PagePanel editor={editor} />)
        };
    }

    return (
        <div translate={false} class={`editor${canEdit && chosen.length > 0 ? ' has-chosen' : ''}${canEdit && editor.panelOpen ? ' has-panel' : ''}`}>
            {around.current.top}
            <div class="banners">
                <TaskBar editor={editor} />
                {past !== null && (
                    <div class="banner" role="region" aria-label={t('editor.history')}>
                        <p>{t('editor.looking_back', { when: timeHere(past.at) })}</p>
                        {editor.role !== 'viewer' && <button type="button" class="small" onClick={() => void editor.earlier.restore(past.revision)}>{t('editor.restore')}</button>}
                        {editor.role !== 'viewer' && <button type="button" class="quiet small" onClick={() => void editor.earlier.restore(past.revision, editor.page?.id)}>{t('editor.restore_page')}</button>}
                        <button type="button" class="quiet small" onClick={() => editor.earlier.backToNow()}>{t('editor.to_now')}</button>
                    </div>
                )}
                {editor.problem !== '' && (
                    <div class="banner problem" role="region" aria-labelledby="problem">
                        <p id="problem">{editor.problem}</p>
                        <button type="button" class="plain" aria-label={t('editor.close')} onClick={() => editor.closeProblem()}><Icon name="close" /></button>
                    </div>
                )}
                {notice !== undefined && (
                    <div class="banner notice" role="region" aria-label={notice.text}>
                        <p>{notice.text}</p>
                        {notice.undo !== undefined && canEdit && <button type="button" class="small" onClick={notice.undo}>{t('editor.undo')}</button>}
                        <button type="button" class="plain" aria-label={t('editor.close')} onClick={() => editor.closeNotice()}><Icon name="close" /></button>
                    </div>
                )}
                {question !== null && !gone && <ConflictBanner editor={editor} failure={question} open={() => open('question')} />}
                {project.held !== undefined
                    && <div class="banner" role="status"><p>{t('player.held', { reason: project.held.reason })} <a
                        href="/account/decisions">{t('decisions.see_this')}</a></p></div>}
                {gone && <div class="banner" role="status"><p>{t('editor.gone')}</p>{failures.map((failure) => <NotSaved key={failure.id} editor={editor} failure={failure} />)}</div>}
                {editor.role === 'viewer' && <div class="banner" role="status"><p>{t('editor.only_viewer')}</p></div>}
            </div>
            {around.current.pages}
            <main class="desk" id="content" onPointerDown={({ target, currentTarget }) => target === currentTarget && canEdit && editor.selection.select([])}><Stage editor={editor} /></main>
            {canEdit && <Tools editor={editor} />}
            {canEdit && chosen.length > 0 && <ChosenBar editor={editor} />}
            {around.current.panel}
            <p class="visually-hidden" aria-live="polite" id="announcements">{editor.message}</p>
            {opened === 'comments' && <LateComments editor={editor} close={close} />}
            {opened === 'history' && <HistoryDialog editor={editor} close={close} />}
            {opened === 'trash' && <TrashDialog editor={editor} close={close} />}
            {opened === 'share' && <ShareDialog editor={editor} close={close} />}
            {opened === 'source' && <SourceDialog editor={editor} close={close} />}
            {question !== null && !gone && opened === 'question' && <ConflictDialog editor={editor} failure={question} close={close} />}
        </div>
    );
}
