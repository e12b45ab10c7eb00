import { actions, bulkOf } from './actions';
import { list, only, read, removers, writers } from './privacy';
import type { Routes } from './route';

/** Projects, their pages and elements. */
export const projects: Routes = {
    'GET /projects/{project}': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: read
    },
    'GET /users/{user}/projects': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: '200 200 200 403',
        privacy: list
    },
    'POST /users/{user}/projects': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '201 201 201 201',
        takes: ['title', 'description', 'thumbnail'],
        privacy: null,
        body: () => ({ title: 'New' })
    },
    'GET /users/{user}/projects/{project}': {
        scope: '', cost: 'cheap', limit: null, origin: 'fixed', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'PATCH /users/{user}/projects/{project}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['title', 'description', 'thumbnail', 'revision'],
        privacy: [
            only(200, ...writers),
            { as: 'visibility', expected: only(200, 'owner'), body: () => ({ visibility: 'public' }) }
        ],
        body: () => ({ title: 'Changed' })
    },
    'DELETE /users/{user}/projects/{project}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 200 403', me: '404 200 404 403',
        takes: ['revision'],
        privacy: only(200, 'owner', 'moderator')
    },
    'PATCH /users/{user}/projects/{project}/feature': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: '404 403 404 403',
        takes: ['featured', 'revision'],
        privacy: only(200, 'moderator')
    },
    'GET /users/{user}/projects/{project}/pages': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'POST /users/{user}/projects/{project}/pages': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '404 201 404 403',
        takes: ['x', 'y', 'styles'],
        privacy: only(201, ...writers),
        body: () => ({ x: 1, y: 1 })
    },
    'GET /users/{user}/projects/{project}/pages/{page}': {
        scope: '', cost: 'cheap', limit: null, origin: 'fixed', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'PATCH /users/{user}/projects/{project}/pages/{page}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['x', 'y', 'styles', 'revision'],
        privacy: only(200, ...writers),
        body: () => ({ x: 5 })
    },
    'DELETE /users/{user}/projects/{project}/pages/{page}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 200 403', me: '404 200 404 403',
        takes: ['revision'],
        privacy: only(200, ...removers)
    },
    'GET /users/{user}/projects/{project}/pages/{page}/elements': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'POST /users/{user}/projects/{project}/pages/{page}/elements': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '404 201 404 403',
        takes: ['type', 'attributes', 'styles'],
        privacy: only(201, ...writers),
        body: () => ({ type: 'image' })
    },
    'GET /users/{user}/projects/{project}/pages/{page}/elements/{element}': {
        scope: '', cost: 'cheap', limit: null, origin: 'fixed', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'PATCH /users/{user}/projects/{project}/pages/{page}/elements/{element}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['attributes', 'styles', 'revision'],
        privacy: only(200, ...writers),
        body: () => ({ styles: { top: 1 } })
    },
    'DELETE /users/{user}/projects/{project}/pages/{page}/elements/{element}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 200 403', me: '404 200 404 403',
        takes: ['revision'],
        privacy: only(200, ...removers)
    },
    'POST /users/{user}/bulk': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        // Of one action: test/routes/actions.ts has all of them.
        callers: actions['elements update'].callers, me: actions['elements update'].me,
        takes: ['actions'],
        privacy: null,
        body: (ids) => bulkOf('elements update', actions['elements update'].data(ids))
    }
};
