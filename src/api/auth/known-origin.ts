import type { Request } from '@hapi/hapi';

import type { Config } from '../../config';
import { fault } from '../errors/errors';
import { isLoopback } from '../representations/redirect-uri';
import { originFor } from '../request/path';

/** Whether the address of the service is known: it is configured, or the request is from one's own machine. */
export const hasKnownOrigin = ({ url }: Pick<Request, 'url'>, { publicUrl }: Pick<Config, 'publicUrl'>): boolean => publicUrl !== null || isLoopback(url.hostname);

/**
 * The address of the service where others rely on it: never what a request from elsewhere says in its headers. On one's own machine none need be configured.
 * @throws 503 if it is not configured
 */
export function knownOrigin(request: Pick<Request, 'url'>, config: Pick<Config, 'publicUrl'>): string {
    if (!hasKnownOrigin(request, config)) {
        throw fault('no_public_url');
    }

    return originFor(request, config);
}
