import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import { ZipFile } from 'yazl';

/** A file in a zip that is written. */
export interface NewEntry {
    name: string;
    content: AsyncIterable<string | Buffer>;
    /** false for what is compressed already */
    compress?: boolean;
}

/** Bytes of a zip that are made before the client takes them. */
const READ_AHEAD = 2 * 1024 * 1024;

/** The first time that a zip can state: the same project makes the same zip. */
const EPOCH = new Date(1980, 0, 1);

/**
 * A zip that is made while it is read, so that only what is on its way is in memory. If a file of it cannot be made, the stream fails with
 * that error before the directory at the end of the zip is written, so nobody can take it for a whole one. If its reader goes away, the generators end; and
 * they do not begin before somebody reads it.
 */
export function zipOf(entries: AsyncGenerator<NewEntry>): Readable {
    let made: Promise<void> | undefined;
    const output: PassThrough = new PassThrough({
        readableHighWaterMark: READ_AHEAD,
        read: (size) => {
            made ??= write().catch((error: Error) => void output.destroy(error));
            PassThrough.prototype._read.call(output, size);
        }
    });
    const zip = new ZipFile();
    zip.outputStream.pipe(output);

    const write = async (): Promise<void> => {
        for await (const { name, content, compress = true } of entries) {
            const source = Readable.from(content, { objectMode: false });
            const stop = (): unknown => source.destroy(new Error('Nobody reads the zip any more'));
            if (output.destroyed) {
                stop();
            }

            output.once('close', stop);
            zip.addReadStream(source, name, { compress, mtime: EPOCH, forceDosTimestamp: true });
            await finished(source, { writable: false });
            output.off('close', stop);
        }

        zip.end();
    };

    return output;
}
