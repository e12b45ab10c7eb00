import type { Request } from '@hapi/hapi';

import type { Config } from '../../config';
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

/** The last `Host` that was valid: nearly all requests have the same. */
let validHost = '';

/** Whether a request has more than one `Host` header: a proxy in front may have gone by another one than this service does. */
function hasTwoHosts({ rawHeaders = [] }: { rawHeaders?: readonly string[] }): boolean {
    let hosts = 0;
    for (let n = 0; n < rawHeaders.length; n += 2) {
        const { [n]: name = '' } = rawHeaders;
        if (name.length === 4 && name.toLowerCase() === 'host') {
            hosts++;
        }
    }

    return hosts > 1;
}

/**
 * Stage: rejects a `Host` header that is not a host and a port, and a second one (RFC 9112 section 3.2). Otherwise `request.url` would throw, or have a wrong path.
 * @throws 400 `bad_request`
 */
export function checkHost({ info: { host }, raw }: Request): void {
    if (hasTwoHosts(raw.req)) {
        throw fault('bad_request', 'The request has more than one Host header: send it once.');
    }

    if (host === '' || host === validHost) {
        return;
    }

    if (/[\s/?#@\\]/.test(host) || !URL.canParse(`http://${host}`)) {
        throw fault('bad_request', 'The Host header is invalid: it is the name or the address of the server, and its port if that is not the usual one.');
    }

    validHost = host;
}

/** The address of the service, as its clients know it: `PUBLIC_URL`, or what the request was sent to. */
export const originFor = ({ url }: Pick<Request, 'url'>, { publicUrl }: Pick<Config, 'publicUrl'>): string => publicUrl ?? url.origin;

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
