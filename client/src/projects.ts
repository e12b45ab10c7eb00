import type { Api, CallOptions } from './api.js';
import { each, pathOf } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { ListedProject, NewProject, Page, Project, ProjectPlace, ProjectWithStats } from './things.js';

/** Projects, newest first. More are requested only when needed. */
export type ProjectList = List<ProjectWithStats>;

/** The filters of a search. */
export interface SearchOptions extends ListOptions {
    /** of the author; `pt` finds `pt-BR` too */
    language?: string;
    tag?: string;
    /** a username */
    author?: string;
}

export interface OwnOptions extends ListOptions {
    /** only those with this visibility */
    visibility?: Project['visibility'];
}

/** Operations on whole projects; use `save` to change them. */
export interface Projects {
    all(options?: ListOptions): ProjectList;
    tagged(tag: string, options?: ListOptions): ProjectList;
    /** public projects with all the words in title, description, tags and author's name, best matches first */
    search(q: string, options?: SearchOptions): ProjectList;
    /** those that most people have looked at or remixed in the last days */
    trending(options?: ListOptions): ProjectList;
    /** your own projects, also those that others do not see */
    mine(options?: OwnOptions): List<ListedProject>;
    /** those of an author, by the author's id */
    of(user: string, options?: ListOptions): ProjectList;
    remixesOf(project: ProjectPlace, options?: ListOptions): ProjectList;
    /** projects featured by moderators; with a `language` such as `pt-BR`, its authors first */
    featured(options?: ListOptions & { language?: string }): ProjectList;
    /** includes how often it was viewed and remixed */
    get(id: string, options?: CallOptions): Promise<ProjectWithStats>;
    /** every page, each with its elements */
    pages(project: ProjectPlace, options?: CallOptions): Promise<Page[]>;
    /** creates a project, with a first page at (0, 0) */
    create(project: NewProject, options?: CallOptions): Promise<{ project: Project; page: Page }>;
    /** creates a copy of your own, with all pages and elements. Its title and visibility are those of its source if left out */
    remix(project: ProjectPlace, fields?: Partial<Pick<Project, 'title' | 'visibility'>>, options?: CallOptions): Promise<Project>;
}

export function projectsOf(api: Api, checkSignedIn: () => void): Projects {
    type Read = Parameters<typeof each>[1];

    type Listed<Item> = Promise<{ projects: Item[]; next: string | null }>;

    const eachProject = <Item>(options: ListOptions | undefined, read: (...args: Parameters<Read>) => Listed<Item>): List<Item> => {
        return each(options, async (...args) => {
            const { projects, next } = await read(...args);
            return { items: projects, next };
        });
    };

    const of = (user: string, options?: ListOptions): ProjectList => eachProject(options, async (query, call) => {
        return (await api.GET('/users/{user}/projects', { params: { path: { user }, query }, ...call })).data;
    });

    return {
        all: (options) => eachProject(options, async (query, call) => (await api.GET('/projects', { params: { query }, ...call })).data),

        tagged: (tag, options) => eachProject(options, async (query, call) => {
            return (await api.GET('/projects/tagged/{tag}', { params: { path: { tag }, query }, ...call })).data;
        }),

        search: (q, { language, tag, author, ...options } = {}) => eachProject(options, async (query, call) => {
            return (await api.GET('/search', { params: { query: { q, language, tag, author, ...query } }, ...call })).data;
        }),

        trending: (options) => eachProject(options, async (query, call) => (await api.GET('/trending', { params: { query }, ...call })).data),

        mine: ({ visibility = 'all', ...options }: ListOptions & { visibility?: Project['visibility'] | 'all' } = {}) => eachProject(options, async (query, call) => {
            return (await api.GET('/users/{user}/projects', { params: { path: { user: 'me' }, query: { ...query, visibility } }, ...call })).data;
        }),

        of,

        remixesOf: (project, options) => eachProject(options, async (query, call) => {
            return (await api.GET('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project), query }, ...call })).data;
        }),

        featured: ({ language, ...options } = {}) => eachProject(options, async (query, call) => (language === undefined
            ? (await api.GET('/discover', { params: { query }, ...call })).data
            : (await api.GET('/discover/{language}', { params: { path: { language }, query }, ...call })).data)),

        get: async (id, options) => (await api.GET('/projects/{project}', { params: { path: { project: id } }, ...options })).data.project,

        pages: async (project, options) => {
            return (await api.GET('/users/{user}/projects/{project}/pages', { params: { path: pathOf(project) }, ...options })).data.pages;
        },

        create: async (body, options) => {
            checkSignedIn();
            const { project, page } = (await api.POST('/users/{user}/projects', { params: { path: { user: 'me' } }, body, ...options })).data;
            return { project, page };
        },

        remix: async (project, body = {}, options = {}) => {
            return (await api.POST('/users/{user}/projects/{project}/remixes', { params: { path: pathOf(project) }, body, ...options })).data.project;
        }
    };
}
