import type * as Boom from '@hapi/boom';

import { errorCode } from '../../database/error-code';
import { fault, faultWith } from './errors';

/** Thrown where the place for the bytes of assets cannot be reached, or fails. The message is for the operator. */
export class StorageUnreachable extends Error {
    constructor(message: string, options: ErrorOptions) {
        super(message, options);
        this.name = 'StorageUnreachable';
    }
}

/** No room on the disk, or the disk quota of this process's user is used up. */
const full = new Set(['ENOSPC', 'EDQUOT']);

/** The error response for an error of the disk or bucket that bytes are written to; undefined if it is an error of the service itself. */
export function storageFault(error: unknown): Boom.Boom | undefined {
    if (error instanceof StorageUnreachable) {
        return faultWith('service_unavailable', ['The place for pictures and sounds cannot be reached just now. Try again in a moment.'], { retryAfter: 5 });
    }

    return full.has(errorCode(error) ?? '') ? fault('storage_full') : undefined;
}
