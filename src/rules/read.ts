import type { Readable as ReadableStream } from 'node:stream';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Knex } from 'knex';

import { shareOf } from '../api/concurrency/work-queue';
import { forbidden, lacksScope, notFound } from '../api/errors/errors';
import { conditional, matchesTag, tagsOfClient } from '../api/request/entity-tags';
import { answerRendered, renderedBodies } from '../api/request/rendered-pages';
import type { BodySource } from '../api/request/rendered-pages';
import { streamedBody } from '../api/request/streamed-body';
import type { Config } from '../config';
import type { RowOf } from '../database/declaration';
import { snapshots } from '../database/statements/snapshot';
import type { Read } from '../database/statements/snapshot';
import { guest } from './visibility';
import type { Readable, Reader } from './visibility';

/*
 * The way of a read, in this order:
 *
 *   reader      who asks: nobody known at first; the token's user only if there is nothing for everybody     readAs
 *   statement   the route's own: it finds the path's things that the reader may see, or nothing              404
 *   tag         of the state that was found: 304 if the client has it, and a kept body if that shows it      api/request/entity-tags, rendered-pages
 *   response    the JSON text of the statement, or pieces of it if it is large
 *
 * One thing is read by `answerThing`; what may be large by `largeReads`; all else by `readOrError`.
 */

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** whether the response depends on who sent the request; if nothing is said, it does where the route looks at a token */
        isPrivate?: boolean;
    }
}

type FromAnybody = Pick<Request, 'app' | 'callerOfHeader' | 'headers' | 'server'>;

type ReadFor<Row> = (reader: Reader) => Promise<Row | undefined>;

/** Reads something as `readAs` does. @param what it is, in words @throws 404 if there is nothing that the caller may see */
export async function readOrError<Row extends Readable>(request: FromAnybody, what: string, read: ReadFor<Row>, byToken = true): Promise<Row> {
    const found = await readAs(request, read, byToken);
    if (found === undefined) {
        throw notFound(what);
    }

    return found;
}

/** One thing, as its statement returns it. `json` is null if the client has the state with this tag already. */
export const foundColumns = { open: 'boolean', tag: 'text', json: 'text?' } as const;
export type Found = Readable & RowOf<typeof foundColumns>;

/** Responds with one thing. @param find a statement that compares these tags with its own @param weak whether it shows counters, which may lag */
export async function answerThing<Refs extends ReqRef>(
    request: FromAnybody, h: ResponseToolkit<Refs>, what: string, find: (reader: Reader, tags: string[]) => Promise<Found | undefined>, weak = false
): Promise<ResponseObject> {
    const tags = tagsOfClient(request);
    const { tag, json } = await readOrError(request, what, (reader) => find(reader, tags));
    return conditional(h, tag, json === null ? null : `{"status":"success","${what}":${json}}`, weak);
}

/** The contents of a GET that may be large, and the entity tag of that state. */
export const taggedColumns = {
    open: 'boolean',
    tag: 'text',
    /** about how many bytes of JSON text it is */
    weight: 'double precision',
    /** JSON text; null if it is too large for one text */
    json: 'text?'
} as const;
export type Tagged = Readable & RowOf<typeof taggedColumns>;

/** Something that may be large: how it is read, and its body. */
export interface Large<Contents extends Tagged> {
    /** the ids in its path */
    chain: readonly string[];
    tagFirst?: BodySource['tagFirst'];
    tag: ReadFor<Pick<Tagged, 'open' | 'tag'>>;
    contents: ReadFor<Contents>;
    /** JSON text before and after it */
    around: readonly [string, string];
    /** reads it in pieces, if it is too large for one text */
    pieces(read: Read, found: Contents): AsyncGenerator<string>;
}

type InPieces = Pick<Request, 'app' | 'headers' | 'inQueue' | 'log' | 'method'>;

type Pieces = (read: Read) => AsyncGenerator<string>;

/** Both ways to respond with something that may be large. */
export function largeReads(db: Knex, config: Pick<Config, 'databasePool'>) {
    const bodies = renderedBodies();
    const readInPieces = pieceReader(db, config);

    /** JSON text between two others, in pieces if it is too large for one text. */
    function bodyOf(request: InPieces, { weight, json }: Pick<Tagged, 'json' | 'weight'>, [before, after]: readonly [string, string], pieces: Pieces): string | ReadableStream {
        return json === null ? streamedBody(request, between(before, readInPieces(request, pieces), after), weight) : before + json + after;
    }

    /** Responds with something that has a tag in the database, and keeps its body unless it is large. */
    async function answerLarge<Refs extends ReqRef, Contents extends Tagged>(
        request: FromAnybody & InPieces, h: ResponseToolkit<Refs>, what: string, { chain, tagFirst, tag, contents, around, pieces }: Large<Contents>
    ): Promise<ResponseObject> {
        const contentsFor = async (reader: Reader): ReturnType<BodySource['contents']> => {
            const found = await contents(reader);
            return found && { open: found.open, tag: found.tag, body: bodyOf(request, found, around, (read) => pieces(read, found)) };
        };

        const { response } = await readOrError(request, what, (reader) => answerRendered(h, request, bodies, chain, { tagFirst, tag: () => tag(reader), contents: () => contentsFor(reader) }));
        return response;
    }

    /** Responds with contents whose tag is made of them. The body is not kept, and is made only if the client does not have that state. */
    function answerPieces<Refs extends ReqRef>(
        request: InPieces, h: ResponseToolkit<Refs>, tag: string, found: Pick<Tagged, 'json' | 'weight'>, around: readonly [string, string], pieces: Pieces
    ): ResponseObject {
        return conditional(h, tag, matchesTag(request, tag) ? null : bodyOf(request, found, around, pieces));
    }

    return { answerLarge, answerPieces };
}

/** Runs a generator that reads in pieces for a request, in one snapshot of the database while that lasts. */
export type ReadInPieces = <Item>(request: Pick<Request, 'inQueue'>, pieces: (read: Read) => AsyncGenerator<Item>) => AsyncGenerator<Item>;

/** Pieces are read on a few of the connections to the database at a time, and callers take turns, so that other requests do not wait for them. */
export function pieceReader(db: Knex, { databasePool }: Pick<Config, 'databasePool'>): ReadInPieces {
    const inSnapshot = snapshots(db, shareOf(databasePool / 2));
    return (request, pieces) => inSnapshot((read) => pieces((sql, values) => request.inQueue(() => read(sql, values))));
}

async function* between(before: string, pieces: AsyncGenerator<string>, after: string): AsyncGenerator<string> {
    yield before;
    yield* pieces;
    yield after;
}

/**
 * Reads something on a public route. The token is looked at only if what is asked for is not for everybody, or does not exist: whoever may
 * not see a thing cannot tell the two apart.
 * @param read one statement, which looks for what the reader may see
 * @param byToken whether it also looks for what the reader's token lets them see
 * @returns undefined if there is nothing that the caller may see
 * @throws 401 if there is nothing for everybody, and the token is not valid
 */
export async function readAs<Row extends Readable>(
    request: FromAnybody, read: ReadFor<Row>, byToken = true
): Promise<Row | undefined> {
    // Also if there is nothing, or the token is not valid: what is private is answered as what does not exist.
    request.app.isPrivate = true;
    const hasToken = request.headers.authorization !== undefined;
    const token = hasToken && byToken ? request.server.plugins['token-strategy'].hashOf(request) : null;
    const first = await read({ ...guest, token });
    if (token !== null && first?.open === false) {
        request.server.plugins['token-strategy'].noteUse(token);
    }

    const found = first ?? (hasToken ? await readAgain(request, read, token !== null) : undefined);
    request.app.isPrivate = found?.open !== true;
    return found;
}

/** The rights of the token's user that the token does not show. */
async function readAgain<Row extends Readable>(request: Pick<Request, 'app' | 'callerOfHeader'>, read: ReadFor<Row>, wasRead: boolean): Promise<Row | undefined> {
    const reader = await readerOf(request);
    const seesMore = reader.moderator || (reader.teaches === true && (reader.projects ?? null) === null);
    if (wasRead && !seesMore) {
        return undefined;
    }

    const found = await read(reader);
    if (found?.open === false && reader.moderator) {
        request.app.moderatorRead = { id: String(reader.id), others: found.others ?? [] };
    }

    return found;
}

/** The reader by the token that was sent. @throws 401 if it is not valid */
async function readerOf(request: Pick<Request, 'callerOfHeader'>): Promise<Reader> {
    const { user, mayReadProjects } = await request.callerOfHeader();
    return user !== undefined && mayReadProjects ? user : guest;
}

/**
 * The user in the path, whose own token was sent, on a route that does not authenticate. The response is theirs alone.
 * @throws 401 if the token is not valid, 403 if it is another user's, or lacks the scope
 */
export async function ownerOf(request: Pick<Request, 'app' | 'callerOfHeader'> & { params: { user: string } }): Promise<string> {
    request.app.isPrivate = true;
    const { user, mayReadProjects } = await request.callerOfHeader();
    if (!mayReadProjects) {
        throw lacksScope('projects');
    }

    if (user === undefined || user.id !== request.params.user) {
        throw forbidden('Only the user can list projects that are not public.');
    }

    return user.id;
}
