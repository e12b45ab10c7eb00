import type { Request } from '@hapi/hapi';
import Joi from 'joi';

import { invalid } from '../../api/errors/errors';
import { id, isRevision, revisionText } from '../../api/request/schema';
import { cursor } from './json';
import { MAX_SHOWN_CHOSEN } from '../../limits';

/** The query: changes since a revision. */
export const eventsQuery = Joi.object({
    since: revisionText
        .description('The revision of the project that the client has. `Last-Event-ID`, which an EventSource sends when it connects again, is used instead if both are there.').example('3')
});

/** PUT …/presence */
export const whereabouts = Joi.object({
    page: id.allow(null).default(null).description('The page that one looks at.').example('40'),
    cursor,
    selected: Joi.array().items(id.example('95')).max(MAX_SHOWN_CHOSEN).default([]).description(`Ids of the elements that are chosen, at most ${MAX_SHOWN_CHOSEN}.`)
});

/**
 * The newest revision that the client knows, as it says; undefined if it does not say.
 * @throws 400 if `Last-Event-ID` is not a revision
 */
export function sinceOf({ headers, query }: Pick<Request, 'headers' | 'query'>): number | undefined {
    const last: unknown = headers['last-event-id'];
    if (last !== undefined && !isRevision(String(last))) {
        throw invalid([{ path: 'Last-Event-ID', message: '"Last-Event-ID" must be a revision: a whole number' }]);
    }

    const since: unknown = last ?? query.since;
    return since === undefined ? undefined : Number(since);
}
