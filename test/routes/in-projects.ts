import { everybody, inside, isKnown, members, only, own, read, writers } from './privacy';
import type { Expected, Routes } from './route';

/** A read that says more to whoever sends a token, which has to be valid. */
const seen: Expected = (state, caller) => (caller === 'bad' ? 401 : read(state, caller));

/** What is in or of a project, beside its pages: remixes, history, members, trash. */
export const inProjects: Routes = {
    'GET /users/{user}/projects/{project}/remixes': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'POST /users/{user}/projects/{project}/remixes': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '201 201 201 201', me: '404 201 404 403',
        takes: [],
        privacy: (state, caller) => ((state === 'held' && inside(state, caller)) || (state === 'private' && caller === 'moderator') ? 403 : only(201, ...everybody)(state, caller))
    },
    'GET /users/{user}/projects/{project}/events': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'no-store',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'GET /users/{user}/projects/{project}/history': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 200 403', me: '404 200 404 403',
        privacy: only(200, ...members)
    },
    'GET /users/{user}/projects/{project}/history/{revision}': {
        scope: 'projects', cost: 'heavy', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 200 403', me: '404 200 404 403',
        privacy: only(200, ...members)
    },
    'PUT /users/{user}/projects/{project}/history/{revision}/label': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['label'],
        privacy: only(200, ...writers),
        body: () => ({ label: 'Good' })
    },
    'DELETE /users/{user}/projects/{project}/history/{revision}/label': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: [],
        privacy: only(200, ...writers)
    },
    'POST /users/{user}/projects/{project}/history/{revision}/restore': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200= 403 403', me: '404 200= 404 403',
        takes: ['pages'],
        privacy: only(200, ...writers)
    },
    'POST /users/{user}/projects/{project}/history/{revision}/undo': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 409 403 403', me: '404 409 404 403',
        takes: [],
        privacy: only(409, ...writers)
    },
    'GET /users/{user}/projects/{project}/changes': {
        scope: '', cost: 'heavy', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read,
        query: '?since=0'
    },
    'GET /users/{user}/projects/{project}/lineage': {
        scope: '', cost: 'heavy', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: '404 200 404 403',
        privacy: read
    },
    'GET /users/{user}/projects/{project}/upstream': {
        scope: '', cost: 'heavy', limit: null, origin: 'later', cache: 'usual',
        callers: '404 401 401 401 404 401 404 404 404 404', me: '404 404 404 403',
        // The project is no remix: test/projects/lineage/ has those that are.
        privacy: (_state, caller) => (caller === 'bad' ? 401 : 404)
    },
    'POST /users/{user}/projects/{project}/upstream/pull': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 404 403 403', me: '404 404 404 403',
        takes: ['take'],
        privacy: only(404, ...writers)
    },
    'GET /users/{user}/projects/{project}/members': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 200 403', me: '404 200 404 403',
        privacy: only(200, ...members)
    },
    'PUT /users/{user}/projects/{project}/members/{username}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['role'],
        privacy: only(200, 'owner'),
        body: () => ({ role: 'editor' })
    },
    'DELETE /users/{user}/projects/{project}/members/{username}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: [],
        // The name in the path is the viewer's.
        privacy: only(200, 'owner', 'viewer')
    },
    'PUT /users/{user}/projects/{project}/presence': {
        scope: 'projects', cost: 'cheap', limit: 'presence', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['page', 'cursor', 'selected'],
        privacy: only(200, ...writers),
        body: () => ({})
    },
    'GET /users/{user}/projects/{project}/invitations': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        privacy: only(200, 'owner')
    },
    'POST /users/{user}/projects/{project}/invitations': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 201 403 403', me: '404 201 404 403',
        takes: ['role', 'expires_in', 'uses'],
        privacy: only(201, 'owner'),
        body: () => ({ role: 'viewer', uses: 30 })
    },
    'DELETE /users/{user}/projects/{project}/invitations/{invitation}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: [],
        privacy: only(200, 'owner')
    },
    'POST /invitations': {
        scope: 'projects', cost: 'cheap', limit: 'joins', origin: 'later', cache: 'usual',
        callers: '200 409 200 200', me: null,
        takes: ['code'],
        privacy: (state, caller) => (!isKnown(caller) ? 401 : state === 'held' ? 404 : caller === 'owner' ? 409 : 200),
        body: ({ code }) => ({ code })
    },
    'GET /users/{user}/projects/{project}/comments': {
        scope: 'optional', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200 401 401 401 200 401 200 200 200 200', me: '401 401 401 401 200 401 404 200 404 403',
        privacy: seen
    },
    'POST /users/{user}/projects/{project}/comments': {
        scope: 'projects', cost: 'cheap', limit: 'comments', origin: 'later', cache: 'usual',
        callers: '201 201 201 403', me: '404 201 404 403',
        takes: ['text', 'page', 'element', 'reply_to', 'idempotency_key'],
        privacy: only(201, ...everybody),
        body: () => ({ text: 'New' })
    },
    'PATCH /users/{user}/projects/{project}/comments/{comment}': {
        scope: 'projects', cost: 'cheap', limit: 'comments', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['text'],
        // The owner wrote it.
        privacy: only(200, 'owner'),
        body: () => ({ text: 'Changed' })
    },
    'DELETE /users/{user}/projects/{project}/comments/{comment}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 200 403', me: '404 200 404 403',
        takes: [],
        privacy: only(200, 'owner', 'moderator')
    },
    'GET /users/{user}/projects/{project}/comments/settings': {
        scope: 'optional', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200 401 401 401 200 401 200 200 200 200', me: '401 401 401 401 200 401 404 200 404 403',
        privacy: seen
    },
    'PUT /users/{user}/projects/{project}/comments/settings': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['who'],
        privacy: only(200, 'owner'),
        body: () => ({ who: 'members' })
    },
    'GET /users/{user}/shared': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: own(200)
    },
    'GET /users/{user}/trash': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 200 403', me: '200 200 200 403', absentUser: 403,
        privacy: own(200, 'moderator')
    },
    // The owner removed it: test/projects/trash has what others remove.
    'POST /users/{user}/trash/{entry}/restore': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        takes: ['x', 'y'],
        privacy: own(200)
    },
    'DELETE /users/{user}/trash/{entry}': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        takes: [],
        privacy: own(200)
    }
};
