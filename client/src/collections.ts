import type { Api, CallOptions } from './api.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { Collection, NewCollection, Project, ProjectWithStats } from './things.js';

/** Projects that users have put together, in an order. */
export interface Collections {
    /** your own, newest first */
    mine(options?: ListOptions): List<Collection>;
    /** the public ones of a user, by the user's id, newest first */
    of(user: string, options?: ListOptions): List<Collection>;
    get(id: string, options?: CallOptions): Promise<Collection>;
    /** the projects in it that you may see, in its order */
    projects(id: string, options?: ListOptions): List<ProjectWithStats>;
    create(collection: NewCollection, options?: CallOptions): Promise<Collection>;
    update(collection: Pick<Collection, 'id'>, changes: Partial<NewCollection>, options?: CallOptions): Promise<Collection>;
    delete(collection: Pick<Collection, 'id'>, options?: CallOptions): Promise<void>;
    /** Puts a project into it, or moves it there. @param position 0 is first; the end if left out */
    put(collection: Pick<Collection, 'id'>, project: Pick<Project, 'id'>, position?: number, options?: CallOptions): Promise<Collection>;
    /** Takes a project out of it. */
    take(collection: Pick<Collection, 'id'>, project: Pick<Project, 'id'>, options?: CallOptions): Promise<Collection>;
}

export function collectionsOf(api: Api): Collections {
    const own = ({ id }: Pick<Collection, 'id'>): { user: 'me'; collection: string } => ({ user: 'me', collection: id });

    const of = (user: string, options?: ListOptions): List<Collection> => each(options, async (query, call) => {
        const { collections, next } = (await api.GET('/users/{user}/collections', { params: { path: { user }, query }, ...call })).data;
        return { items: collections, next };
    });

    return {
        mine: (options) => of('me', options),

        of,

        get: async (id, options) => (await api.GET('/collections/{collection}', { params: { path: { collection: id }, query: { count: 1 } }, ...options })).data.collection,

        projects: (id, options) => each(options, async (query, call) => {
            const { projects, next } = (await api.GET('/collections/{collection}', { params: { path: { collection: id }, query }, ...call })).data;
            return { items: projects, next };
        }),

        create: async (body, options) => (await api.POST('/users/{user}/collections', { params: { path: { user: 'me' } }, body, ...options })).data.collection,

        update: async (collection, body, options) => (await api.PATCH('/users/{user}/collections/{collection}', { params: { path: own(collection) }, body, ...options })).data.collection,

        delete: async (collection, options) => {
            await api.DELETE('/users/{user}/collections/{collection}', { params: { path: own(collection) }, ...options });
        },

        put: async (collection, project, position, options) => {
            return (await api.PUT('/users/{user}/collections/{collection}/projects/{project}', {
                params: { path: { ...own(collection), project: project.id } }, body: position === undefined ? {} : { position }, ...options
            })).data.collection;
        },

        take: async (collection, project, options) => {
            return (await api.DELETE('/users/{user}/collections/{collection}/projects/{project}', { params: { path: { ...own(collection), project: project.id } }, ...options })).data.collection;
        }
    };
}
