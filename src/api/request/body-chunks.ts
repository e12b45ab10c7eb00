/** Bytes of a chunk from which on it is kept as it came. Smaller ones are copied together once there are many: each has an object of its own. */
const SMALL = 1024;
/** Chunks of any size that are kept as they came: nearly every body has fewer. */
const FEW = 16;
/** Bytes of a buffer that small chunks are copied to. */
const BLOCK = 16 * 1024;
/** Bytes of memory that a chunk takes besides its length. */
const FOR_CHUNK = 256;

/** The bytes of a body as they arrive. */
export class BodyChunks {
    length = 0;
    readonly #chunks: Buffer[] = [];
    #block = Buffer.alloc(0);
    #used = 0;

    /** @returns the bytes of memory that this takes */
    add(chunk: Buffer): number {
        this.length += chunk.length;
        if (chunk.length >= SMALL || this.#chunks.length < FEW) {
            this.#endBlock();
            this.#chunks.push(chunk);
            return chunk.length + FOR_CHUNK;
        }

        const isFull = this.#used + chunk.length > this.#block.length;
        if (isFull) {
            this.#endBlock();
            this.#block = Buffer.allocUnsafeSlow(BLOCK);
        }

        const isNew = this.#used === 0;
        this.#used += chunk.copy(this.#block, this.#used);
        return (isFull ? BLOCK : 0) + (isNew ? FOR_CHUNK : 0);
    }

    joined(): Buffer {
        this.#endBlock();
        const [first = Buffer.alloc(0), ...others] = this.#chunks;
        return others.length === 0 ? first : Buffer.concat(this.#chunks, this.length);
    }

    #endBlock(): void {
        if (this.#used > 0) {
            this.#chunks.push(this.#block.subarray(0, this.#used));
            this.#block = this.#block.subarray(this.#used);
            this.#used = 0;
        }
    }
}
