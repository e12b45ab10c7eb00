import type { Request } from '@hapi/hapi';

import { fault } from '../errors/errors';

/** Whether a path is percent-encoded UTF-8 (RFC 3986 section 2.1). */
export function isDecodable(path: string): boolean {
    try {
        decodeURIComponent(path);
        return true;
    }
    catch {
        return false;
    }
}

/**
 * Stage: rejects a path that hapi's router cannot look up. An empty one, as in `GET foo://x`, would end the process there.
 * @throws 400 `malformed_path`
 */
export function checkPath({ path }: Request): void {
    if (path === '') {
        throw fault('malformed_path', 'The path is empty.');
    }

    if (path.includes('%') && !isDecodable(path)) {
        throw fault('malformed_path');
    }
}
