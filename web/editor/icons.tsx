import type { JSX } from 'preact';

/** Drawn on a square of 24 units, as lines. */
const paths = {
    text: 'M5 6V4h14v2M12 4v16M9 20h6',
    picture: 'M3 5h18v14H3zM3 16l5-5 4 4 3-3 6 6M15.5 9.5h.01',
    shape: 'M4 4h9v9H4zM15.5 21a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11',
    link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
    button: 'M3 8h18v8H3zM8 12h8',
    undo: 'M9 6L4 11l5 5M4 11h10a6 6 0 0 1 0 12h-2',
    redo: 'M15 6l5 5-5 5M20 11H10a6 6 0 0 0 0 12h2',
    plus: 'M12 5v14M5 12h14',
    play: 'M7 4l13 8-13 8z',
    share: 'M16 6l-4-4-4 4M12 2v13M5 11v10h14V11',
    history: 'M12 7v5l3 3M3.5 9a9 9 0 1 1-.5 4M3 4v5h5',
    more: 'M5 11v2M12 11v2M19 11v2',
    trash: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6',
    several: 'M3 3h12v12H3zM9 21h12V9M6 9l2 2 4-4',
    paste: 'M9 4h6v3H9zM7 5H5v16h14V5h-2M9 12h6M9 16h6',
    page: 'M6 3h12v18H6zM12 9v6M9 12h6',
    sound: 'M4 9v6h4l5 4V5L8 9zM16.5 8.5a5 5 0 0 1 0 7M19 6a9 9 0 0 1 0 12',
    record: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M6 11a6 6 0 0 0 12 0M12 17v4',
    stop: 'M7 7h10v10H7z',
    camera: 'M4 8h4l2-3h4l2 3h4v11H4zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7',
    close: 'M6 6l12 12M18 6L6 18'
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }): JSX.Element {
    return <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d={paths[name]} /></svg>;
}
