import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { Thumbnail, drawnWith } from './drawing.js';
import { inOrder } from './document.js';
import type { Editor } from './editor.js';
import { Icon } from './icons.js';

/** All pages at their places on the grid. */
export function Pages({ editor }: { editor: Editor }): JSX.Element {
    const { t, pages, page, canEdit } = editor;
    const options = useMemo(() => drawnWith(editor.client, 0.5), [editor]);
    const [columns, rows] = (['x', 'y'] as const).map((axis) => [...new Set(pages.map((one) => one[axis]))].sort((one, other) => one - other));
    return (
        <nav class="pages" aria-label={t('editor.pages')}>
            <ul style={{ gridTemplateColumns: `repeat(${columns?.length}, max-content)` }}>
                {inOrder(pages).map((one, index) => (
                    <li key={one.id} style={{ gridColumn: (columns?.indexOf(one.x) ?? 0) + 1, gridRow: (rows?.indexOf(one.y) ?? 0) + 1 }}>
                        <Thumbnail page={one} options={options} />
                        <button type="button" class="page-button" aria-current={one.id === page?.id ? 'page' : undefined} aria-label={t('editor.page_at', { number: index + 1, x: one.x, y: one.y, count: one.elements.length })} onClick={() => editor.showPage(one.id)} />
                    </li>
                ))}
            </ul>
            {canEdit && <button type="button" class="quiet small add-page" aria-label={t('editor.add_page')} onClick={() => editor.addPage()}><Icon name="plus" /><span class="long">{t('editor.add_page')}</span></button>}
        </nav>
    );
}
