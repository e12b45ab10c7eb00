import type { SendCall } from './api.js';
import { pathOf } from './lists.js';
import type { ReadOptions } from './lists.js';
import type { Project, ProjectPlace } from './things.js';

/** Files to take work along. */
export interface Along {
    /**
     * A project as a zip: read it with `blob()`, or as a stream from `body`.
     * @param options.history whether the history is in it too, which is for owners, members and moderators
     */
    export(project: ProjectPlace, options?: ReadOptions & { history?: boolean }): Promise<Response>;

    /**
     * Makes a new project of your own of a zip that `export` made, here or elsewhere.
     * @param options.visibility who may read it, instead of what the file says
     * @throws PagewrightError 400 with `details` that say what is wrong with the file, and where
     */
    import(zip: Blob | Uint8Array<ArrayBuffer>, options?: ReadOptions & { visibility?: Project['visibility'] }): Promise<Project>;

    /** Everything of yours as one zip. */
    takeout(options?: ReadOptions): Promise<Response>;
}

/** @param send sends a request once */
export function alongOf(url: string, token: () => string | undefined, send: SendCall): Along {
    const get = (path: string, inPath: Record<string, string>, address: string, signal: AbortSignal | undefined): Promise<Response> => {
        const known = token();
        return send(new Request(`${url}${address}`, { signal: signal ?? null, headers: known === undefined ? {} : { Authorization: `token ${known}` } }), path, inPath);
    };

    return {
        export: (project, { history = false, signal } = {}) => {
            const inPath = pathOf(project);
            return get('/users/{user}/projects/{project}/export', inPath, `/users/${inPath.user}/projects/${inPath.project}/export${history ? '?history=true' : ''}`, signal);
        },

        import: async (body, { visibility, signal } = {}) => {
            const path = '/users/{user}/imports';
            const query = visibility === undefined ? '' : `?visibility=${visibility}`;
            const request = new Request(`${url}/users/me/imports${query}`, { method: 'POST', signal: signal ?? null, headers: { 'Content-Type': 'application/zip' }, body });
            const { project }: { project: Project } = await (await send(request, path, { user: 'me' })).json();
            return project;
        },

        takeout: ({ signal } = {}) => get('/users/{user}/takeout', { user: 'me' }, '/users/me/takeout', signal)
    };
}
