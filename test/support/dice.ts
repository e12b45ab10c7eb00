/** Random choices from a seed: the same each time, except for what is in progress when something is killed. */
export class Dice {
    #state: number;

    constructor(seed: number) {
        this.#state = seed >>> 0;
    }

    /** A number of at least 0 and below 1: a Weyl sequence whose bits are mixed by two multiplications. */
    next(): number {
        this.#state = this.#state + 0x9e3779b9 >>> 0;
        let mixed = Math.imul(this.#state ^ this.#state >>> 16, 0x21f0aaad);
        mixed = Math.imul(mixed ^ mixed >>> 15, 0x735a2d97);
        return ((mixed ^ mixed >>> 15) >>> 0) / 2 ** 32;
    }

    /** A whole number of at least 0 and below `end`. */
    below(end: number): number {
        return Math.floor(this.next() * end);
    }

    between(least: number, most: number): number {
        return least + this.below(most - least + 1);
    }

    chance(probability: number): boolean {
        return this.next() < probability;
    }

    pick<Thing>(things: readonly Thing[]): Thing | undefined {
        return things[this.below(things.length)];
    }

    /** One of the names, chosen by weight. */
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
        const names = Object.keys(weights) as Name[];
        let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
        return names.find((name) => (left -= weights[name]) < 0) ?? names[0]!;
    }

    /** Independent dice, so that choices do not depend on the order of the throws. */
    split(): Dice {
        return new Dice(this.below(2 ** 32));
    }
}
