/** Pieces of text that are joined at a time: an array of millions would take more memory than the text. */
const PIECES = 4096;

/** Text that is put together from pieces of the one that is read. */
export class Pieces {
    #joined: string[] = [];
    #pieces: string[] = [];

    add(piece: string): void {
        if (this.#pieces.push(piece) === PIECES) {
            this.#joined.push(this.#pieces.join(''));
            this.#pieces = [];
        }
    }

    join(): string {
        return [...this.#joined, ...this.#pieces].join('');
    }
}
