import type { Api, CallOptions } from './api.js';
import { each, pathOf } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { Comment, CommentSettings, NewComment, ProjectPlace, Thread } from './things.js';

/** The subject of a list of threads: all of the project if nothing is said. */
export interface ThreadOptions extends ListOptions {
    /** id of a page */
    page?: string;
    /** id of an element */
    element?: string;
}

/** Comments on projects, in threads. */
export interface Comments {
    /** newest first, each with its first answers */
    list(project: ProjectPlace, options?: ThreadOptions): List<Thread>;
    /** all answers of a thread, oldest first; those after `next_reply` if that is given */
    replies(thread: Pick<Thread, 'id'>, project: ProjectPlace, options?: ListOptions & { after?: string }): List<Comment>;
    /** @throws PagewrightError 403 `comments_closed`; 409 `comment_limit`, `thread_limit` */
    create(project: ProjectPlace, comment: NewComment, options?: CallOptions): Promise<Comment>;
    /** Changes one's own comment. */
    update(project: ProjectPlace, comment: Pick<Comment, 'id'>, text: string, options?: CallOptions): Promise<Comment>;
    /** Removes one's own comment, or any on one's own project. If it has answers, its place stays. */
    delete(project: ProjectPlace, comment: Pick<Comment, 'id'>, options?: CallOptions): Promise<Comment>;
    /** Who may comment, and whether you may. */
    settings(project: ProjectPlace, options?: CallOptions): Promise<CommentSettings>;
    /** Says who may comment on your own project. */
    setWho(project: ProjectPlace, who: CommentSettings['who'], options?: CallOptions): Promise<CommentSettings>;
}

const isThread = (one: Comment | Thread): one is Thread => 'replies' in one;

export function commentsOf(api: Api): Comments {
    const path = '/users/{user}/projects/{project}/comments' as const;
    const inProject = (project: ProjectPlace, { id }: Pick<Comment, 'id'>): { path: { user: string; project: string; comment: string } } =>
        ({ path: { ...pathOf(project), comment: id } });
    return {
        list: (project, { page, element, ...options } = {}) => each(options, async (query, call) => {
            const { comments, next } =
                (await api.GET(path, { params: { path: pathOf(project), query: { ...query, page, element } }, ...call })).data;
            return { items: comments.flatMap((one) => (isThread(one) ? [one] : [])), next };
        }),

        replies: ({ id: thread }, project, { after, ...options } = {}) => each(options, async (query, call) => {
            const { comments, next } =
                (await api.GET(path, { params: { path: pathOf(project), query: { after, ...query, thread } }, ...call })).data;
            return { items: comments, next };
        }),

        create: async (project, body, options) =>
            (await api.POST(path, { params: { path: pathOf(project) }, body, ...options })).data.comment,

        update: async (project, comment, text, options) =>
            (await api.PATCH(`${path}/{comment}`, { params: inProject(project, comment), body: { text }, ...options })).data.comment,

        delete: async (project, comment, options) =>
            (await api.DELETE(`${path}/{comment}`, { params: inProject(project, comment), ...options })).data.comment,

        settings: async (project, options) =>
            (await api.GET(`${path}/settings`, { params: { path: pathOf(project) }, ...options })).data.settings,

        setWho: async (project, who, options) =>
            (await api.PUT(`${path}/settings`, { params: { path: pathOf(project) }, body: { who }, ...options })).data.settings
    };
}
