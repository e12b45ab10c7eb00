import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Editor } from './editor.js';
import { layAround } from './gestures.js';
import { hashesIn } from './uploads.js';

/** How far what is being sent is, over each picture, sound and video of the page that is not with the service yet. */
export function UploadsOnPage({ editor, nodeOf }: { editor: Editor; nodeOf: (id: string) => HTMLElement | null }): JSX.Element | null {
    const { t, page, uploads: { pending } } = editor;
    const layer = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => {
        for (const box of layer.current?.querySelectorAll<HTMLElement>('[data-of]') ?? []) {
            const node = nodeOf(String(box.dataset.of));
            box.hidden = node === null;
            if (node !== null) {
                layAround(box, node);
            }
        }
    });
    const sent = pending.size === 0 ? [] : page?.elements.flatMap(({ id, attributes }) => hashesIn(attributes).flatMap((hash) => {
        const upload = pending.get(hash);
        return upload === undefined ? [] : [{ id, ...upload }];
    })) ?? [];
    return sent.length === 0 ? null : (
        <div ref={layer} class="uploads">
            {sent.map(({ id, name, part }) => <div key={id} class="upload" data-of={id}><progress aria-label={t('editor.sending', { name })} max={1} value={part} /></div>)}
        </div>
    );
}
