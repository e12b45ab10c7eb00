/** Pieces of text that are joined at a time: an array of millions would take more memory than the text. */
const PIECES = 4096;

/** Text that is put together from pieces of the one that is read. */
export class TextPieces {
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

/** JSON text in which a name stands in the place of each object that was taken out. */
export class Skeleton<Value> extends TextPieces {
    /** the objects by their names */
    readonly objects = new Map<unknown, Value>();
    readonly #secret: string;

    /** @param secret a UUID that nobody can have sent; the names begin with it */
    constructor(secret: string) {
        super();
        this.#secret = secret;
    }

    put(object: Value): void {
        const name = `${this.#secret}${this.objects.size}`;
        this.objects.set(name, object);
        this.add(`"${name}"`);
    }
}
