import type { JSX } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { pageHeight, pageWidth } from '../../client/src/render/index';
import { isLocked } from './document.js';
import type { Item } from './document.js';
import { Page, drawnWith } from './drawing.js';
import type { Editor } from './editor.js';
import { boxOf, choosing, layAround, moving, pinching, resizing, turning } from './gestures.js';
import type { Gesture, Ground } from './gestures.js';
import { InlineText } from './inline-text.js';
import { OthersOnPage } from './others.js';
import type { Box } from './placing.js';
import { UploadsOnPage } from './uploads-on-page.js';

/** Pixels that a finger or a mouse may move without dragging. */
const STILL = 4;

/** A gesture under way, from where its first pointer went down. */
interface Drag extends Gesture {
    x: number;
    y: number;
    moved: boolean;
}

const corners = ['nw', 'ne', 'sw', 'se'] as const;

const arrows = new Map<string, readonly [x: number, y: number]>([['ArrowLeft', [-1, 0]], ['ArrowRight', [1, 0]], ['ArrowUp', [0, -1]], ['ArrowDown', [0, 1]]]);

/** The page that is edited. */
export function Stage({ editor }: { editor: Editor }): JSX.Element | null {
    const { page, selection: { ids: selected }, canEdit, t, numberOfPage } = editor;
    const stage = useRef<HTMLDivElement>(null);
    const frame = useRef<HTMLDivElement>(null);
    const drag = useRef<Drag | null>(null);
    const pressed = useRef<string | undefined>(undefined);
    const pointers = useRef(new Map<number, { x: number; y: number }>());
    const [marquee, setMarquee] = useState<Box | null>(null);
    const options = useMemo(() => drawnWith(editor.client, Math.min(devicePixelRatio, 2) * 1.5), [editor]);
    const nameOf = useCallback((item: Item) => editor.nameOf(item), [editor]);
    const nodeOf = useCallback((id: string): HTMLElement | null => stage.current?.querySelector<HTMLElement>(`[data-element="${CSS.escape(id)}"]`) ?? null, []);

    const scale = (): number => (stage.current?.clientWidth ?? pageWidth) / pageWidth;
    const [only] = editor.selection.items.length === 1 ? editor.selection.items : [];
    const edited = page?.elements.find(({ id }) => id === editor.typing.id);

    // The frame lies around what is chosen, whose height may follow from its text.
    useLayoutEffect(() => {
        const node = only === undefined ? null : nodeOf(only.id);
        if (frame.current !== null && node !== null) {
            layAround(frame.current, node);
        }
    });

    useEffect(() => {
        editor.view = {
            boxes: () => [...stage.current?.querySelectorAll<HTMLElement>('[data-element]') ?? []].map((node) => ({ ...boxOf(node, scale()), hasWords: node.textContent !== '' })).filter(({ width, height }) => width * height < pageWidth * pageHeight * 0.7),
            sizeOf: (id) => {
                const node = nodeOf(id);
                // A picture without a width has as many units as pixels.
                const unit = node instanceof HTMLImageElement && node.style.width === 'max-content' ? 1 : scale();
                return { width: (node?.offsetWidth ?? 0) / unit, height: (node?.offsetHeight ?? 0) / unit };
            },
            visible: () => {
                const [inside, around] = [stage.current?.getBoundingClientRect(), stage.current?.parentElement?.getBoundingClientRect()];
                if (inside === undefined || around === undefined) {
                    return { left: 0, top: 0, width: pageWidth, height: pageHeight };
                }

                const [left, top, right, bottom] = [Math.max(inside.left, around.left), Math.max(inside.top, around.top), Math.min(inside.right, around.right), Math.min(inside.bottom, around.bottom)];
                return { left: (left - inside.left) / scale(), top: (top - inside.top) / scale(), width: Math.max(0, right - left) / scale(), height: Math.max(0, bottom - top) / scale() };
            }
        };
    }, [editor]);

    if (page === undefined) {
        return null;
    }

    const place = (event: { clientX: number; clientY: number }): { left: number; top: number } => {
        const box = stage.current?.getBoundingClientRect();
        return { left: (event.clientX - (box?.left ?? 0)) / scale(), top: (event.clientY - (box?.top ?? 0)) / scale() };
    };

    const ground = (): Ground => ({ editor, page, scale, nodeOf, frame: frame.current, showMarquee: setMarquee });

    const begin = (event: PointerEvent, gesture: Gesture): void => {
        drag.current = { x: event.clientX, y: event.clientY, moved: false, ...gesture };
    };

    /** The second finger turns what the first one does into a pinch. */
    const pinch = (event: PointerEvent): void => {
        drag.current?.end(false);
        begin(event, pinching(ground(), () => {
            const [one, other] = [...pointers.current.values()];
            const here = { x: event.clientX, y: event.clientY };
            return [one ?? here, other ?? here];
        }));
    };

    const down = (event: JSX.TargetedPointerEvent<HTMLDivElement>): void => {
        const target = event.target instanceof Element ? event.target : null;
        if (!canEdit || event.button !== 0 || target === null || target.closest('.inline-text') !== null) {
            return;
        }

        pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        stage.current?.setPointerCapture(event.pointerId);
        if (pointers.current.size === 2 && editor.selection.items.length > 0) {
            pinch(event);
            return;
        }

        const corner = target.closest<HTMLElement>('[data-corner]')?.dataset.corner;
        if (corner !== undefined && only !== undefined) {
            event.preventDefault();
            begin(event, corner === 'turn' ? turning(ground(), only, place(event)) : resizing(ground(), only, corner));
            return;
        }

        const id = target.closest<HTMLElement>('[data-element]')?.dataset.element;
        const item = page.elements.find((one) => one.id === id);
        pressed.current = item?.id;
        if (item === undefined || isLocked(item)) {
            const otherwise = item === undefined ? [] : [item.id];
            if (event.pointerType === 'mouse') {
                begin(event, choosing(ground(), place(event), otherwise));
            }
            else {
                editor.selection.select(otherwise);
            }

            return;
        }

        const wasChosen = selected.has(item.id);
        if (event.shiftKey || event.ctrlKey || event.metaKey || editor.choosesSeveral) {
            editor.selection.toggle(item.id);
        }
        else if (!wasChosen) {
            editor.selection.select([item.id]);
        }

        nodeOf(item.id)?.focus({ preventScroll: true });
        begin(event, moving(ground(), item.id, wasChosen));
    };

    const move = (event: JSX.TargetedPointerEvent<HTMLDivElement>): void => {
        const { current } = drag;
        editor.presence.point(place(event));
        if (pointers.current.has(event.pointerId)) {
            pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        }

        if (current === null) {
            return;
        }

        const [x, y] = [event.clientX - current.x, event.clientY - current.y];
        current.moved ||= pointers.current.size === 2 || Math.hypot(x, y) > STILL;
        if (current.moved) {
            editor.dragging = true;
            current.move(x / scale(), y / scale(), event.shiftKey);
        }
    };

    const up = (event: JSX.TargetedPointerEvent<HTMLDivElement>): void => {
        const { current } = drag;
        pointers.current.delete(event.pointerId);
        drag.current = null;
        editor.dragging = false;
        current?.end(current.moved);
        editor.saving.flush();
    };

    const key = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>): void => {
        const id = event.target instanceof HTMLElement ? event.target.dataset.element : undefined;
        if (id === undefined || !canEdit || event.ctrlKey || event.metaKey) {
            return;
        }

        const arrow = arrows.get(event.key);
        if (arrow !== undefined) {
            event.preventDefault();
            if (!selected.has(id)) {
                editor.selection.select([id]);
            }

            const step = event.shiftKey ? 10 : 1;
            editor.arranging[event.altKey ? 'grow' : 'nudge'](arrow[0] * step, arrow[1] * step);
        }
        else if (event.key === ' ') {
            event.preventDefault();
            editor.selection.toggle(id);
        }
        else if (event.key === 'Enter') {
            event.preventDefault();
            editor.selection.select([id]);
            editor.typing.ask();
        }
    };

    const drop = (event: JSX.TargetedDragEvent<HTMLDivElement>): void => {
        event.preventDefault();
        const files = [...event.dataTransfer?.files ?? []];
        if (canEdit && files.length > 0) {
            void editor.adding.addFiles(files, place(event));
        }
    };

    // The pointer is captured, so that the event itself does not say what was pressed.
    const write = (): void => {
        if (canEdit && pressed.current !== undefined) {
            editor.selection.select([pressed.current]);
            editor.typing.ask();
        }
    };

    return (
        <div
            ref={stage} class={`stage${canEdit ? '' : ' still'}${selected.size > 0 ? ' choosing' : ''}`} role="group" aria-label={t('editor.stage', { number: numberOfPage(page) })} aria-describedby="stage-keys" tabIndex={-1}
            onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={up} onPointerLeave={() => editor.presence.point(null)} onKeyDown={key}
            onDblClick={write} onDragStart={(event) => event.preventDefault()} onDragOver={(event) => event.preventDefault()} onDrop={drop}
        >
            <Page page={page} options={options} selected={canEdit ? selected : null} nameOf={nameOf} />
            <OthersOnPage editor={editor} nodeOf={nodeOf} />
            <UploadsOnPage editor={editor} nodeOf={nodeOf} />
            {canEdit && only !== undefined && <div ref={frame} class="frame" aria-hidden="true">{!isLocked(only) && [...corners, 'turn'].map((corner) => <span key={corner} class={`handle ${corner}`} data-corner={corner} />)}</div>}
            {canEdit && edited !== undefined && <InlineText key={edited.id} editor={editor} item={editor.selection.inOurWords(edited)} nodeOf={nodeOf} />}
            <p id="stage-keys" hidden>{t('editor.keys')}</p>
            {marquee !== null && <div class="marquee" style={{ left: `${marquee.left * 100 / pageWidth}%`, top: `${marquee.top * 100 / pageHeight}%`, width: `${marquee.width * 100 / pageWidth}%`, height: `${marquee.height * 100 / pageHeight}%` }} />}
            {page.elements.length === 0 && canEdit && <p class="empty">{t('editor.empty')}</p>}
        </div>
    );
}
