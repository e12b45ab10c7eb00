import type { LimitName } from '../../src/api/protection/rate-limits';

/** States of a project that is perhaps not for everybody, and who asks about it. */
export const states = ['public', 'unlisted', 'private', 'held'] as const;
export type State = typeof states[number];

export const callers = ['guest', 'bad', 'stranger', 'suspended', 'removed', 'viewer', 'editor', 'owner', 'moderator'] as const;
export type Caller = typeof callers[number];

/** What a path or a body may name, by the names of parameters; and beside them `owner`, the owner's name, `code`, of an invitation, and `serial`, a new number for each request. */
export type Ids = Readonly<Record<string, string>>;

export type Body = (ids: Ids) => object;

/** The status of a route about a project in this state, to this caller. */
export type Expected = (state: State, caller: Caller) => number;

/** One way to ask about a project that is perhaps not for everybody: as the route is described, unless the path, the query or the body is given. */
export interface Privacy {
    expected: Expected;
    /** of a route that shows many projects: to whom it shows this one. To all others it answers as if the project did not exist; so `() => false` is for one that only counts those that are public */
    shows?: (state: State, caller: Caller) => boolean;
    /** what tells it from others of the same route */
    as?: string;
    /** with `{me}`, the caller, `{hidden}`, the owner's private collection, or `{mine}`, the caller's */
    path?: string;
    query?: string;
    body?: Body;
}

/** Who may do it. */
export interface Callers {
    /**
     * The status for each caller in `callers` of `test/support/cast.ts`. One status is everybody's. Four are those of another user, the owner, a moderator and, with
     * another provider, a user without an account: then an invalid token is 401, and one without the scope 403. `=` marks a success that stores nothing.
     */
    callers: string;
    /** the same if the path has `me` in place of `{user}`; null if it does not begin with `/users/{user}` */
    me: string | null;
    /** to whom it answers what about a project that is not for everybody; null if it is not about one that exists */
    privacy: Expected | Privacy | readonly (Expected | Privacy)[] | null;
}

/** What the tests expect of a route: all of them read it here. */
export interface Expectations extends Callers {
    /** that a token needs; `''` if no token is looked at, unless there is nothing for everybody */
    scope: '' | 'user' | 'projects' | 'optional';
    cost: 'cheap' | 'heavy' | 'work' | 'password';
    limit: LimitName | null;
    /** which cross-origin rules it follows (`src/api/request/cross-origin.ts`): `fixed` for the twelve rows of the contract that are to the letter, `later` for all others; `any`: every origin may load it */
    origin: 'fixed' | 'later' | 'any';
    /** who may keep a response: `usual` is everybody, or the caller alone if the token decides; `by reader` differs by the token, if there is one */
    cache: 'usual' | 'by reader' | 'no-store' | 'public, max-age=300' | 'public, max-age=31536000, immutable';
    /** what differs if tokens are of another provider */
    elsewhere?: Partial<Pick<Expectations, 'scope' | 'callers' | 'me' | 'body'>>;
    /** the status if the path names a user who is not there, where only the user is told so; else it is 404 */
    absentUser?: 403;
    /** why the log of moderation has no line when a moderator uses it for a private project */
    unnoted?: string;
    query?: string;
    /** that is valid */
    body?: Body;
}

/** A write names more. */
export interface Write extends Expectations {
    /** the fields of a body that it accepts; null if the body is a file */
    takes: readonly string[] | null;
    /** also a suspended user may do it */
    whileSuspended?: true;
}

export type WritingMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** By method and path, as the server registers them. */
export type Routes = Readonly<Record<`GET /${string}`, Expectations> & Record<`${WritingMethod} /${string}`, Write>>;
