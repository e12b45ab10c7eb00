import type { Change } from './changes.js';

/** The change of a page that may move, and its place among the changes. */
export interface PageUpdate {
    change: Extract<Change, { type: 'pages'; method: 'update' }>;
    index: number;
}

/** A page update to be made, or a page to be put out of the way until it is. */
export type MoveStep = PageUpdate & { park: boolean };

type Place = { x?: number; y?: number };

/** Where something is; undefined where that is not known. */
const placeOf = ({ x, y }: Place): string | undefined => (x === undefined || y === undefined ? undefined : `${x},${y}`);

const destinationOf = ({ change: { base, data } }: PageUpdate): string | undefined => placeOf({ x: data.x ?? base.x, y: data.y ?? base.y });

/**
 * Puts page updates into an order in which no page comes to where another one of them still is: a bulk runs one action after the
 * other, and no two pages may be at one place even in between. Of pages that change places, one is put out of the way.
 */
export function orderMoves(updates: readonly PageUpdate[]): MoveStep[] {
    const holders = new Map<string | undefined, PageUpdate>();
    for (const update of updates) {
        holders.set(placeOf(update.change.base), update);
    }

    const steps: MoveStep[] = [];
    const done = new Set<PageUpdate>();

    const leave = (update: PageUpdate, park: boolean): void => {
        steps.push({ ...update, park });
        holders.delete(placeOf(update.change.base));
    };

    const settle = (update: PageUpdate, waiting: ReadonlySet<PageUpdate>): void => {
        const destination = destinationOf(update);
        const holder = destination === undefined ? undefined : holders.get(destination);
        if (holder !== undefined && holder !== update) {
            if (waiting.has(holder)) {
                leave(holder, true);
            }
            else {
                settle(holder, new Set([...waiting, update]));
            }
        }

        leave(update, false);
        done.add(update);
    };

    for (const update of updates) {
        if (!done.has(update)) {
            settle(update, new Set([update]));
        }
    }

    return steps;
}
