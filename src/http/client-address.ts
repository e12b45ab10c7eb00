import type { Request } from '@hapi/hapi';

/** Characters of an IPv6 address with a zone and a port; what is longer is none. */
const LONGEST = 80;

/**
 * The client's address: the peer's, or, behind so many trusted proxies, what the outermost of them appended to
 * X-Forwarded-For. Whatever a client wrote there itself stands further left and is not looked at.
 */
export function addressOf(request: Pick<Request, 'headers' | 'info'>, trustedProxies: number): string {
    if (trustedProxies === 0) {
        return request.info.remoteAddress;
    }

    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim()).filter(Boolean);
    return hops.at(-trustedProxies)?.slice(0, LONGEST) ?? request.info.remoteAddress;
}
