import { drawing } from '../support/files';
import { fileOf, projectZip } from '../support/zips';
import { only, own, read, writers } from './privacy';
import type { Routes } from './route';

/** Files: assets, thumbnails, imports and exports. */
export const files: Routes = {
    'GET /users/{user}/projects/{project}/export': {
        scope: '', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'POST /users/{user}/imports': {
        scope: 'projects', cost: 'work', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '201 201 201 201',
        takes: null,
        privacy: null,
        body: () => projectZip(fileOf({ title: 'New' }))
    },
    'GET /users/{user}/takeout': {
        scope: 'user', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403',
        privacy: own(200)
    },
    'GET /assets/{sha256}': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'public, max-age=31536000, immutable',
        callers: '200', me: null,
        privacy: null,
        unnoted: 'is for everybody who knows the hash'
    },
    'GET /users/{user}/assets': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403',
        privacy: null
    },
    'PUT /users/{user}/assets/{sha256}': {
        scope: 'projects', cost: 'work', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '201 201 201 403',
        takes: null,
        privacy: null,
        body: () => drawing()
    },
    'POST /users/{user}/assets/missing': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200= 403 403', me: '200= 200= 200= 403',
        takes: ['ids'],
        privacy: null,
        body: () => ({ ids: [] })
    },
    'PUT /users/{user}/projects/{project}/thumbnail': {
        scope: 'projects', cost: 'work', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: null,
        privacy: only(200, ...writers),
        body: () => drawing()
    }
};
