import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

import { IPv6 } from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** `203.0.113.7:443`, `[2001:db8::1]` and `[2001:db8::1]:443`: addresses as some proxies write them. */
const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/;
const withPort = /^([\d.]+):\d{1,5}$/;

/**
 * The client's IP address in its usual form (RFC 5952 for IPv6), without port and zone; an IPv4-mapped IPv6 address as IPv4.
 *
 * It is the address of the connection. Behind trusted proxies it is what the outermost of them appended to
 * `X-Forwarded-For`; a client can only write further left, which is never looked at. If that entry is missing or not an
 * address, the connection's address counts.
 * @param trustedProxies how many reverse proxies append to `X-Forwarded-For`
 */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, trustedProxies: number): string {
    const forwarded = trustedProxies === 0 ? undefined : plainAddress(entryFromRight(String(headers['x-forwarded-for'] ?? ''), trustedProxies));
    return forwarded ?? plainAddress(String(socket.remoteAddress)) ?? 'unknown';
}

/** The n-th entry of a list, counted from the right and from 1; empty if there are fewer. */
function entryFromRight(list: string, n: number): string {
    let end = list.length;
    for (let passed = 1; passed < n; ++passed) {
        end = list.lastIndexOf(',', end - 1);
        if (end <= 0) {
            return '';
        }
    }

    return list.slice(list.lastIndexOf(',', end - 1) + 1, end).trim();
}

/** Characters of an IPv6 address with brackets, zone and port; what is longer is not an address. */
const LONGEST = 80;

function plainAddress(text: string): string | undefined {
    // The usual case first: this runs for every request.
    if (isIPv4(text)) {
        return text;
    }

    return text.length > LONGEST ? undefined : readAddress(text);
}

const readAddress = remembered((text: string): string | undefined => {
    const [, bare = text] = bracketed.exec(text) ?? withPort.exec(text) ?? [];
    if (isIPv6(bare)) {
        const [withoutZone = ''] = bare.split('%');
        const address = IPv6.parse(withoutZone);
        return (address.isIPv4MappedAddress() ? address.toIPv4Address() : address).toString();
    }

    return isIPv4(bare) ? bare : undefined;
});

/** A function with its results for the last 5,000 texts kept: to read an IPv6 address takes microseconds. */
function remembered<Result>(read: (text: string) => Result): (text: string) => Result {
    const known = new LRUCache<string, { result: Result }>({ max: 5000 });
    return (text) => {
        const before = known.get(text);
        if (before !== undefined) {
            return before.result;
        }

        const result = read(text);
        known.set(text, { result });
        return result;
    };
}

/** The parts of the Internet that limits are counted for. */
export interface Origin {
    /** The IPv4 address, or the /64 of an IPv6 address: one subscriber's line can use any address of that. */
    address: string;
    /** The /48 of an IPv6 address, which one customer can be given as 65,536 networks; undefined for IPv4. */
    network: string | undefined;
}

/** @param address as `clientAddress` returns it */
export function originOf(address: string): Origin {
    if (!address.includes(':')) {
        return { address, network: undefined };
    }

    return readOrigin(address);
}

const readOrigin = remembered((address: string): Origin => {
    const { parts } = IPv6.parse(address);
    const first = (count: number): string => parts.slice(0, count).map((part) => part.toString(16)).join(':');
    return { address: `${first(4)}::/64`, network: `${first(3)}::/48` };
});
