import { createHash, randomUUID } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import type { Request } from '@hapi/hapi';

import { fault } from '../errors/errors';
import type { ClientLimits } from './client-limits';
import type { BodyLimits } from './receive-body';
import { bodyTooLarge, receiveInto } from './receive-body';

/** A request body in a file. */
export interface SpooledBody {
    handle: FileHandle;
    /** bytes */
    size: number;
    /** SHA-256 of all bytes */
    digest: Buffer;
}

/**
 * Receives a request body into a file, whatever its size: little of it is in memory at a time. The file has no name, so that nothing is left
 * of it when it is closed, or the process ends. The caller closes it.
 * @param folder where the file is made
 * @throws as `receiveInto` does; 413 at once if the body is announced as too large; 503 if the disk is full
 */
export async function spoolBody(request: Pick<Request, 'headers' | 'payload' | 'raw'>, folder: string, limits: BodyLimits, times: ClientLimits): Promise<SpooledBody> {
    const { headers, payload, raw } = request;
    if (Number(headers['content-length']) > limits.most) {
        throw bodyTooLarge(limits.most);
    }

    const name = join(folder, `pagewright-${randomUUID()}`);
    const handle = await open(name, 'wx+', 0o600);
    try {
        await unlink(name);
        const hash = createHash('sha256');
        const size = payload instanceof Readable ? await receiveToFile(handle, hash, payload, raw.req, limits, times) : 0;
        return { handle, size, digest: hash.digest() };
    }
    catch (error) {
        await handle.close();
        throw error;
    }
}

async function receiveToFile(
    handle: FileHandle, hash: Hash, source: Readable, request: Request['raw']['req'], limits: BodyLimits, times: ClientLimits
): Promise<number> {
    const failed = new AbortController();
    const sink = {
        length: 0,
        add: (chunk: Buffer): number => {
            sink.length += chunk.length;
            hash.update(chunk);
            // Nothing more is taken, nor does the body end, before this is written.
            source.pause();
            handle.appendFile(chunk).then(() => source.resume(), (error: Error) => failed.abort(isFull(error) ? fault('storage_full') : error));
            return 0;
        }
    };
    await receiveInto(sink, request, source, limits, times, failed.signal);
    return sink.length;
}

const isFull = (error: Error): boolean => 'code' in error && error.code === 'ENOSPC';
