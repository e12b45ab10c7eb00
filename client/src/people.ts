import type { Api, CallOptions } from './api.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { ProjectList } from './projects.js';
import type { Block, Following, Project } from './things.js';

/** Whom you block and follow, and what you like. Nobody else can read it. */
export interface People {
    /** Blocks somebody by name: they can no longer comment, mention or invite you, and are not told. @throws PagewrightError 409 `block_limit` */
    block(username: string, options?: CallOptions): Promise<Block>;
    unblock(username: string, options?: CallOptions): Promise<void>;
    /** the latest first */
    blocked(options?: ListOptions): List<Block>;
    /** Follows somebody by name, who has a notice of it. @throws PagewrightError 404 if there is nobody to follow, 409 `follow_limit` */
    follow(username: string, options?: CallOptions): Promise<Following>;
    unfollow(username: string, options?: CallOptions): Promise<void>;
    /** whom you follow, the latest first */
    following(options?: ListOptions): List<Following>;
    /** the public projects of those whom you follow */
    feed(options?: ListOptions): ProjectList;
    /** Likes a project of somebody else. Its author sees how many do, in `projects.mine()`. @throws PagewrightError 409 `like_limit` */
    like(project: Pick<Project, 'id'>, options?: CallOptions): Promise<void>;
    unlike(project: Pick<Project, 'id'>, options?: CallOptions): Promise<void>;
    /** whether you like it */
    likes(project: Pick<Project, 'id'>, options?: CallOptions): Promise<boolean>;
}

export function peopleOf(api: Api): People {
    const own = { user: 'me' };
    const person = (username: string): { user: 'me'; username: string } => ({ user: 'me', username });

    return {
        block: async (username, options) =>
            (await api.PUT('/users/{user}/blocks/{username}', { params: { path: person(username) }, ...options })).data.block,

        unblock: async (username, options) => {
            await api.DELETE('/users/{user}/blocks/{username}', { params: { path: person(username) }, ...options });
        },

        blocked: (options) => each(options, async (query, call) => {
            const { blocks, next } = (await api.GET('/users/{user}/blocks', { params: { path: own, query }, ...call })).data;
            return { items: blocks, next };
        }),

        follow: async (username, options) => {
            return (await api.PUT('/users/{user}/following/{username}', { params: { path: person(username) }, ...options })).data.follow;
        },

        unfollow: async (username, options) => {
            await api.DELETE('/users/{user}/following/{username}', { params: { path: person(username) }, ...options });
        },

        following: (options) => each(options, async (query, call) => {
            const { following, next } = (await api.GET('/users/{user}/following', { params: { path: own, query }, ...call })).data;
            return { items: following, next };
        }),

        feed: (options) => each(options, async (query, call) => {
            const { projects, next } = (await api.GET('/users/{user}/feed', { params: { path: own, query }, ...call })).data;
            return { items: projects, next };
        }),

        like: async ({ id: project }, options) => {
            await api.PUT('/projects/{project}/like', { params: { path: { project } }, ...options });
        },

        unlike: async ({ id: project }, options) => {
            await api.DELETE('/projects/{project}/like', { params: { path: { project } }, ...options });
        },

        likes: async ({ id: project }, options) =>
            (await api.GET('/projects/{project}/like', { params: { path: { project } }, ...options })).data.like.liked
    };
}
