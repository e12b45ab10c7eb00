import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

import { ConflictBanner, ConflictDialog } from './conflict.js';
import type { Editor, Form, Piece } from './editor.js';
import { HistoryDialog } from './film.js';
import { Icon } from './icons.js';
import type { IconName } from './icons.js';
import { Menu, useDismiss } from './menu.js';
import { Pages } from './pages.js';
import { ElementPanel, PagePanel } from './panel.js';
import { ShareDialog, SourceDialog } from './share.js';
import { Stage } from './stage.js';
import { TrashDialog } from './trash.js';

type Open = 'history' | 'trash' | 'share' | 'source' | 'question' | null;

const CLIPBOARD = 'pagewright clipboard';
const PIECES = 'application/x-pagewright';

/** What was copied, if it is elements. */
function piecesOf(text: string | null): Piece[] {
    try {
        const found: unknown = JSON.parse(text ?? '[]');
        const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
        return Array.isArray(found) ? found.filter((one) => isObject(one) && typeof one.type === 'string' && isObject(one.attributes) && isObject(one.styles)).slice(0, 1000) : [];
    }
    catch {
        return [];
    }
}

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.closest('input, textarea, select, dialog') !== null;

/** Copies to this browser's clipboard of the editor, so that it can be pasted in another project too. */
function remember(pieces: readonly Piece[]): void {
    if (pieces.length > 0) {
        localStorage.setItem(CLIPBOARD, JSON.stringify(pieces));
    }
}

/** Keys and the clipboard, wherever the focus is. */
function useShortcuts(editor: Editor): void {
    useEffect(() => {
        const keys = (event: KeyboardEvent): void => {
            // No key reaches what is behind a dialog.
            if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) {
                return;
            }

            const key = event.key.toLowerCase();
            const withControl = event.ctrlKey || event.metaKey;
            const act = withControl ? ({ z: () => void (event.shiftKey ? editor.redo() : editor.undo()), y: () => void editor.redo(), a: () => editor.select(editor.page?.elements.map(({ id }) => id) ?? []), d: () => editor.paste(editor.copy()), ']': () => editor.layer('up'), '[': () => editor.layer('down') })[key] :
                ({ delete: () => editor.removeChosen(), backspace: () => editor.removeChosen(), escape: () => editor.select([]) })[key];
            if (act !== undefined) {
                event.preventDefault();
                act();
            }
        };

        const copy = (event: ClipboardEvent): void => {
            if (!isTyping(event.target) && getSelection()?.isCollapsed !== false && editor.chosen.length > 0) {
                const pieces = editor.copy();
                remember(pieces);
                event.clipboardData?.setData(PIECES, JSON.stringify(pieces));
                event.clipboardData?.setData('text/plain', pieces.map(({ attributes }) => attributes.text ?? attributes.alt ?? '').join('\n'));
                event.preventDefault();
                if (event.type === 'cut') {
                    editor.removeChosen();
                }
            }
        };

        const paste = (event: ClipboardEvent): void => {
            const data = event.clipboardData;
            if (isTyping(event.target) || data === null || !editor.canEdit) {
                return;
            }

            event.preventDefault();
            const pieces = piecesOf(data.getData(PIECES) || null);
            const text = data.getData('text/plain').trim();
            if (data.files.length > 0) {
                void editor.addFiles([...data.files]);
            }
            else if (pieces.length > 0) {
                editor.paste(pieces);
            }
            else if (text !== '') {
                editor.pasteText(text);
            }
        };

        const leave = (event: BeforeUnloadEvent): void => {
            editor.saving.flush();
            if (editor.saving.isBusy) {
                event.preventDefault();
            }
        };

        const hide = (): void => {
            if (document.visibilityState === 'hidden') {
                editor.saving.flush();
            }
        };

        document.addEventListener('keydown', keys);
        document.addEventListener('copy', copy);
        document.addEventListener('cut', copy);
        document.addEventListener('paste', paste);
        document.addEventListener('visibilitychange', hide);
        addEventListener('beforeunload', leave);
        return () => {
            document.removeEventListener('keydown', keys);
            document.removeEventListener('copy', copy);
            document.removeEventListener('cut', copy);
            document.removeEventListener('paste', paste);
            document.removeEventListener('visibilitychange', hide);
            removeEventListener('beforeunload', leave);
        };
    }, [editor]);
}

/** Of more people than this, only a number is shown. */
const MOST_SHOWN = 3;

/** Who else is at work on the project. */
function Others({ editor: { others, t } }: { editor: Editor }): JSX.Element {
    return (
        <ul class="others" aria-label={t('editor.others')}>
            {others.slice(0, MOST_SHOWN).map((name) => <li key={name} title={name}><span aria-hidden="true">{Array.from(name)[0]}</span><span class="visually-hidden">{name}</span></li>)}
            {others.length > MOST_SHOWN && <li>+{others.length - MOST_SHOWN}</li>}
        </ul>
    );
}

function Status({ editor: { saving, t } }: { editor: Editor }): JSX.Element {
    const { state, waiting } = saving;
    return <span class={`status ${state}`} role="status">{t(`editor.state_${state.replace('-', '_')}`, { count: waiting })}</span>;
}

/** Adds things to the page. */
function Tools({ editor }: { editor: Editor }): JSX.Element {
    const { t } = editor;
    const [shapes, setShapes] = useState(false);
    const popover = useRef<HTMLDivElement>(null);
    useDismiss(popover, shapes, () => setShapes(false));
    const add = (form: Form): void => {
        setShapes(false);
        editor.add(form);
    };

    const tool = (form: Form, icon: IconName): JSX.Element => <button type="button" class="tool" onClick={() => add(form)}><Icon name={icon} /><span>{t(`editor.type_${form}`)}</span></button>;
    return (
        <section class="tools" aria-label={t('editor.add')}>
            {tool('text', 'text')}
            <label class="tool file"><Icon name="picture" /><span>{t('editor.type_image')}</span>
                <input
                    type="file" accept="image/*,audio/*,video/*" multiple onChange={({ currentTarget }) => {
                        const files = [...currentTarget.files ?? []];
                        currentTarget.value = '';
                        void editor.addFiles(files);
                    }}
                />
            </label>
            <div ref={popover} class="popover">
                <button type="button" class="tool" aria-expanded={shapes} onClick={() => setShapes(!shapes)}><Icon name="shape" /><span>{t('editor.shapes')}</span></button>
                {shapes && <div class="shapes">{(['rectangle', 'ellipse', 'triangle'] as const).map((form) => <button key={form} type="button" class="tool" onClick={() => add(form)}><span class={`swatch ${form}`} aria-hidden="true" /><span>{t(`editor.type_${form}`)}</span></button>)}</div>}
            </div>
            {tool('link', 'link')}
            {tool('button', 'button')}
            <button type="button" class="tool" onClick={() => editor.paste(piecesOf(localStorage.getItem(CLIPBOARD)))}><Icon name="paste" /><span>{t('editor.paste')}</span></button>
            <button type="button" class="tool" aria-pressed={editor.choosesSeveral} onClick={() => editor.setChoosesSeveral(!editor.choosesSeveral)}><Icon name="several" /><span>{t('editor.several')}</span></button>
            <button type="button" class="tool narrow" aria-expanded={editor.panelOpen} onClick={() => editor.openPanel(!editor.panelOpen)}><Icon name="page" /><span>{t('editor.this_page')}</span></button>
        </section>
    );
}

/** On a phone: what can be done at once with what is chosen. The panel would cover it. */
function ChosenBar({ editor }: { editor: Editor }): JSX.Element {
    const { t } = editor;
    return (
        <section class="tools chosen-bar narrow" aria-label={t('editor.chosen', { count: editor.chosen.length })}>
            <button type="button" class="tool" onClick={() => editor.openPanel(true)}><Icon name="text" /><span>{t('editor.edit')}</span></button>
            <button type="button" class="tool" onClick={() => remember(editor.copy())}><Icon name="paste" /><span>{t('editor.copy')}</span></button>
            <button type="button" class="tool" onClick={() => editor.paste(editor.copy())}><Icon name="plus" /><span>{t('editor.duplicate')}</span></button>
            <button type="button" class="tool" onClick={() => editor.removeChosen()}><Icon name="trash" /><span>{t('editor.delete')}</span></button>
            <button type="button" class="tool" aria-pressed={editor.choosesSeveral} onClick={() => editor.setChoosesSeveral(!editor.choosesSeveral)}><Icon name="several" /><span>{t('editor.several')}</span></button>
            <button type="button" class="tool" onClick={() => editor.select([])}><Icon name="close" /><span>{t('editor.done')}</span></button>
        </section>
    );
}

function TopBar({ editor, open }: { editor: Editor; open: (what: Open) => void }): JSX.Element {
    const { t, doc: { project }, canEdit } = editor;
    const action = (name: string, icon: IconName, act: () => void, text = true): JSX.Element => <button type="button" class="plain" aria-label={t(`editor.${name}`)} title={t(`editor.${name}`)} onClick={act}><Icon name={icon} />{text && <span class="long">{t(`editor.${name}`)}</span>}</button>;
    return (
        <header class="editor-top">
            <a class="plain button home" href="/" aria-label={t('editor.home')}><Icon name="close" /></a>
            <h1 class="visually-hidden">{t('editor.heading', { title: project.title })}</h1>
            <input class="project-title" aria-label={t('editor.title_of_project')} dir="auto" maxLength={256} readOnly={!canEdit} value={project.title} onChange={({ currentTarget }) => (currentTarget.value.trim() === '' ? (currentTarget.value = project.title) : editor.changeProject({ title: currentTarget.value.trim() }))} />
            <Status editor={editor} />
            {editor.others.length > 0 && <Others editor={editor} />}
            <div class="top-actions">
                {canEdit && action('undo', 'undo', () => void editor.undo(), false)}
                {canEdit && action('redo', 'redo', () => void editor.redo(), false)}
                {action('history', 'history', () => open('history'))}
                {action('share', 'share', () => open('share'))}
                <Menu label={t('page.more')} sign={<Icon name="more" />}>
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
            </div>
            <a class="button small play" href={`/p/${project.id}`} aria-label={t('editor.play')}><Icon name="play" /><span class="long">{t('editor.play')}</span></a>
        </header>
    );
}

/** The whole editor. */
export function App({ editor }: { editor: Editor }): JSX.Element {
    const [, again] = useReducer<number, void>((count) => count + 1, 0);
    const [opened, open] = useState<Open>(null);
    useLayoutEffect(() => editor.subscribe(() => again()), [editor]);
    useShortcuts(editor);
    const { t, canEdit, past, chosen, gone, question, doc: { project } } = editor;

    // The focus must not be lost with what had it.
    const body = useRef<HTMLElement>(null);
    const before = useRef(0);
    useEffect(() => {
        const hadChosen = before.current > 0;
        before.current = chosen.length;
        if (hadChosen && document.activeElement === document.body && chosen.length === 0) {
            body.current?.querySelector<HTMLElement>('.stage')?.focus({ preventScroll: true });
        }
    }, [chosen.length]);

    const close = (): void => open(null);
    const around = useRef<{ top: JSX.Element; pages: JSX.Element; panel: JSX.Element | false } | undefined>(undefined);
    if (around.current === undefined || !editor.dragging) {
        around.current = {
            top: <TopBar editor={editor} open={open} />,
            pages: <Pages editor={editor} />,
            panel: canEdit && (chosen.length > 0 ? <ElementPanel editor={editor} copy={() => remember(editor.copy())} close={() => (matchMedia('(width > 900px)').matches ? editor.select([]) : editor.openPanel(false))} /> : <PagePanel editor={editor} />)
        };
    }

    return (
        <div class={`editor${canEdit && chosen.length > 0 ? ' has-chosen' : ''}${canEdit && editor.panelOpen ? ' has-panel' : ''}`}>
            {around.current.top}
            <div class="banners">
                {past !== null && (
                    <div class="banner" role="region" aria-label={t('editor.history')}>
                        <p>{t('editor.looking_back', { when: new Date(past.at).toLocaleString(document.documentElement.lang) })}</p>
                        {editor.role !== 'viewer' && <button type="button" class="small" onClick={() => void editor.restore(past.revision)}>{t('editor.restore')}</button>}
                        {editor.role !== 'viewer' && <button type="button" class="quiet small" onClick={() => void editor.restore(past.revision, editor.page?.id)}>{t('editor.restore_page')}</button>}
                        <button type="button" class="quiet small" onClick={() => editor.backToNow()}>{t('editor.to_now')}</button>
                    </div>
                )}
                {question !== null && <ConflictBanner editor={editor} failure={question} open={() => open('question')} />}
                {project.held !== undefined && <div class="banner"><p>{t('player.held', { reason: project.held.reason })}</p></div>}
                {gone && <div class="banner"><p>{t('editor.gone')}</p></div>}
                {editor.role === 'viewer' && <div class="banner"><p>{t('editor.only_viewer')}</p></div>}
            </div>
            {around.current.pages}
            <main ref={body} class="desk" id="content"><Stage editor={editor} /></main>
            {canEdit && <Tools editor={editor} />}
            {canEdit && chosen.length > 0 && <ChosenBar editor={editor} />}
            {around.current.panel}
            <p class="visually-hidden" aria-live="polite" id="announcements">{editor.message}</p>
            {opened === 'history' && <HistoryDialog editor={editor} close={close} />}
            {opened === 'trash' && <TrashDialog editor={editor} close={close} />}
            {opened === 'share' && <ShareDialog editor={editor} close={close} />}
            {opened === 'source' && <SourceDialog editor={editor} close={close} />}
            {question !== null && opened === 'question' && <ConflictDialog editor={editor} failure={question} close={close} />}
        </div>
    );
}
