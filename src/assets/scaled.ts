import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { workQueue } from '../concurrency/work-queue';
import { overloadedError } from '../http/load/refusals';
import { scalePicture } from './pictures';
import { discard, syncFile } from './receive-file';
import { nameOf } from './storage';
import type { AssetStorage, Width } from './storage';

/** Milliseconds that a picture may have to wait for others to be scaled. */
const LONGEST_WAIT = 10_000;

/** Scales a picture, unless that has been done. @returns the size of the result in bytes */
export type Scale = (hash: string, width: Width, caller: string) => Promise<number>;

/**
 * Scaled pictures: each is made once, and kept beside the original for as long as that is. There are five widths, so they can only be as
 * many as the uploads allow. Two instances may make the same one at once; both make the same bytes.
 */
export function pictureScaler(storage: AssetStorage): Scale {
    const scaling = workQueue(1);
    /** those that are being made in this process */
    const under = new Map<string, Promise<number>>();

    const make = async (hash: string, width: Width): Promise<number> => {
        const [from, to] = [join(storage.incoming, randomUUID()), join(storage.incoming, randomUUID())];
        try {
            await pipeline(await storage.open(nameOf(hash)), createWriteStream(from, { flags: 'wx', mode: 0o600 }));
            await scalePicture(from, width, to);
            const size = await syncFile(to);
            await storage.put(nameOf(hash, width), to, 'image/webp');
            return size;
        }
        finally {
            await Promise.all([discard(from), discard(to)]);
        }
    };

    return async (hash, width, caller) => {
        const name = nameOf(hash, width);
        const size = await storage.size(name);
        if (size !== undefined) {
            return size;
        }

        let making = under.get(name);
        if (making === undefined) {
            if (scaling.wait(caller) > LONGEST_WAIT) {
                throw overloadedError();
            }

            making = scaling.run(() => make(hash, width), caller).finally(() => under.delete(name));
            under.set(name, making);
        }

        return making;
    };
}
