/** A page, its new place, and whether it keeps that place if another page gets the same one. */
export interface Placed {
    id: string;
    x: number;
    y: number;
    keeps: boolean;
}

const keyOf = ({ x, y }: Pick<Placed, 'x' | 'y'>): string => `${x} ${y}`;

/**
 * Finds places for pages. If two pages want the same place, one of them goes to the next free place to its right.
 * @returns the pages that were moved
 */
export function findPlaces(pages: readonly Placed[]): Placed[] {
    const taken = new Set<string>();
    const others: Placed[] = [];
    for (const page of [...pages.filter(({ keeps }) => keeps), ...pages.filter(({ keeps }) => !keeps)]) {
        if (taken.has(keyOf(page))) {
            others.push(page);
        }

        taken.add(keyOf(page));
    }

    return others.map((page) => {
        let { x } = page;
        while (taken.has(keyOf({ x, y: page.y }))) {
            // From the last column to the first one.
            x = x + 1 | 0;
        }

        taken.add(keyOf({ x, y: page.y }));
        return { ...page, x };
    });
}
