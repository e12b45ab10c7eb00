/** A page, where it is to be, and whether it keeps that place if another one is to be there too. */
export interface Placed {
    id: string;
    x: number;
    y: number;
    keeps: boolean;
}

const keyOf = ({ x, y }: Pick<Placed, 'x' | 'y'>): string => `${x} ${y}`;

/**
 * Finds places for pages of which two may be to be at the same one: the other goes to the next free place to its right.
 * @returns those that go elsewhere
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
