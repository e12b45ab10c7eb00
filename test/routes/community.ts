import { collected, everybody, hidden, inside, isKnown, list, moderators, only, own } from './privacy';
import type { Routes } from './route';

/** Lists of public projects, collections and moderation. */
export const community: Routes = {
    'GET /discover': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: list
    },
    'GET /discover/{language}': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: list
    },
    'GET /search': {
        scope: '', cost: 'heavy', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: [
            { ...list, query: '?q=marked-title' },
            { as: 'by tag', ...list, query: '?q=marked&tag=marked-tag' },
            { as: 'by author', ...list, query: '?q=owner&author=owner&count=1' }
        ],
        query: '?q=mine'
    },
    'GET /trending': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: list
    },
    'GET /featured-tags': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: list
    },
    'GET /projects': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: list
    },
    'GET /projects/tagged/{tag}': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: list
    },
    'POST /projects/{project}/reports': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '201 403 201 403', me: null,
        takes: ['reason', 'text'],
        privacy: (state, caller) => (caller === 'owner' ? 403 : only(201, ...everybody)(state, caller)),
        body: () => ({ reason: 'spam' })
    },
    'POST /projects/{project}/guest-reports': {
        scope: '', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '201', me: null,
        takes: ['reason', 'text'],
        privacy: (state) => (state === 'private' || state === 'held' ? 404 : 201),
        // No token is looked at.
        whileSuspended: true,
        unnoted: 'no token is looked at',
        body: () => ({ reason: 'spam' })
    },
    'POST /comments/{comment}/reports': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '201 403 201 403', me: null,
        takes: ['reason', 'text'],
        privacy: (state, caller) => (caller === 'owner' ? 403 : only(201, ...everybody)(state, caller)),
        body: () => ({ reason: 'spam' })
    },
    'POST /users/{user}/reports': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '201 403 201 403', me: '403 403 403 403',
        takes: ['reason', 'text'],
        privacy: null,
        body: () => ({ reason: 'spam' })
    },
    'GET /users/{user}/reports': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: own(200)
    },
    'GET /moderation/reports': {
        scope: 'projects', cost: 'heavy', limit: null, origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        privacy: moderators(200)
    },
    'PATCH /moderation/reports/{project}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        takes: ['state', 'note', 'rule'],
        privacy: moderators(200),
        unnoted: 'the decision is a line of the log itself',
        body: () => ({ state: 'kept', note: 'Fine' })
    },
    'PATCH /moderation/reports/comments/{comment}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        takes: ['state', 'note', 'rule'],
        privacy: moderators(200),
        unnoted: 'the decision is a line of the log itself',
        body: () => ({ state: 'kept', note: 'Fine' })
    },
    'PATCH /moderation/reports/users/{user}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        takes: ['state', 'note', 'rule', 'until'],
        privacy: null,
        body: () => ({ state: 'kept', note: 'Fine' })
    },
    'PUT /moderation/projects/{project}/hold': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        takes: ['reason', 'rule'],
        privacy: moderators(200),
        unnoted: 'the hold is a line of the log itself',
        body: () => ({ reason: 'Spam' })
    },
    'DELETE /moderation/projects/{project}/hold': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 404 403', me: null,
        takes: [],
        privacy: (state, caller) => moderators(state === 'held' ? 200 : 404)(state, caller),
        unnoted: 'the release is a line of the log itself'
    },
    'PUT /moderation/users/{user}/suspension': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        takes: ['reason', 'rule', 'until'],
        privacy: null,
        body: () => ({ reason: 'Spam' })
    },
    'DELETE /moderation/users/{user}/suspension': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 404 403', me: null,
        takes: [],
        privacy: null
    },
    'PUT /moderation/users/{user}/teacher': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        // The owner is one already.
        callers: '403 403 200= 403', me: null,
        takes: [],
        privacy: null
    },
    'DELETE /moderation/users/{user}/teacher': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        takes: [],
        privacy: null
    },
    'PUT /moderation/assets/{sha256}': {
        scope: 'projects', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        // Nobody has sent the picture.
        callers: '403 403 404 403', me: null,
        takes: ['reason'],
        privacy: null,
        body: () => ({ reason: 'Hurtful' })
    },
    'DELETE /moderation/assets/{sha256}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 404 403', me: null,
        takes: ['reason'],
        privacy: null
    },
    'GET /moderation/log': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        privacy: moderators(200)
    },
    'GET /moderation/appeals': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        privacy: moderators(200),
        unnoted: 'a title is all that it shows of a project'
    },
    'PATCH /moderation/appeals/{statement}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        takes: ['outcome', 'reason'],
        privacy: null,
        body: () => ({ outcome: 'upheld', reason: 'Spam' })
    },
    'GET /moderation/summary': {
        scope: 'projects', cost: 'heavy', limit: null, origin: 'later', cache: 'usual',
        callers: '403 403 200 403', me: null,
        privacy: moderators(200)
    },
    'GET /users/{user}/statements': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: own(200)
    },
    'POST /users/{user}/statements/{statement}/appeal': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        // The owner has appealed already.
        callers: '403 409 403 403', me: '404 409 404 403', absentUser: 403,
        takes: ['text', 'idempotency_key'],
        privacy: null,
        whileSuspended: true,
        body: () => ({ text: 'It is none' })
    },
    'GET /users/{user}/collections': {
        scope: '', cost: 'heavy', limit: null, origin: 'later', cache: 'by reader',
        callers: '200', me: '200 200 200 403',
        privacy: { expected: () => 200, shows: (_state, caller) => caller === 'owner' }
    },
    'POST /users/{user}/collections': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '201 201 201 403', absentUser: 403,
        takes: ['title', 'description', 'visibility', 'idempotency_key'],
        privacy: own(201),
        body: () => ({ title: 'New' })
    },
    'GET /collections/{collection}': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'by reader',
        callers: '200', me: null,
        // Of the owner, to whom the hidden one is private. Each caller has one of their own.
        privacy: [
            { expected: () => 200, shows: collected },
            { path: '/collections/{hidden}', expected: (_state, caller) => (caller === 'owner' ? 200 : caller === 'bad' ? 401 : 404), shows: (_state, caller) => caller === 'owner' },
            { path: '/collections/{mine}', expected: () => 200, shows: collected }
        ]
    },
    'PATCH /users/{user}/collections/{collection}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['title', 'description', 'visibility'],
        privacy: [
            own(200),
            { path: '/users/{user}/collections/{hidden}', expected: hidden }
        ],
        body: () => ({ title: 'Changed' })
    },
    'DELETE /users/{user}/collections/{collection}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: [],
        privacy: [
            own(200),
            { path: '/users/{user}/collections/{hidden}', expected: hidden }
        ]
    },
    'PUT /users/{user}/collections/{collection}/projects/{project}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: ['position'],
        privacy: [
            own(200),
            { path: '/users/{user}/collections/{hidden}/projects/{project}', expected: hidden },
            // A moderator sees no more here than everybody.
            { path: '/users/{me}/collections/{mine}/projects/{project}', expected: (state, caller) => (!isKnown(caller) ? 401 : collected(state, caller) || state === 'unlisted' ? 200 : 404) }
        ],
        unnoted: 'a moderator sees no more there than anybody else'
    },
    'DELETE /users/{user}/collections/{collection}/projects/{project}': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        takes: [],
        privacy: [
            own(200),
            { path: '/users/{user}/collections/{hidden}/projects/{project}', expected: hidden },
            { path: '/users/{me}/collections/{mine}/projects/{project}', expected: (_state, caller) => (isKnown(caller) ? 200 : 401) }
        ],
        unnoted: 'a moderator sees no more there than anybody else'
    },
    'GET /users/{user}/blocks': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: null
    },
    'PUT /users/{user}/blocks/{username}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '201 201 201 403', absentUser: 403,
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'DELETE /users/{user}/blocks/{username}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 404 403 403', me: '404 404 404 403', absentUser: 403,
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'GET /users/{user}/following': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: null
    },
    'PUT /users/{user}/following/{username}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '201 201 201 403', absentUser: 403,
        takes: [],
        privacy: null
    },
    'DELETE /users/{user}/following/{username}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 404 403 403', me: '404 404 404 403', absentUser: 403,
        takes: [],
        privacy: null
    },
    'GET /users/{user}/feed': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        // Everybody follows the owner.
        privacy: { path: '/users/{me}/feed', expected: (_state, caller) => (isKnown(caller) ? 200 : 401), shows: (state, caller) => state === 'public' && isKnown(caller) && caller !== 'owner' }
    },
    'GET /projects/{project}/like': {
        scope: 'projects', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200 200 200 403', me: null,
        privacy: only(200, ...everybody, 'suspended')
    },
    'PUT /projects/{project}/like': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '200 403 200 403', me: null,
        takes: [],
        privacy: (state, caller) => (caller === 'owner' ? 403 : only(200, ...everybody)(state, caller))
    },
    'DELETE /projects/{project}/like': {
        scope: 'projects', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '200= 403 200= 403', me: null,
        takes: [],
        privacy: (state, caller) => (caller === 'owner' ? 403 : only(200, ...everybody)(state, caller))
    },
    'POST /view-project/{project}': {
        scope: 'optional', cost: 'cheap', limit: 'views', origin: 'later', cache: 'usual',
        callers: '200 401 401 401 200= 401 200 200= 200 200', me: null,
        takes: [],
        privacy: (state, caller) => (caller === 'bad' ? 401 : inside(state, caller) ? 200 : 404),
        whileSuspended: true
    }
};
