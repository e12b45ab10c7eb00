import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Present } from '../../client/src/index.js';
import { pageHeight, pageWidth } from '../../client/src/render/index';
import { Face } from '../../src/site/face';
import type { Editor } from './editor.js';
import { layAround } from './gestures.js';
import { colorOf } from './presence.js';

/** Of more people than this, only a number is shown. */
const MAX_SHOWN = 4;

/** Who else has the project open. Their faces lead to the pages where they are. */
export function Others({ editor }: { editor: Editor }): JSX.Element {
    const { t, presence: { others } } = editor;
    const face = (one: Present): JSX.Element => {
        const { user: { id, username }, page } = one;
        const there = editor.doc.pages.find((sheet) => sheet.id === editor.saving.ids.here('pages', page ?? ''));
        const words = there === undefined ? username : t('editor.other_on_page', { name: username, number: editor.numberOfPage(there) });
        return (
            <li key={id}>
                <button type="button" class="other" title={words} aria-label={words} style={{ '--theirs': colorOf(one) }} onClick={() => there !== undefined && editor.showPage(there.id)}><Face username={username} size={28} /></button>
            </li>
        );
    };

    return (
        <ul class="others" aria-label={t('editor.others')}>
            {others.slice(0, MAX_SHOWN).map(face)}
            {others.length > 1 && <li class={`more${others.length > MAX_SHOWN ? '' : ' narrow'}`}><span class="long">+{others.length - MAX_SHOWN}</span><span class="short">+{others.length - 1}</span></li>}
        </ul>
    );
}

interface OnPageProps {
    editor: Editor;
    /** the node of an element on the page */
    nodeOf: (id: string) => HTMLElement | null;
}

/** The selections and pointers of others on the page that is shown. For the eye only: the faces say who is where. */
export function OthersOnPage({ editor, nodeOf }: OnPageProps): JSX.Element {
    const { page, presence, past, saving: { ids } } = editor;
    const layer = useRef<HTMLDivElement>(null);
    // The height of what is chosen may follow from its text.
    useLayoutEffect(() => {
        for (const box of layer.current?.querySelectorAll<HTMLElement>('[data-of]') ?? []) {
            const node = nodeOf(String(box.dataset.of));
            box.hidden = node === null;
            if (node !== null) {
                layAround(box, node);
            }
        }
    });

    const here = past === null ? presence.others.filter((one) => one.page !== null && ids.here('pages', one.page) === page?.id) : [];
    return (
        <div ref={layer} class="others-on-page" aria-hidden="true">
            {here.map((one) => {
                const { user: { id, username }, selected, cursor } = one;
                const theirs = { '--theirs': colorOf(one) };
                return [
                    ...selected.map((element, index) => <div key={`${id} ${element}`} class="other-chosen" data-of={ids.here('elements', element)} style={theirs}>{index === 0 && <span class="other-name" dir="auto">{username}</span>}</div>),
                    cursor !== null && (
                        <div key={id} class="other-cursor" style={{ ...theirs, left: `${cursor.left * 100 / pageWidth}%`, top: `${cursor.top * 100 / pageHeight}%` }}>
                            <svg viewBox="0 0 16 16" width="16" height="16"><path d="M1 1l5 14 2.5-6 6-2.5z" /></svg>
                            {selected.length === 0 && <span class="other-name" dir="auto">{username}</span>}
                        </div>
                    )
                ];
            })}
        </div>
    );
}
