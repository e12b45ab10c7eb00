import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { ButtonTool } from './button-tool.js';
import type { Editor } from './editor.js';
import { shapes } from './elements.js';
import type { Form } from './elements.js';
import { FileTool } from './file-tool.js';
import { Icon } from './icons.js';
import { useDismiss } from './menu.js';
import { remember, remembered } from './shortcuts.js';
import { SoundTool } from './sound-tool.js';

/** Adds things to the page. */
export function Tools({ editor }: { editor: Editor }): JSX.Element {
    const { t } = editor;
    const [isOpen, setOpen] = useState(false);
    const popover = useRef<HTMLDivElement>(null);
    useDismiss(popover, isOpen, () => setOpen(false));
    const add = (form: Form): void => {
        setOpen(false);
        editor.adding.add(form);
    };

    const addFiles = (files: File[]): void => void editor.adding.addFiles(files);
    return (
        <section class="tools" aria-label={t('editor.add')}>
            <button type="button" class="tool" onClick={() => add('text')}><Icon name="text" /><span>{t('editor.type_text')}</span></button>
            <FileTool chosen={addFiles} icon="picture" label={t('editor.type_image')} accept="image/*,audio/*,video/*" />
            <FileTool chosen={addFiles} icon="camera" label={t('editor.take_photo')} accept="image/*" name="camera" camera />
            <SoundTool editor={editor} />
            <div ref={popover} class="popover">
                <button type="button" class="tool" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}><Icon name="shape" /><span>{t('editor.shapes')}</span></button>
                {isOpen && <div class="shapes">{shapes.map((form) => <button key={form} type="button" class="tool" onClick={() => add(form)}><span class={`swatch ${form}`} aria-hidden="true" /><span>{t(`editor.type_${form}`)}</span></button>)}</div>}
            </div>
            <ButtonTool editor={editor} />
            <button type="button" class="tool" onClick={() => editor.adding.paste(remembered())}><Icon name="paste" /><span>{t('editor.paste')}</span></button>
            <button type="button" class="tool" aria-pressed={editor.choosesSeveral} onClick={() => editor.setChoosesSeveral(!editor.choosesSeveral)}><Icon name="several" /><span>{t('editor.several')}</span></button>
            <button type="button" class="tool narrow" aria-expanded={editor.panelOpen} onClick={() => editor.openPanel(!editor.panelOpen)}><Icon name="page" /><span>{t('editor.this_page')}</span></button>
        </section>
    );
}

/** On a phone: what can be done at once with what is chosen. The panel would cover it. */
export function ChosenBar({ editor }: { editor: Editor }): JSX.Element {
    const { t } = editor;
    return (
        <section class="tools chosen-bar narrow" aria-label={t('editor.chosen', { count: editor.selection.items.length })}>
            <button type="button" class="tool" onClick={() => editor.openPanel(true)}><Icon name="text" /><span>{t('editor.edit')}</span></button>
            <button type="button" class="tool" onClick={() => remember(editor)}><Icon name="paste" /><span>{t('editor.copy')}</span></button>
            <button type="button" class="tool" onClick={() => editor.adding.paste(editor.selection.copy())}><Icon name="plus" /><span>{t('editor.duplicate')}</span></button>
            <button type="button" class="tool" onClick={() => editor.selection.remove()}><Icon name="trash" /><span>{t('editor.delete')}</span></button>
            <button type="button" class="tool" aria-pressed={editor.choosesSeveral} onClick={() => editor.setChoosesSeveral(!editor.choosesSeveral)}><Icon name="several" /><span>{t('editor.several')}</span></button>
            <button type="button" class="tool" onClick={() => editor.selection.select([])}><Icon name="close" /><span>{t('editor.done')}</span></button>
        </section>
    );
}
