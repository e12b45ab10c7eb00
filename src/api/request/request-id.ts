import { randomUUID } from 'node:crypto';

import type { Request } from '@hapi/hapi';

/** An id that a client may choose: it goes into the log and into a response header as it is. */
const valid = /^[A-Za-z0-9._-]{1,64}$/;

/** The `X-Request-Id` of a request if it is valid, else a new UUID. */
export function requestIdOf({ 'x-request-id': given }: Readonly<Record<string, unknown>>): string {
    return typeof given === 'string' && valid.test(given) ? given : randomUUID();
}

/** Stage: names the request. hapi's own ids would tell clients the host name and the process id. */
export function nameRequest({ info, headers, raw: { res } }: Request): void {
    info.id = requestIdOf(headers);
    res.setHeader('x-request-id', info.id);
}
