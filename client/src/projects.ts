import type { Api } from './api.js';
import { each, pathOf } from './lists.js';
import type { List, ListOptions, ReadOptions } from './lists.js';
import type { NewProject, Page, Project, ProjectPlace, ProjectWithStats } from './things.js';

/** Projects, newest first. More are requested only when needed. */
export type ProjectList = List<ProjectWithStats>;

export interface OwnOptions extends ListOptions {
    /** only those with this visibility */
    visibility?: Project['visibility'];
}

/** Operations on whole projects; use `save` to change them. */
export interface Projects {
    all(options?: ListOptions): ProjectList;
    tagged(tag: string, options?: ListOptions): ProjectList;
    /** your own projects, also those that others do not see */
    mine(options?: OwnOptions): ProjectList;
    /** those of an author, by the author's id */
    of(user: string, options?: ListOptions): ProjectList;
    remixesOf(project: ProjectPlace, options?: ListOptions): ProjectList;
    /** projects featured by moderators; with a `language` such as `pt-BR`, its authors first */
    featured(options?: ListOptions & { language?: string }): ProjectList;
    /** includes how often it was viewed and remixed */
    get(id: string, options?: ReadOptions): Promise<ProjectWithStats>;
    /** every page, each with its elements */
    pages(project: ProjectPlace, options?: ReadOptions): Promise<Page[]>;
    /** creates a project, with a first page at (0, 0) */
    create(project: NewProject): Promise<{ project: Project; page: Page }>;
    /** creates a copy of your own, with all pages and elements. Its title and visibility are those of its source if left out */
    remix(project: ProjectPlace, fields?: Partial<Pick<Project, 'title' | 'visibility'>>): Promise<Project>;
}

export function projectsOf(api: Api, checkSignedIn: () => void): Projects {
    const eachProject = (count: number, read: (query: { count: number; after?: string }) => Promise<{ projects: ProjectWithStats[]; next: string | null }>): ProjectList => {
        return each(count, async (query) => {
            const { projects, next } = await read(query);
            return { items: projects, next };
        });
    };

    const of = (user: string, { count = 50, signal }: ListOptions = {}): ProjectList => eachProject(count, async (query) => {
        return (await api.GET('/users/{user}/projects', { params: { path: { user }, query }, signal })).data;
    });

    return {
        all: ({ count = 50, signal } = {}) => eachProject(count, async (query) => (await api.GET('/projects', { params: { query }, signal })).data),

        tagged: (tag, { count = 50, signal } = {}) => eachProject(count, async (query) => {
            return (await api.GET('/projects/tagged/{tag}', { params: { path: { tag }, query }, signal })).data;
        }),

        mine: ({ count = 50, visibility = 'all', signal }: ListOptions & { visibility?: Project['visibility'] | 'all' } = {}) => eachProject(count, async (query) => {
            return (await api.GET('/users/{user}/projects', { params: { path: { user: 'me' }, query: { ...query, visibility } }, signal })).data;
        }),

        of,

        remixesOf: (project, { count = 50, signal } = {}) => eachProject(count, async (query) => {
            return (await api.GET('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project), query }, signal })).data;
        }),

        featured: ({ language, count = 50, signal } = {}) => eachProject(count, async (query) => (language === undefined
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

        remix: async (project, fields = {}) => (await api.POST('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project) }, body: fields })).data.project
    };
}
