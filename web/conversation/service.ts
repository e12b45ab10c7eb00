import { PagewrightError, errorBodyOf, retryAfterOf } from '../../client/src/errors.js';
import type { Project } from '../../client/src/index.js';
import { client, currentSession } from '../session';

/** The requests of the conversation: comments, blocks, follows, likes and reports. */

export interface Named {
    id: string;
    username: string;
}

export interface Comment {
    id: string;
    /** null if the account is gone */
    author: Named | null;
    /** null if it was removed, if it waits for moderators and is somebody else's, and if the reader has blocked its author */
    text: string | null;
    page: string | null;
    element: string | null;
    reply_to: string | null;
    mentions: Named[];
    created_at: string;
    edited_at: string | null;
    removed: 'author' | 'owner' | 'moderator' | null;
    held: boolean;
}

export interface Thread extends Comment {
    /** the first ones, oldest first */
    replies: Comment[];
    reply_count: number;
    next_reply: string | null;
}

export const whoMayComment = ['everybody', 'members', 'nobody'] as const;
export type WhoMayComment = typeof whoMayComment[number];

export interface CommentSettings {
    who: WhoMayComment;
    /** whether a class lets its people alone comment */
    class_only: boolean;
    /** whether the reader may */
    may_comment: boolean;
}

/** The part that a comment is about, besides the project. */
export interface About {
    page?: string | undefined;
    element?: string | undefined;
}

export interface NewComment extends About {
    text: string;
    reply_to?: string | undefined;
}

/** The ids of a project and of its owner. */
export interface Commented {
    id: string;
    owner: string;
}

interface Sent {
    body?: object;
    /** under which a write is done once, however often it is sent */
    key?: string;
}

const INVALID_TOKEN = 'invalid_token';

async function send(method: string, path: string, { body, key }: Sent): Promise<Response> {
    const token = currentSession()?.token;
    const response = await fetch(path, {
        method,
        headers: {
            ...token !== undefined && { authorization: `token ${token}` }, ...body !== undefined && { 'content-type': 'application/json' },
            ...key !== undefined && { 'idempotency-key': key }
        },
        body: body === undefined ? null : JSON.stringify(body)
    });
    if (!response.ok) {
        throw new PagewrightError(response.status, await errorBodyOf(response), retryAfterOf(response));
    }

    return response;
}

/** @throws PagewrightError if the service refuses */
async function ask<Answer>(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    try {
        return await (await send(method, path, sent)).json();
    }
    catch (error) {
        if (!(error instanceof PagewrightError) || error.code !== INVALID_TOKEN || currentSession() === null) {
            throw error;
        }

        // The client gets a new token from the identity provider, or ends the session.
        await client().account.get();
        return await (await send(method, path, sent)).json();
    }
}

/** A name for a write. `crypto.randomUUID` is there on secure pages only. */
export const newKey =
    (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const query = (fields: Readonly<Record<string, string | number | null | undefined>>): string => {
    const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, String(value)]]));
    return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

const of = ({ id, owner }: Commented): string => `/users/${owner}/projects/${id}/comments`;
const person = (list: string, username: string): string => `/users/me/${list}/${encodeURIComponent(username)}`;

/** Threads that are shown at first, and with each further step. */
const STEP = 20;

export const comments = {
    threads: (project: Commented, after: string | null, { page, element }: About): Promise<{ comments: Thread[]; next: string | null }> =>
        ask('GET', of(project) + query({ count: STEP, after, page, element })),
    replies: (project: Commented, thread: string, after: string | null): Promise<{ comments: Comment[]; next: string | null }> =>
        ask('GET', of(project) + query({ thread, after })),
    write: async (project: Commented, comment: NewComment, key: string): Promise<Comment> =>
        (await ask<{ comment: Comment }>('POST', of(project), { body: comment, key })).comment,
    edit: async (project: Commented, id: string, text: string): Promise<Comment> =>
        (await ask<{ comment: Comment }>('PATCH', `${of(project)}/${id}`, { body: { text } })).comment,
    remove: async (project: Commented, id: string): Promise<Comment> =>
        (await ask<{ comment: Comment }>('DELETE', `${of(project)}/${id}`)).comment,
    settings: async (project: Commented): Promise<CommentSettings> =>
        (await ask<{ settings: CommentSettings }>('GET', `${of(project)}/settings`)).settings,
    set: async (project: Commented, who: WhoMayComment): Promise<CommentSettings> =>
        (await ask<{ settings: CommentSettings }>('PUT', `${of(project)}/settings`, { body: { who } })).settings
};

export const likes = {
    get: async (project: string): Promise<boolean> =>
        (await ask<{ like: { liked: boolean } }>('GET', `/projects/${project}/like`)).like.liked,
    set: async (project: string, liked: boolean): Promise<void> => {
        await ask(liked ? 'PUT' : 'DELETE', `/projects/${project}/like`);
    }
};

/** People whom one follows, or has blocked. */
export type Circle = 'following' | 'blocks';

interface Entry {
    user: Named;
    since: string;
}

const MANY = 100;

export const circles = {
    set: async (circle: Circle, username: string, is: boolean): Promise<void> => {
        await ask(is ? 'PUT' : 'DELETE', person(circle, username));
    },

    async* list(circle: Circle): AsyncGenerator<Named, void, undefined> {
        let after: string | null = null;
        do {
            const { next, ...lists }: { next: string | null; following?: Entry[]; blocks?: Entry[] } =
                await ask('GET', `/users/me/${circle}${query({ count: MANY, after })}`);
            yield* (lists[circle] ?? []).map(({ user }) => user);
            after = next;
        } while (after !== null);
    },

    async has(circle: Circle, id: string): Promise<boolean> {
        for await (const user of circles.list(circle)) {
            if (user.id === id) {
                return true;
            }
        }

        return false;
    }
};

/** The newest projects of the people whom one follows. */
export async function* feed(): AsyncGenerator<Project, void, undefined> {
    let after: string | null = null;
    do {
        const { projects, next }: { projects: Project[];
            next: string | null } = await ask('GET', `/users/me/feed${query({ count: 25, after })}`);
        yield* projects;
        after = next;
    } while (after !== null);
}

/** Tells the moderators what is wrong with a comment, or with what somebody does. */
export async function report(thing: { comment: string } | { user: string }, reason: string): Promise<void> {
    await ask('POST', 'comment' in thing ? `/comments/${thing.comment}/reports` : `/users/${thing.user}/reports`, { body: { reason } });
}
