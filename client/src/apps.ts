import type { Api, CallOptions } from './api.js';
import type { App, Authorization, NewApp, OwnApp } from './things.js';

/** Programs that sign people in. */
export interface Apps {
    /** An app as everybody sees it. */
    get(id: string, options?: CallOptions): Promise<App>;
    /** those that you registered, newest first */
    mine(options?: CallOptions): Promise<OwnApp[]>;
    /** Registers an app. A confidential one gets a secret, which is shown only this once. @throws PagewrightError 409 `app_limit` */
    create(app: NewApp, options?: CallOptions): Promise<{ app: OwnApp; clientSecret: string | null }>;
    update(app: Pick<OwnApp, 'id'>, changes: Partial<Omit<NewApp, 'confidential'>>, options?: CallOptions): Promise<OwnApp>;
    /** Gives a confidential app another secret, which is shown only this once. The old one ends at once. @throws PagewrightError 404 if it has none */
    replaceSecret(app: Pick<OwnApp, 'id'>, options?: CallOptions): Promise<string>;
    /** those that you have let in, the latest first */
    used(options?: CallOptions): Promise<Authorization[]>;
    /** Ends what an app may do for you: it is signed out everywhere at once. */
    end(app: Pick<App, 'id'>, options?: CallOptions): Promise<void>;
    /** Deletes an app, and ends every token of it. */
    delete(app: Pick<OwnApp, 'id'>, options?: CallOptions): Promise<void>;
}

export function appsOf(api: Api): Apps {
    const own = ({ id }: Pick<App, 'id'>): { path: { user: 'me'; app: string } } => ({ path: { user: 'me', app: id } });
    return {
        get: async (id, options) => (await api.GET('/apps/{app}', { params: { path: { app: id } }, ...options })).data.app,

        mine: async (options) => (await api.GET('/users/{user}/apps', { params: { path: { user: 'me' } }, ...options })).data.apps,

        create: async (body, options) => {
            const { app, client_secret: clientSecret = null } = (await api.POST('/users/{user}/apps', { params: { path: { user: 'me' } }, body, ...options })).data;
            return { app, clientSecret };
        },

        update: async (app, body, options) => (await api.PATCH('/users/{user}/apps/{app}', { params: own(app), body, ...options })).data.app,

        replaceSecret: async (app, options) => (await api.POST('/users/{user}/apps/{app}/secret', { params: own(app), ...options })).data.client_secret,

        used: async (options) => (await api.GET('/users/{user}/authorizations', { params: { path: { user: 'me' } }, ...options })).data.authorizations,

        end: async (app, options) => {
            await api.DELETE('/users/{user}/authorizations/{app}', { params: own(app), ...options });
        },

        delete: async (app, options) => {
            await api.DELETE('/users/{user}/apps/{app}', { params: own(app), ...options });
        }
    };
}
