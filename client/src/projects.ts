import { bodyOf } from './api.js';
import type { Api } from './api.js';
import type { Session } from './session.js';
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

export function projectsOf(api: Api, current: () => Session): Projects {
    return {
        all: ({ count = 50, signal } = {}) => each(count, (query) => bodyOf(api.GET('/projects', { params: { query }, signal }))),

        tagged: (tag, { count = 50, signal } = {}) => each(count, (query) => {
            return bodyOf(api.GET('/projects/tagged/{tag}', { params: { path: { tag }, query }, signal }));
        }),

        of: (user, { count = 50, signal } = {}) => each(count, (query) => {
            return bodyOf(api.GET('/users/{user}/projects', { params: { path: { user }, query }, signal }));
        }),

        remixesOf: (project, { count = 50, signal } = {}) => each(count, (query) => {
            return bodyOf(api.GET('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project), query }, signal }));
        }),

        featured: ({ language, count = 50, signal } = {}) => each(count, (query) => (language === undefined
            ? bodyOf(api.GET('/discover', { params: { query }, signal }))
            : bodyOf(api.GET('/discover/{language}', { params: { path: { language }, query }, signal })))),

        get: async (id, { signal } = {}) => (await bodyOf(api.GET('/projects/{project}', { params: { path: { project: id } }, signal }))).project,

        pages: async (project, { signal } = {}) => {
            return (await bodyOf(api.GET('/users/{user}/projects/{project}/pages', { params: { path: pathOf(project) }, signal }))).pages;
        },

        create: async (body) => {
            const { project, page } = await bodyOf(api.POST('/users/{user}/projects', { params: { path: { user: current().user.id } }, body }));
            return { project, page };
        },

        remix: async (project) => (await bodyOf(api.POST('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project) } }))).project
    };
}
