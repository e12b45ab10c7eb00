import type { Change } from './changes.js';

/** The change of a page that may move, and its index in the list of changes. */
export interface PageUpdate {
    change: Extract<Change, { type: 'pages'; method: 'update' }>;
    index: number;
}

/** A page update, or a page that is moved out of the way until its update. */
export type MoveStep = PageUpdate & { park: boolean };

type Place = { x?: number; y?: number };

/** The place of a page; undefined if it is unknown. */
const placeOf = ({ x, y }: Place): string | undefined => (x === undefined || y === undefined ? undefined : `${x},${y}`);

const destinationOf = ({ change: { base, data } }: PageUpdate): string | undefined => placeOf({ x: data.x ?? base.x, y: data.y ?? base.y });

/**
 * Sorts page updates so that no page moves to a place where another one still is: a bulk runs one action after the other, and
 * two pages may never share a place. If pages swap places, one of them is first moved out of the way.
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
