import { PICTURES, deviceCodeOf, deviceSecretOf } from '../support/passwords';
import { only } from './privacy';
import type { Routes } from './route';

const common = { scope: 'projects', cost: 'cheap', origin: 'later', cache: 'usual', privacy: null } as const;
const reads = { ...common, limit: null } as const;
const writes = { ...common, limit: 'writes', takes: [] } as const;
/** Signing in with pictures, on a device for which there is no account yet. */
const onDevice = { ...writes, scope: '', limit: 'links', cache: 'no-store', me: null, elsewhere: { callers: '404' } } as const;

/** Classes. The owner teaches the one that is named, and the member attends it. Callers by what they are in a class: test/classes/leaks.test.ts. */
export const classes: Routes = {
    'POST /users/{user}/classes': {
        ...writes, callers: '403 201 403 403', me: '403 201 403 403', absentUser: 403,
        takes: ['title', 'publish', 'comments', 'show', 'picture_sign_in'],
        body: () => ({ title: 'Year 5' })
    },
    'GET /users/{user}/classes': { ...reads, callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403 },
    'POST /classes': {
        ...writes, limit: 'joins', callers: '200 200= 200 200', me: null,
        takes: ['code'],
        body: ({ classCode }) => ({ code: classCode })
    },
    'GET /classes/{class_id}': { ...reads, cost: 'heavy', callers: '404 200 404 403', me: null },
    'PATCH /classes/{class_id}': {
        ...writes, cost: 'heavy', callers: '404 200 404 403', me: null,
        takes: ['title', 'publish', 'comments', 'show', 'picture_sign_in', 'code', 'revision'],
        body: () => ({ title: 'Year 6' })
    },
    'DELETE /classes/{class_id}': { ...writes, cost: 'heavy', callers: '404 200 404 403', me: null, takes: ['revision'] },
    'POST /classes/{class_id}/pupils': {
        ...writes, limit: 'rosters', cache: 'no-store', callers: '404 201 404 403', me: null,
        elsewhere: { scope: '', callers: '404' },
        takes: ['names'],
        body: () => ({ names: ['Ana S.'] })
    },
    'PATCH /classes/{class_id}/pupils/{pupil}': {
        ...writes, cache: 'no-store', callers: '404 200 404 403', me: null,
        takes: ['name', 'passphrase', 'pictures'],
        body: () => ({ name: 'Ana S.' })
    },
    'DELETE /classes/{class_id}/pupils/{pupil}': { ...writes, cost: 'heavy', callers: '404 200 404 403', me: null },
    'POST /classes/{class_id}/devices': { ...writes, cache: 'no-store', callers: '404 201 404 403', me: null, elsewhere: { scope: '', callers: '404' } },
    'GET /classes/{class_id}/devices': { ...reads, callers: '404 200 404 403', me: null },
    'DELETE /classes/{class_id}/devices/{device}': { ...writes, callers: '404 200 404 403', me: null },
    'POST /class-devices': {
        ...onDevice, callers: '201',
        takes: ['code', 'label'],
        body: ({ project = '' }) => ({ code: deviceCodeOf(project), label: 'The tablet' })
    },
    'POST /class-devices/pupils': {
        ...onDevice, callers: '200=',
        takes: ['device'],
        body: ({ project = '' }) => ({ device: deviceSecretOf(project) })
    },
    'POST /class-devices/tokens': {
        ...onDevice, cost: 'password', limit: 'passwords', callers: '201',
        takes: ['device', 'pupil', 'pictures', 'label', 'expires_in'],
        body: ({ project = '', child = '' }) => ({ device: deviceSecretOf(project), pupil: child, pictures: PICTURES })
    },
    'POST /classes/{class_id}/assignments': {
        ...writes, callers: '404 201 404 403', me: null,
        takes: ['title', 'text', 'template', 'due_at'],
        body: () => ({ title: 'A story' })
    },
    'GET /classes/{class_id}/assignments': { ...reads, callers: '404 200 404 403', me: null },
    'GET /classes/{class_id}/assignments/{assignment}': { ...reads, callers: '404 200 404 403', me: null },
    'PATCH /classes/{class_id}/assignments/{assignment}': {
        ...writes, callers: '404 200 404 403', me: null,
        takes: ['title', 'text', 'template', 'due_at', 'revision'],
        body: () => ({ text: 'Three pages' })
    },
    'DELETE /classes/{class_id}/assignments/{assignment}': { ...writes, callers: '404 200 404 403', me: null, takes: ['revision'] },
    // The owner is no pupil.
    'POST /classes/{class_id}/assignments/{assignment}/work': { ...writes, cost: 'heavy', callers: '404 403 404 403', me: null },
    'GET /classes/{class_id}/assignments/{assignment}/work': { ...reads, callers: '404 200 404 403', me: null },
    'PATCH /classes/{class_id}/assignments/{assignment}/work/{work}': {
        ...writes, callers: '404 200 404 403', me: null,
        takes: ['state', 'point', 'note', 'revision'],
        body: () => ({ state: 'accepted', note: 'Good' })
    },
    'GET /classes/{class_id}/takeout': { ...reads, cost: 'heavy', limit: 'writes', callers: '404 200 404 403', me: null },
    'PUT /classes/{class_id}/teachers/{username}': { ...writes, callers: '404 201 404 403', me: null },
    // The member is no teacher.
    'DELETE /classes/{class_id}/teachers/{username}': { ...writes, callers: '404 404 404 403', me: null },
    'GET /classes/{class_id}/events': { ...reads, cache: 'no-store', callers: '404 200 404 403', me: null },
    'PATCH /classes/{class_id}/projects/{project}': {
        ...writes, callers: '404 200 404 403', me: null,
        takes: ['state', 'reason'],
        unnoted: 'only teachers of the class may, whoever else they are',
        body: () => ({ state: 'hidden', reason: 'A reason' })
    },
    'PUT /classes/{class_id}/pupils/{pupil}/pause': {
        ...writes, callers: '404 200 404 403', me: null,
        takes: ['until'],
        body: () => ({ until: '2036-04-01T12:00:00Z' })
    },
    'DELETE /classes/{class_id}/pupils/{pupil}/pause': { ...writes, callers: '404 200= 404 403', me: null },
    'GET /classes/{class_id}/projects': { ...reads, cost: 'heavy', callers: '404 200 404 403', me: null },
    // The project is in the class, for its teachers.
    'GET /users/{user}/projects/{project}/classes': { ...reads, callers: '403 200 403 403', me: '404 200 404 403', privacy: only(200, 'owner') },
    'PUT /users/{user}/projects/{project}/classes/{class_id}': {
        ...writes, callers: '403 200 403 403', me: '404 200 404 403', privacy: only(200, 'owner'),
        takes: ['audience'],
        body: () => ({ audience: 'class' })
    },
    'DELETE /users/{user}/projects/{project}/classes/{class_id}': { ...writes, callers: '403 200 403 403', me: '404 200 404 403', privacy: only(200, 'owner') }
};
