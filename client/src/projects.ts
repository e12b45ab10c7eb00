import type { Api } from './api.js';
import type { NewProject, Page, Project, ProjectPlace, ProjectWithStats } from './things.js';

export interface ReadOptions {
    signal?: AbortSignal;
}

export interface ListOptions extends ReadOptions {
    /** how many to ask for at a time, 1 to 100; 50 if left out */
    count?: number;
}

/** Projects, newest first, one after the other. What follows is asked for only when it is wanted. */
export type ProjectList = AsyncGenerator<ProjectWithStats, void, undefined>;

interface Part {
    projects: ProjectWithStats[];
    next: string | null;
}

/** Goes by cursor, so that nothing is skipped or repeated while others make projects. */
async function* each(count: number, read: (query: { count: number; after?: string }) => Promise<Part>): ProjectList {
    let after: string | undefined;
    do {
        const { projects, next } = await read({ count, after });
        yield* projects;
        after = next ?? undefined;
    } while (after !== undefined);
}

const pathOf = ({ id, user_id }: ProjectPlace): { user: string; project: string } => ({ user: user_id, project: id });

/** What is done with a project as a whole; its changes go through `save`. */
export interface Projects {
    all(options?: ListOptions): ProjectList;
    tagged(tag: string, options?: ListOptions): ProjectList;
    /** one's own */
    mine(options?: ListOptions): ProjectList;
    /** those of an author, by the author's id */
    of(user: string, options?: ListOptions): ProjectList;
    remixesOf(project: ProjectPlace, options?: ListOptions): ProjectList;
    /** what moderators picked; with a `language`, as `pt-BR`, its authors first */
    featured(options?: ListOptions & { language?: string }): ProjectList;
    /** with how often it was viewed and remixed */
    get(id: string, options?: ReadOptions): Promise<ProjectWithStats>;
    /** every page, each with its elements */
    pages(project: ProjectPlace, options?: ReadOptions): Promise<Page[]>;
    /** a project of one's own, which starts with a page at (0, 0) */
    create(project: NewProject): Promise<{ project: Project; page: Page }>;
    /** a copy of one's own, with all pages and elements */
    remix(project: ProjectPlace): Promise<Project>;
}

export function projectsOf(api: Api, checkSignedIn: () => void): Projects {
    const of = (user: string, { count = 50, signal }: ListOptions = {}): ProjectList => each(count, async (query) => {
        return (await api.GET('/users/{user}/projects', { params: { path: { user }, query }, signal })).data;
    });

    return {
        all: ({ count = 50, signal } = {}) => each(count, async (query) => (await api.GET('/projects', { params: { query }, signal })).data),

        tagged: (tag, { count = 50, signal } = {}) => each(count, async (query) => {
            return (await api.GET('/projects/tagged/{tag}', { params: { path: { tag }, query }, signal })).data;
        }),

        mine: (options) => of('me', options),

        of,

        remixesOf: (project, { count = 50, signal } = {}) => each(count, async (query) => {
            return (await api.GET('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project), query }, signal })).data;
        }),

        featured: ({ language, count = 50, signal } = {}) => each(count, async (query) => (language === undefined
            ? (await api.GET('/discover', { params: { query }, signal })).data
            : (await api.GET('/discover/{language}', { params: { path: { language }, query }, signal })).data)),

        get: async (id, { signal } = {}) => (await api.GET('/projects/{project}', { params: { path: { project: id } }, signal })).data.project,

        pages: async (project, { signal } = {}) => {
            return (await api.GET('/users/{user}/projects/{project}/pages', { params: { path: pathOf(project) }, signal })).data.pages;
        },

        create: async (body) => {
            checkSignedIn();
            const { project, page } = (await api.POST('/users/{user}/projects', { params: { path: { user: 'me' } }, body })).data;
            return { project, page };
        },

        remix: async (project) => (await api.POST('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project) } })).data.project
    };
}
