import type { Api } from './api.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { Collection, NewCollection, Project, ProjectWithStats } from './things.js';

/** Projects that users have put together, in an order. */
export interface Collections {
    /** your own, newest first */
    mine(options?: ListOptions): List<Collection>;
    /** the public ones of a user, by the user's id, newest first */
    of(user: string, options?: ListOptions): List<Collection>;
    get(id: string): Promise<Collection>;
    /** the projects in it that you may see, in its order */
    projects(id: string, options?: ListOptions): List<ProjectWithStats>;
    create(collection: NewCollection): Promise<Collection>;
    update(collection: Pick<Collection, 'id'>, changes: Partial<NewCollection>): Promise<Collection>;
    delete(collection: Pick<Collection, 'id'>): Promise<void>;
    /** Puts a project into it, or moves it there. @param position 0 is first; the end if left out */
    put(collection: Pick<Collection, 'id'>, project: Pick<Project, 'id'>, position?: number): Promise<Collection>;
    /** Takes a project out of it. */
    take(collection: Pick<Collection, 'id'>, project: Pick<Project, 'id'>): Promise<Collection>;
}

export function collectionsOf(api: Api): Collections {
    const own = ({ id }: Pick<Collection, 'id'>): { user: 'me'; collection: string } => ({ user: 'me', collection: id });

    const of = (user: string, { count = 50, signal }: ListOptions = {}): List<Collection> => each(count, async (query) => {
        const { collections, next } = (await api.GET('/users/{user}/collections', { params: { path: { user }, query }, signal })).data;
        return { items: collections, next };
    });

    return {
        mine: (options) => of('me', options),

        of,

        get: async (id) => (await api.GET('/collections/{collection}', { params: { path: { collection: id }, query: { count: 1 } } })).data.collection,

        projects: (id, { count = 50, signal } = {}) => each(count, async (query) => {
            const { projects, next } = (await api.GET('/collections/{collection}', { params: { path: { collection: id }, query }, signal })).data;
            return { items: projects, next };
        }),

        create: async (body) => (await api.POST('/users/{user}/collections', { params: { path: { user: 'me' } }, body })).data.collection,

        update: async (collection, body) => (await api.PATCH('/users/{user}/collections/{collection}', { params: { path: own(collection) }, body })).data.collection,

        delete: async (collection) => {
            await api.DELETE('/users/{user}/collections/{collection}', { params: { path: own(collection) } });
        },

        put: async (collection, project, position) => {
            return (await api.PUT('/users/{user}/collections/{collection}/projects/{project}', {
                params: { path: { ...own(collection), project: project.id } }, body: position === undefined ? {} : { position }
            })).data.collection;
        },

        take: async (collection, project) => {
            return (await api.DELETE('/users/{user}/collections/{collection}/projects/{project}', { params: { path: { ...own(collection), project: project.id } } })).data.collection;
        }
    };
}
