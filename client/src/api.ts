import type createApi from 'openapi-fetch';

import type { paths } from './schema.js';

/** The service's paths with the types of what they take and answer; whatever is not a success is thrown as `PagewrightError`. */
export type Api = ReturnType<typeof createApi<paths>>;

/** The body of an answer; every failure has been thrown by then. */
export async function bodyOf<Body>(answer: Promise<{ data?: Body }>): Promise<Body> {
    const { data } = await answer;
    if (data === undefined) {
        throw new TypeError('The service answered nothing');
    }

    return data;
}
