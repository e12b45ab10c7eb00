import { Splitter } from './splitter';
import type { SplitOptions, SplitValue } from './splitter';

/**
 * Splits a JSON text of any size, in UTF-8, into values that fit into memory: the elements of arrays that are split, and each object that is
 * split, once all of it was read, with empty ones in the place of what is split in it. The values are not parsed: whoever takes one finds out
 * whether it is JSON.
 * @throws NotJson with the place in bytes
 */
export async function* splitJson(chunks: AsyncIterable<Buffer>, options: SplitOptions): AsyncGenerator<SplitValue> {
    const splitter = new Splitter(options);
    for await (const chunk of chunks) {
        yield* splitter.read(chunk);
    }

    splitter.end();
}
