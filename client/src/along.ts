import { signalOf } from './api.js';
import type { CallOptions, SendCall } from './api.js';
import type { SendBody } from './assets.js';
import { pathOf } from './lists.js';
import type { Class, Project, ProjectPlace } from './things.js';
import type { ProgressOptions } from './uploads.js';

/** The media types of what can be imported. */
const forms = { zip: 'application/zip', twine: 'text/html', markdown: 'text/markdown' } as const;

/** Files to take work along. */
export interface Along {
    /**
     * A project as a file: read it with `blob()`, or as a stream from `body`.
     * @param options.as a zip, which `import` reads, if left out; or one HTML file, which plays the project without a network
     * @param options.history whether the history is in the zip too, which is for owners, members and moderators
     * @param options.point the revision of a point of the history, to have it as it was then, as a zip: for the same people, and for teachers to whose class it was handed in
     */
    export(project: ProjectPlace, options?: CallOptions & { as?: 'zip' | 'html'; history?: boolean; point?: number }): Promise<Response>;

    /**
     * Makes a new project of your own of a zip that `export` made, here or elsewhere, or of a story.
     * @param options.form what the file is: a zip if left out, a story of Twine as it publishes it (HTML), or Markdown
     * @param options.visibility who may read it, instead of what the file says
     * @throws PagewrightError 400 with `details` that say what is wrong with the file, and where
     */
    import(file: Blob | Uint8Array<ArrayBuffer>, options?: ProgressOptions & { form?: keyof typeof forms; visibility?: Project['visibility'] }): Promise<Project>;

    /** Everything of yours as one zip. */
    takeout(options?: CallOptions): Promise<Response>;

    /** The work of a class that you teach as one zip. @param options.pupil the id of a pupil, for the work of that one alone */
    takeoutOfClass(one: Pick<Class, 'id'>, options?: CallOptions & { pupil?: string }): Promise<Response>;
}

/** Its parameters `send` and `sendBody` send a request once. */
export function alongOf(url: string, token: () => Promise<string | undefined>, send: SendCall, sendBody: SendBody): Along {
    const get = async (path: string, inPath: Record<string, string>, address: string, options: CallOptions): Promise<Response> => {
        const known = await token();
        return await send(new Request(`${url}${address}`, { signal: signalOf(options) ?? null, headers: known === undefined ? {} : { Authorization: `token ${known}` } }), path, inPath);
    };

    return {
        export: (project, { as, history = false, point, ...options } = {}) => {
            const inPath = pathOf(project);
            const query = new URLSearchParams({ ...as === undefined ? {} : { as }, ...history ? { history: 'true' } : {}, ...point === undefined ? {} : { point: String(point) } }).toString();
            return get('/users/{user}/projects/{project}/export', inPath, `/users/${inPath.user}/projects/${inPath.project}/export${query === '' ? '' : `?${query}`}`, options);
        },

        import: async (file, { form = 'zip', visibility, onProgress, ...options } = {}) => {
            const path = '/users/{user}/imports';
            const query = visibility === undefined ? '' : `?visibility=${visibility}`;
            const request = new Request(`${url}/users/me/imports${query}`, { method: 'POST', signal: signalOf(options) ?? null, headers: { 'Content-Type': forms[form] } });
            const body = new Blob([file]);
            const { project }: { project: Project } = await (await sendBody(body, onProgress, request, path, { user: 'me' })).json();
            return project;
        },

        takeout: (options = {}) => get('/users/{user}/takeout', { user: 'me' }, '/users/me/takeout', options),

        takeoutOfClass: ({ id }, { pupil, ...options } = {}) => get('/classes/{class_id}/takeout', { class_id: id }, `/classes/${id}/takeout${pupil === undefined ? '' : `?pupil=${pupil}`}`, options)
    };
}
