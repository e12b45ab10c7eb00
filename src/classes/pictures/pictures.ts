import { randomInt } from 'node:crypto';

import { hashPassword, hashing } from '../../api/auth/secrets';
import type { Turn } from '../../api/concurrency/work-queue';
import { PICTURES, pictureNames } from './names';
import type { PictureName } from './names';

/** Pictures for a pupil, and what is stored of them. */
export interface NewPictures {
    pictures: readonly PictureName[];
    hash: string;
}

/** Pictures as they are hashed, in the order in which they are chosen. */
export const inOrder = (pictures: readonly string[]): string => pictures.join(' ');

/** New pictures at random, none of them twice. */
export function drawPictures(): PictureName[] {
    const left = [...pictureNames];
    return Array.from({ length: PICTURES }, () => left.splice(randomInt(left.length), 1)).flat();
}

/**
 * Draws pictures, and hashes them as pass-phrases are. There is no secret of the service outside of its database to hash them with.
 * @param turn of whoever waits for it
 * @throws the reason of the signal, once the caller has left
 */
export async function newPictures(turn: Turn, signal: AbortSignal): Promise<NewPictures> {
    const pictures = drawPictures();
    return { pictures, hash: await hashPassword(inOrder(pictures), (work) => hashing.run(work, turn, signal)) };
}
