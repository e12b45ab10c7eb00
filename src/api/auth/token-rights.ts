import type { Request } from '@hapi/hapi';

import { fault, lacksScope } from '../errors/errors';
import { currentUser } from '../request/caller';
import type { CurrentUser } from '../request/caller';

/*
 * What a token cannot do, whoever its user is. Which projects a token of some projects reads beside the one in the path: `maySee` in rules/visibility.ts;
 * which a bulk writes to: `may` in rules/access.ts. That moderators need a token of a sign-in: providers/bearer.ts.
 */

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** only with a token that its user signed in for, or with one of another provider. Routes that show secrets, or change accounts, people of classes or tokens, have to say it either way: sign-in-rule.ts */
        signedIn?: boolean;
        /** an account that a class manages cannot do it */
        notManaged?: boolean;
        /**
         * Rights here of a token that is for some projects: if nothing is said, all that is inside one of them, by its path. `checked`: the handler
         * checks each project. `nothing`: what is inside of a project by its path, and still writes elsewhere.
         */
        byTokenOfProjects?: 'checked' | 'nothing';
    }
}

type Asked = Pick<Request, 'params' | 'route'>;

/** Paths of what is in a project, and of a project itself. */
const inside = /^\/users\/\{user\}\/projects\/\{project\}(?:\/|$)|^\/projects\/\{project\}$/;

/** @throws 403 `outside_token` if the token is for some projects, and this is not inside of one of them */
export function refuseOutside({ params, route: { path, settings } }: Asked, { projects = null }: CurrentUser): void {
    const rule = settings.app?.byTokenOfProjects;
    const isInside = (): boolean => rule === undefined && inside.test(path) && projects?.includes(String(params.project)) === true;
    if (projects !== null && rule !== 'checked' && !isInside()) {
        throw outsideToken();
    }
}

/** @throws 403 `sign_in_needed` if the route needs a token of a sign-in, and this one is of a script or an app */
export function refuseWithoutSignIn({ route: { settings } }: Asked, { signedIn = true }: CurrentUser): void {
    if (settings.app?.signedIn === true && !signedIn) {
        throw fault('sign_in_needed');
    }
}

/** Paths of what is in a class, and those of them that show nothing of it but projects. */
const ofClass = /^\/classes\/\{class_id\}|^\/users\/\{user\}\/classes$/;
const projectsOfClass = /\/(?:projects|events)$/;

/** Whether `read` is enough for a request that only reads: who is in a class, and what they do there, is not for an app that only reads. */
export const readsWithRead = ({ method, route: { path } }: Pick<Request, 'method' | 'route'>): boolean => (method === 'get' || method === 'head') && (!ofClass.test(path) || projectsOfClass.test(path));

/** Whether a class manages the account. */
export const isManaged = ({ publish = null }: CurrentUser): boolean => publish !== null;

/** @throws 403 `managed_account` if a class manages the account, and only others can do this */
export function refuseManaged({ route: { settings } }: Pick<Asked, 'route'>, user: CurrentUser): void {
    if (settings.app?.notManaged === true && isManaged(user)) {
        throw fault('managed_account');
    }
}

/** Whether the token has a scope. `read` counts as every other, where it is enough. */
export const hasScope = ({ auth }: Pick<Request, 'auth'>, scope: 'user' | 'projects'): boolean => [auth.credentials.scope].flat().includes(scope);

/**
 * The caller, on a route that needs a token only for some of what it does: with the scope `user`, and of a sign-in.
 * @throws 401 or 403 as a route does that needs such a token for all of it
 */
export function accountHolder(request: Pick<Request, 'auth'>): CurrentUser {
    const user = currentUser(request);
    if (!hasScope(request, 'user')) {
        throw lacksScope('user');
    }

    if (user.signedIn === false) {
        throw fault('sign_in_needed');
    }

    return user;
}

export const outsideToken = (): Error => fault('outside_token');
