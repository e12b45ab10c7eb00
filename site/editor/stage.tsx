import type { JSX } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { pageHeight, pageWidth } from '../../client/src/render/index';
import { Page, drawnWith } from './drawing.js';
import type { Editor } from './editor.js';
import type { Item } from './document.js';

/** Pixels that a finger or a mouse may move without dragging. */
const STILL = 4;

/** Things that are dragged as layers of their own, which take memory. */
const MOST_LAYERS = 20;

/** Smallest size that a handle makes, in units. */
const SMALLEST = 8;

interface Box {
    left: number;
    top: number;
    width: number;
    height: number;
}

/** What a pointer that is down does with the units that it has moved. */
interface Drag {
    x: number;
    y: number;
    moved: boolean;
    move: (x: number, y: number) => void;
    /** when it is up again. @param moved whether it has dragged */
    end: (moved: boolean) => void;
}

const corners = ['nw', 'ne', 'sw', 'se'] as const;

const arrows = new Map<string, readonly [x: number, y: number]>([['ArrowLeft', [-1, 0]], ['ArrowRight', [1, 0]], ['ArrowUp', [0, -1]], ['ArrowDown', [0, 1]]]);

const unitsOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The page that is edited. */
export function Stage({ editor }: { editor: Editor }): JSX.Element | null {
    const { page, selected, canEdit, t } = editor;
    const stage = useRef<HTMLDivElement>(null);
    const frame = useRef<HTMLDivElement>(null);
    const drag = useRef<Drag | null>(null);
    const [marquee, setMarquee] = useState<Box | null>(null);
    const options = useMemo(() => drawnWith(editor.client, Math.min(devicePixelRatio, 2) * 1.5), [editor]);
    const nameOf = useCallback((item: Item) => editor.nameOf(item), [editor]);

    const nodeOf = (id: string): HTMLElement | null => stage.current?.querySelector<HTMLElement>(`[data-element="${CSS.escape(id)}"]`) ?? null;
    const scale = (): number => (stage.current?.clientWidth ?? pageWidth) / pageWidth;
    const [only] = editor.chosen.length === 1 ? editor.chosen : [];

    // The frame lies around what is chosen, whose height may follow from its text.
    useLayoutEffect(() => {
        const node = only === undefined ? null : nodeOf(only.id);
        if (frame.current !== null && node !== null) {
            const { offsetLeft, offsetTop, offsetWidth, offsetHeight, style: { transform } } = node;
            Object.assign(frame.current.style, { left: `${offsetLeft}px`, top: `${offsetTop}px`, width: `${offsetWidth}px`, height: `${offsetHeight}px`, transform });
        }
    });

    if (page === undefined) {
        return null;
    }

    const place = (event: { clientX: number; clientY: number }): { left: number; top: number } => {
        const box = stage.current?.getBoundingClientRect();
        return { left: (event.clientX - (box?.left ?? 0)) / scale(), top: (event.clientY - (box?.top ?? 0)) / scale() };
    };

    const moving = (id: string, wasChosen: boolean): Pick<Drag, 'move' | 'end'> => {
        const starts = editor.chosen.map((item) => ({ id: item.id, node: nodeOf(item.id), left: unitsOf(item.styles.left), top: unitsOf(item.styles.top) }));
        const unit = scale();
        let [right, down] = [0, 0];
        // A browser moves these few without painting the page anew.
        const layer = starts.length <= MOST_LAYERS ? 'translate' : '';
        const shift = (translate: string): void => [...starts.map(({ node }) => node), frame.current].forEach((node) => {
            node?.style.setProperty('will-change', translate && layer);
            node?.style.setProperty('translate', translate);
        });
        return {
            // Until it is dropped, nothing is drawn anew and nothing is saved: what is chosen is only shown elsewhere.
            move: (x, y) => {
                [right, down] = [Math.round(x), Math.round(y)];
                shift(`${right * unit}px ${down * unit}px`);
            },
            end: (moved) => {
                shift('');
                if (moved) {
                    starts.forEach(({ id: one, left, top }) => editor.changeOne(one, { left: left + right, top: top + down }));
                }
                else if (wasChosen && !editor.choosesSeveral) {
                    editor.select([id]);
                }
            }
        };
    };

    const resizing = (item: Item, corner: string): Pick<Drag, 'move' | 'end'> => {
        const node = nodeOf(item.id);
        const start: Box = { left: unitsOf(item.styles.left), top: unitsOf(item.styles.top), width: (node?.offsetWidth ?? 0) / scale(), height: (node?.offsetHeight ?? 0) / scale() };
        const hasHeight = typeof item.styles.height === 'number';
        return {
            move: (x, y) => {
                const width = Math.max(SMALLEST, Math.round(start.width + (corner.endsWith('e') ? x : -x)));
                const height = Math.max(SMALLEST, Math.round(start.height + (corner.startsWith('s') ? y : -y)));
                editor.changeOne(item.id, {
                    width, ...hasHeight || Math.abs(y) > 12 ? { height } : {},
                    ...corner.endsWith('w') ? { left: Math.round(start.left + start.width - width) } : {},
                    ...corner.startsWith('n') && hasHeight ? { top: Math.round(start.top + start.height - height) } : {}
                });
            },
            end: () => undefined
        };
    };

    const choosing = (from: { left: number; top: number }): Pick<Drag, 'move' | 'end'> => {
        let box: Box = { ...from, width: 0, height: 0 };
        return {
            move: (x, y) => {
                box = { left: Math.min(from.left, from.left + x), top: Math.min(from.top, from.top + y), width: Math.abs(x), height: Math.abs(y) };
                setMarquee(box);
            },
            end: (moved) => {
                setMarquee(null);
                editor.select(moved ? page.elements.filter(({ id }) => {
                    const node = nodeOf(id);
                    const [left = 0, top = 0, width = 0, height = 0] = [node?.offsetLeft, node?.offsetTop, node?.offsetWidth, node?.offsetHeight].map((pixels) => (pixels ?? 0) / scale());
                    return node !== null && left < box.left + box.width && left + width > box.left && top < box.top + box.height && top + height > box.top;
                }).map(({ id }) => id) : []);
            }
        };
    };

    const begin = (event: PointerEvent, more: Pick<Drag, 'move' | 'end'>): void => {
        drag.current = { x: event.clientX, y: event.clientY, moved: false, ...more };
        stage.current?.setPointerCapture(event.pointerId);
    };

    const down = (event: JSX.TargetedPointerEvent<HTMLDivElement>): void => {
        const target = event.target instanceof Element ? event.target : null;
        if (!canEdit || event.button !== 0 || target === null) {
            return;
        }

        const corner = target.closest<HTMLElement>('[data-corner]')?.dataset.corner;
        if (corner !== undefined && only !== undefined) {
            event.preventDefault();
            begin(event, resizing(only, corner));
            return;
        }

        const id = target.closest<HTMLElement>('[data-element]')?.dataset.element;
        if (id === undefined) {
            if (event.pointerType === 'mouse') {
                begin(event, choosing(place(event)));
            }
            else {
                editor.select([]);
            }

            return;
        }

        const wasChosen = selected.has(id);
        if (event.shiftKey || event.ctrlKey || event.metaKey || editor.choosesSeveral) {
            editor.toggle(id);
        }
        else if (!wasChosen) {
            editor.select([id]);
        }

        nodeOf(id)?.focus({ preventScroll: true });
        begin(event, moving(id, wasChosen));
    };

    const move = (event: JSX.TargetedPointerEvent<HTMLDivElement>): void => {
        const { current } = drag;
        if (current === null) {
            return;
        }

        const [x, y] = [event.clientX - current.x, event.clientY - current.y];
        current.moved ||= Math.hypot(x, y) > STILL;
        if (current.moved) {
            editor.dragging = true;
            current.move(x / scale(), y / scale());
        }
    };

    const up = (): void => {
        const { current } = drag;
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
                editor.select([id]);
            }

            const step = event.shiftKey ? 10 : 1;
            editor[event.altKey ? 'grow' : 'nudge'](arrow[0] * step, arrow[1] * step);
        }
        else if (event.key === ' ') {
            event.preventDefault();
            editor.toggle(id);
        }
        else if (event.key === 'Enter') {
            event.preventDefault();
            editor.select([id]);
            editor.askForText();
        }
    };

    const drop = (event: JSX.TargetedDragEvent<HTMLDivElement>): void => {
        event.preventDefault();
        const files = [...event.dataTransfer?.files ?? []];
        if (canEdit && files.length > 0) {
            void editor.addFiles(files, place(event));
        }
    };

    return (
        <div
            ref={stage} class={`stage${canEdit ? '' : ' still'}`} role="group" aria-label={t('editor.stage', { x: page.x, y: page.y })} aria-describedby="stage-keys" tabIndex={-1}
            onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={up} onKeyDown={key}
            onDblClick={() => editor.askForText()} onDragOver={(event) => event.preventDefault()} onDrop={drop}
        >
            <Page page={page} options={options} selected={canEdit ? selected : null} nameOf={nameOf} />
            {canEdit && only !== undefined && <div ref={frame} class="frame" aria-hidden="true">{corners.map((corner) => <span key={corner} class={`handle ${corner}`} data-corner={corner} />)}</div>}
            <p id="stage-keys" hidden>{t('editor.keys')}</p>
            {marquee !== null && <div class="marquee" style={{ left: `${marquee.left * 100 / pageWidth}%`, top: `${marquee.top * 100 / pageHeight}%`, width: `${marquee.width * 100 / pageWidth}%`, height: `${marquee.height * 100 / pageHeight}%` }} />}
            {page.elements.length === 0 && canEdit && <p class="empty">{t('editor.empty')}</p>}
        </div>
    );
}
