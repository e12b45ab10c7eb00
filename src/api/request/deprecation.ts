import assert from 'node:assert';

import type { Request, RequestRoute } from '@hapi/hapi';

import { headersOf } from './responses';

/** Facts about an operation that is to go. */
export interface Deprecated {
    /** day from which on it should not be used any more, as `2027-01-31` */
    since: string;
    /** day from which on it may be gone, at least twelve months later */
    sunset: string;
    /** path of what replaces it */
    use: string;
}

/** Fewest months between the two days: what docs/stability.md promises. */
const FEWEST_MONTHS = 12;

const dayOf = (text: string): Date => {
    const day = new Date(`${text}T00:00:00Z`);
    assert(/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime()), `"${text}" is not a day such as 2027-01-31`);
    return day;
};

/** The response headers of an operation that is to go: RFC 9745, RFC 8594, and RFC 5829 for what replaces it. @throws AssertionError if it would go too early */
export function deprecationHeaders({ since, sunset, use }: Deprecated): Readonly<Record<'deprecation' | 'sunset' | 'link', string>> {
    const [from, until] = [dayOf(since), dayOf(sunset)];
    const earliest = new Date(from);
    earliest.setUTCMonth(earliest.getUTCMonth() + FEWEST_MONTHS);
    assert(until >= earliest, `What is deprecated since ${since} has to work until ${earliest.toISOString().slice(0, 10)}, and not only until ${sunset}`);
    return { deprecation: `@${from.getTime() / 1000}`, sunset: until.toUTCString(), link: `<${use}>; rel="successor-version"` };
}

const known = new WeakMap<Deprecated, ReturnType<typeof deprecationHeaders>>();

/** Checks a route when it is registered. @throws AssertionError if it is to go too early */
export function checkDeprecation({ settings }: Pick<RequestRoute, 'settings'>): void {
    const deprecated = settings.plugins?.description?.().deprecated;
    if (deprecated !== undefined) {
        known.set(deprecated, deprecationHeaders(deprecated));
    }
}

/** Adds the headers to a response, also if it is an error. */
export function showDeprecation({ settings }: Pick<RequestRoute, 'settings'>, response: Request['response']): void {
    const deprecated = settings.plugins?.description?.().deprecated;
    const shown = deprecated && known.get(deprecated);
    if (shown !== undefined) {
        const headers = headersOf(response);
        const { link: before } = headers;
        Object.assign(headers, shown, before === undefined ? {} : { link: `${String(before)}, ${shown.link}` });
    }
}
