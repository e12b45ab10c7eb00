import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Thumbnail, drawnWith } from './drawing.js';
import { inOrder } from './document.js';
import type { Editor } from './editor.js';
import { Icon } from './icons.js';

/** Pixels that a pointer may move without dragging. */
const STILL = 6;

const steps = new Map([['ArrowLeft', -1], ['ArrowUp', -1], ['ArrowRight', 1], ['ArrowDown', 1]]);

/** All pages in reading order, from left to right in every language, as the player goes through them. A page is dragged among the others, or moved by Alt and an arrow key. */
export function Pages({ editor }: { editor: Editor }): JSX.Element {
    const { t, pages, page, canEdit } = editor;
    const options = useMemo(() => drawnWith(editor.client, 0.5), [editor]);
    const list = useRef<HTMLUListElement>(null);
    const drag = useRef<{ id: string; x: number; y: number; moved: boolean } | null>(null);
    const [over, setOver] = useState<number | null>(null);
    const sheets = inOrder(pages);

    // The page that is shown is never out of sight.
    useEffect(() => {
        list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }, [page?.id]);

    /** The number of the page at a place of the screen. */
    const numberAt = (x: number, y: number): number | null => {
        const found = [...list.current?.children ?? []].findIndex((one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            return x >= left && x <= right && y >= top && y <= bottom;
        });
        return found < 0 ? null : found + 1;
    };

    const up = (): void => {
        if (drag.current?.moved === true && over !== null) {
            editor.paging.reorderPage(drag.current.id, over);
        }

        setOver(null);
    };

    return (
        <nav class="pages" aria-label={t('editor.pages')} aria-describedby={canEdit ? 'page-keys' : undefined}>
            <ul ref={list} dir="ltr">
                {sheets.map((one, index) => (
                    <li key={one.id} class={over === index + 1 ? 'over' : undefined}>
                        <Thumbnail page={one} options={options} />
                        <span class="page-number" aria-hidden="true">{index + 1}</span>
                        <button
                            type="button" class="page-button" aria-current={one.id === page?.id ? 'page' : undefined} aria-label={t('editor.page_at', { number: index + 1, count: one.elements.length })}
                            onClick={() => {
                                // The end of a drag is no choice.
                                void (drag.current?.moved === true || editor.showPage(one.id));
                                drag.current = null;
                            }}
                            onPointerDown={(event) => {
                                if (canEdit && event.button === 0) {
                                    drag.current = { id: one.id, x: event.clientX, y: event.clientY, moved: false };
                                    event.currentTarget.setPointerCapture(event.pointerId);
                                }
                            }}
                            onPointerMove={({ clientX, clientY, buttons }) => {
                                const { current } = drag;
                                if (current !== null && buttons > 0) {
                                    current.moved ||= Math.hypot(clientX - current.x, clientY - current.y) > STILL;
                                    setOver(current.moved ? numberAt(clientX, clientY) : null);
                                }
                            }}
                            onPointerUp={up} onPointerCancel={() => setOver(null)}
                            onKeyDown={(event) => {
                                const step = event.altKey ? steps.get(event.key) : undefined;
                                if (step !== undefined) {
                                    event.preventDefault();
                                    editor.paging.reorderPage(one.id, index + 1 + step);
                                }
                            }}
                        />
                    </li>
                ))}
            </ul>
            {canEdit && <p id="page-keys" hidden>{t('editor.page_keys')}</p>}
            {canEdit && <button type="button" class="quiet small add-page" aria-label={t('editor.add_page')} onClick={() => editor.paging.addPage()}><Icon name="plus" /><span class="long">{t('editor.add_page')}</span></button>}
        </nav>
    );
}
