import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { workQueue } from '../../api/concurrency/work-queue';
import type { Turn } from '../../api/concurrency/work-queue';
import { overloadedError } from '../../api/protection/refusals';
import { doTask } from './file-work';
import type { FilePool } from './file-work';
import { deleteFile, syncFile } from './receive-file';
import { storedName, typeOfSize } from './storage';
import type { AssetStorage, Size } from './storage';

/** Milliseconds that a picture may have to wait for others to be scaled. */
const LONGEST_WAIT = 10_000;

/**
 * Scales a picture, unless that has been done.
 * @param signal that the caller has left: the work ends when all have that wait for it
 * @returns the size of the result in bytes
 */
export type Scale = (hash: string, size: Size, turn: Turn, signal: AbortSignal) => Promise<number>;

/** A picture that is being scaled in this process, and how many wait for it. */
interface Making {
    size: Promise<number>;
    waiting: number;
    end: AbortController;
}

/**
 * Scaled pictures: each is made once, and kept beside the original for as long as that is. There are six sizes, so they can only be as
 * many as the uploads allow. Two instances may make the same one at once; both make the same bytes.
 */
export function pictureScaler(storage: AssetStorage, pool: FilePool): Scale {
    // Also bounds the copies of originals.
    const scaling = workQueue(2, 1);
    const under = new Map<string, Making>();

    const make = async (hash: string, size: Size, turn: Turn, signal: AbortSignal): Promise<number> => {
        const [from, to] = [join(storage.incoming, randomUUID()), join(storage.incoming, randomUUID())];
        try {
            await pipeline(await storage.open(storedName(hash)), createWriteStream(from, { flags: 'wx', mode: 0o600 }), { signal });
            await doTask(pool, { kind: 'scale', from, size, to }, turn, signal);
            const bytes = await syncFile(to);
            await storage.put(storedName(hash, size), to, typeOfSize(size));
            return bytes;
        }
        finally {
            await Promise.all([deleteFile(from), deleteFile(to)]);
        }
    };

    const begin = (name: string, work: (signal: AbortSignal) => Promise<number>): Making => {
        const end = new AbortController();
        const making = { end, waiting: 0, size: work(end.signal) };
        under.set(name, making);
        const forget = (): void => {
            if (under.get(name) === making) {
                under.delete(name);
            }
        };

        making.size.then(forget, forget);
        return making;
    };

    return async (hash, size, turn, signal) => {
        const name = storedName(hash, size);
        const bytes = await storage.size(name);
        if (bytes !== undefined) {
            return bytes;
        }

        signal.throwIfAborted();
        if (!under.has(name) && scaling.wait(turn) > LONGEST_WAIT) {
            throw overloadedError();
        }

        const making = under.get(name) ?? begin(name, (end) => scaling.run(() => make(hash, size, turn, end), turn, end));
        making.waiting++;
        const leave = (): void => {
            if (--making.waiting === 0) {
                under.delete(name);
                making.end.abort(signal.reason);
            }
        };

        signal.addEventListener('abort', leave, { once: true });
        try {
            return await making.size;
        }
        finally {
            signal.removeEventListener('abort', leave);
        }
    };
}
