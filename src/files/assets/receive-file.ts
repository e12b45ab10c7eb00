import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { finished } from 'node:stream';
import type { Readable } from 'node:stream';

import { fault } from '../../api/errors/errors';
import { bodyTimer, bodyTooLarge, discardBody } from '../../api/request/receive-body';
import type { BodyTimes } from '../../api/request/receive-body';

/**
 * Bytes that may wait to be written to a file. With fewer, each chunk that arrives is a write of its own, and the next one waits for it.
 */
const AT_A_TIME = 512 * 1024;

/** Bytes that have arrived, in a file. */
export interface ReceivedFile {
    file: string;
    /** SHA-256 in hex */
    hash: string;
    size: number;
}

export interface FileLimits {
    /** the folder that the file is made in */
    folder: string;
    /** most bytes, also after decompression */
    most: number;
}

/** Waits until a file is closed, or could not be opened. */
const closed = (file: WriteStream): Promise<void> => new Promise((resolve) => {
    finished(file, () => resolve());
});

/** Removes a file, if it is still there. */
export const deleteFile = (file: string): Promise<void> => rm(file, { force: true });

/**
 * Writes the body of a request to a file, which is not brought to the disk yet. At most a few chunks of it are in memory. If there is an
 * error, no file stays, and what is left of the body is thrown away as it comes.
 * @param source the request itself, or a stream that decompresses it
 * @throws 408 if the body does not begin or end in time, 413 if it is too large, 400 if it is cut short or not in its encoding
 */
export async function receiveFile(
    request: IncomingMessage, source: Readable, { folder, most }: FileLimits, times: BodyTimes
): Promise<ReceivedFile> {
    if (Number(request.headers['content-length']) > most) {
        throw bodyTooLarge(most);
    }

    const file = join(folder, randomUUID());
    const hash = createHash('sha256');
    let size = 0;
    const out = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: AT_A_TIME });
    try {
        await new Promise<void>((resolve, reject) => {
            const stopTimer = bodyTimer(request, times, reject);
            for (const stream of new Set([request, source])) {
                // Also if it failed while the caller was looked up.
                finished(stream, { writable: false }, (error) => {
                    if (error) {
                        reject(fault('malformed_body'));
                    }
                });
            }

            out.on('error', reject).on('drain', () => source.resume()).on('close', () => {
                stopTimer();
                resolve();
            });
            source.on('data', (chunk: Buffer) => {
                size += chunk.length;
                if (size > most) {
                    reject(bodyTooLarge(most));
                }
                else {
                    hash.update(chunk);
                    if (!out.write(chunk)) {
                        source.pause();
                    }
                }
            }).on('end', () => out.end());
        });
    }
    catch (error) {
        out.destroy();
        source.removeAllListeners('data');
        discardBody(request, source);
        // It may still be about to be made.
        await closed(out);
        await deleteFile(file);
        throw error;
    }

    return { file, hash: hash.digest('hex'), size };
}

/** Brings a file to the disk. @returns its size in bytes */
export async function syncFile(file: string): Promise<number> {
    const handle = await open(file, 'r');
    try {
        await handle.sync();
        return (await handle.stat()).size;
    }
    finally {
        await handle.close();
    }
}
