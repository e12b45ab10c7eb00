/** Arrow keys and swipes follow the links to other pages, so that the address bar and the back button work as ever. */

/** How far a finger moves, in pixels, to turn the page. */
const SWIPE = 50;

/** The elements that use arrow keys themselves. */
const own = 'input, textarea, select, audio, video, [contenteditable]';

function follow(key: string): boolean {
    const link = document.querySelector<HTMLAnchorElement>(`a[data-key="${key}"]`);
    link?.click();
    return link !== null;
}

let from: Touch | undefined;

/** The key that a movement stands for: a finger that moves to the left brings the page on the right. */
function keyOf(x: number, y: number): string | undefined {
    if (Math.max(Math.abs(x), Math.abs(y)) < SWIPE) {
        return undefined;
    }

    return Math.abs(x) > Math.abs(y) ? (x < 0 ? 'ArrowRight' : 'ArrowLeft') : undefined;
}

/** @param swiped where fingers turn the page */
export function followKeysAndSwipes(swiped = document.querySelector<HTMLElement>('.sheet')): void {
    addEventListener('keydown', (event) => {
        const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
        const isBusy = target instanceof Element && target.closest(own) !== null;
        if (/^Arrow/.test(key) && !isBusy && !(altKey || ctrlKey || metaKey || shiftKey) && follow(key)) {
            event.preventDefault();
        }
    });

    swiped?.addEventListener('touchstart', ({ touches }) => {
        from = touches.length === 1 ? touches[0] : undefined;
    }, { passive: true });
    swiped?.addEventListener('touchend', ({ changedTouches: [to] }) => {
        const key = from !== undefined && to !== undefined ? keyOf(to.clientX - from.clientX, to.clientY - from.clientY) : undefined;
        from = undefined;
        if (key !== undefined) {
            follow(key);
        }
    }, { passive: true });
}
