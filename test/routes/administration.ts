import type { Routes } from './route';

/** For the staff alone, whom none of these callers is of: `test/community/administration/access.test.ts` tries each as staff. */
const staff = { scope: 'user', origin: 'later', callers: '403 403 403 403', me: null, privacy: null } as const;

/** Another provider has its own tokens, passwords and apps. */
const absent = { scope: '', callers: '404' } as const;

/** What whoever runs a place can do, and what everybody reads of it. */
export const administration: Routes = {
    'GET /announcements': { scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual', callers: '200', me: null, privacy: null },
    'GET /admin/users': {
        ...staff, cost: 'cheap', limit: null, cache: 'usual'
    },
    'GET /admin/users/{user}': {
        ...staff, cost: 'heavy', limit: null, cache: 'usual'
    },
    'POST /admin/users/{user}/password': {
        ...staff, cost: 'password', limit: 'writes', cache: 'no-store',
        elsewhere: absent,
        takes: []
    },
    'PUT /admin/users/{user}/suspension': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: ['reason', 'until'],
        body: () => ({ reason: 'Spam' })
    },
    'DELETE /admin/users/{user}/suspension': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    },
    'DELETE /admin/users/{user}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    },
    'POST /admin/users/{user}/restore': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    },
    'PUT /admin/users/{user}/permissions/{permission}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    },
    'DELETE /admin/users/{user}/permissions/{permission}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    },
    'GET /admin/log': {
        ...staff, cost: 'cheap', limit: null, cache: 'usual'
    },
    'GET /admin/moderation-log': {
        ...staff, cost: 'cheap', limit: null, cache: 'usual'
    },
    'GET /admin/statistics': {
        ...staff, cost: 'heavy', limit: null, cache: 'usual'
    },
    'GET /admin/maintenance': {
        ...staff, cost: 'cheap', limit: null, cache: 'usual'
    },
    'POST /admin/maintenance': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    },
    'GET /admin/announcements': {
        ...staff, cost: 'cheap', limit: null, cache: 'usual'
    },
    'POST /admin/announcements': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: ['text', 'level', 'until'],
        body: () => ({ text: 'Down on Saturday', until: '2036-04-01T00:00:00Z' })
    },
    'DELETE /admin/announcements/{announcement}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    },
    'GET /admin/apps': {
        ...staff, cost: 'heavy', limit: null, cache: 'usual',
        elsewhere: absent
    },
    'PATCH /admin/apps/{app}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        elsewhere: absent,
        takes: ['trusted'],
        body: () => ({ trusted: true })
    },
    'DELETE /admin/apps/{app}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        elsewhere: absent,
        takes: []
    },
    'GET /admin/webhooks': {
        ...staff, cost: 'heavy', limit: null, cache: 'usual'
    },
    'PATCH /admin/webhooks/{webhook}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: ['enabled'],
        body: () => ({ enabled: false })
    },
    'GET /admin/sign-up-codes': {
        ...staff, cost: 'cheap', limit: null, cache: 'usual'
    },
    'POST /admin/sign-up-codes': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'no-store',
        takes: ['uses', 'expires_in', 'note']
    },
    'DELETE /admin/sign-up-codes/{sign_up_code}': {
        ...staff, cost: 'cheap', limit: 'writes', cache: 'usual',
        takes: []
    }
};
