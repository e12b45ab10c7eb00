import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import type { Editor } from './editor.js';
import { Icon } from './icons.js';
import { useDismiss } from './menu.js';
import { SoundChoices } from './sound-tool.js';

/** Adds a button, which leads to a page, shows something or plays a sound. */
export function ButtonTool({ editor }: { editor: Editor }): JSX.Element {
    const { t } = editor;
    const [open, setOpen] = useState<'actions' | 'sounds'>();
    const [isRecording, setRecording] = useState(false);
    const popover = useRef<HTMLDivElement>(null);
    const close = (): void => setOpen(undefined);
    useDismiss(popover, open !== undefined && !isRecording, close);
    const add = (form: 'link' | 'button'): void => {
        close();
        editor.adding.add(form);
    };

    return (
        <div ref={popover} class="popover">
            <button type="button" class="tool" aria-expanded={open !== undefined} onClick={() => !isRecording && setOpen(open === undefined ? 'actions' : undefined)}><Icon name="button" /><span>{t('editor.type_button')}</span></button>
            {open === 'actions' && (
                <div class="shapes">
                    <button type="button" class="tool" onClick={() => add('link')}><Icon name="link" /><span>{t('editor.button_leads')}</span></button>
                    <button type="button" class="tool" onClick={() => add('button')}><Icon name="text" /><span>{t('editor.button_shows')}</span></button>
                    <button type="button" class="tool" onClick={() => setOpen('sounds')}><Icon name="sound" /><span>{t('editor.button_plays')}</span></button>
                </div>
            )}
            {open === 'sounds' && (
                <div class="shapes">
                    <SoundChoices
                        editor={editor} recording={setRecording} chosen={(file) => {
                            close();
                            void editor.adding.addSound(file);
                        }}
                    />
                </div>
            )}
        </div>
    );
}
