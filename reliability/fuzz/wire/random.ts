/** Random numbers from a seed (splitmix32), so that each input can be repeated with its own seed. */
export class Random {
    #state: number;

    constructor(seed: number) {
        this.#state = seed | 0;
    }

    #next(): number {
        this.#state = this.#state + 0x9E3779B9 | 0;
        let mixed = Math.imul(this.#state ^ this.#state >>> 16, 0x21F0AAAD);
        mixed = Math.imul(mixed ^ mixed >>> 15, 0x735A2D97);
        return (mixed ^ mixed >>> 15) >>> 0;
    }

    /** A whole number from 0 to one less than the limit. */
    below(limit: number): number {
        return this.#next() % limit;
    }

    /** @throws RangeError if the list is empty */
    pick<T>(some: readonly T[]): T {
        const one = some[this.below(Math.max(1, some.length))];
        if (one === undefined) {
            throw new RangeError('The list to choose from is empty');
        }

        return one;
    }

    bytes(length: number): Buffer {
        return Buffer.from(Array.from({ length }, () => this.below(256)));
    }

    /** Text of random characters from the given letters. */
    text(length: number, letters: string): string {
        return Array.from({ length }, () => letters[this.below(letters.length)]).join('');
    }
}
