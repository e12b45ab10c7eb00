import { PASSWORD } from '../support/passwords';
import type { Routes } from './route';

/** Another provider has its own tokens and passwords. */
const absent = { scope: '', callers: '404' } as const;

/** Accounts and tokens. */
export const accounts: Routes = {
    'POST /tokens': {
        scope: '', cost: 'password', limit: 'passwords', origin: 'later', cache: 'no-store',
        callers: '201', me: null,
        elsewhere: absent,
        takes: ['username', 'password', 'passkey', 'recovery_code', 'scope', 'label', 'expires_in'],
        privacy: null,
        body: ({ owner }) => ({ username: owner, password: PASSWORD })
    },
    'GET /tokens': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200 200 200 403', me: null,
        elsewhere: absent,
        privacy: null
    },
    'DELETE /tokens': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '200 200 200 403', me: null,
        elsewhere: absent,
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'DELETE /tokens/{token}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '404 200 404 403', me: null,
        elsewhere: absent,
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'POST /users/{user}/tokens': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 201 403 403', me: '201 201 201 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: ['label', 'scope', 'expires_in', 'projects'],
        privacy: null,
        body: () => ({ label: 'A script', scope: ['projects'] })
    },
    'POST /passkeys/options': {
        scope: 'optional', cost: 'cheap', limit: 'passkeyOptions', origin: 'later', cache: 'no-store',
        callers: '200 401 401 401 200 401 200 200 200 200', me: null,
        elsewhere: absent,
        takes: ['to'],
        privacy: null
    },
    'POST /sign-ins': {
        scope: 'optional', cost: 'cheap', limit: 'signIns', origin: 'later', cache: 'no-store',
        callers: '404 401 401 401 404 401 404 404 404 404', me: null,
        takes: ['provider', 'to'],
        privacy: null,
        body: () => ({ provider: 'school' })
    },
    'POST /sign-ins/answers': {
        scope: '', cost: 'cheap', limit: 'answers', origin: 'later', cache: 'no-store',
        callers: '404', me: null,
        takes: ['provider', 'key', 'answer', 'code', 'label'],
        privacy: null,
        body: () => ({ provider: 'school', key: 'A'.repeat(43), answer: 'code=x' })
    },
    'POST /sign-ins/renewals': {
        scope: '', cost: 'cheap', limit: 'appTokens', origin: 'later', cache: 'no-store',
        callers: '404', me: null,
        takes: ['provider', 'refresh_token'],
        privacy: null,
        body: () => ({ provider: 'school', refresh_token: 'x' })
    },
    'POST /sign-ins/revocations': {
        scope: '', cost: 'cheap', limit: 'appTokens', origin: 'later', cache: 'no-store',
        callers: '404', me: null,
        takes: ['provider', 'refresh_token'],
        privacy: null,
        body: () => ({ provider: 'school', refresh_token: 'x' })
    },
    'GET /users/{user}/identities': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        privacy: null
    },
    'POST /users/{user}/identities': {
        scope: 'user', cost: 'cheap', limit: 'answers', origin: 'later', cache: 'usual',
        callers: '403 404 403 403', me: '404 404 404 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: ['provider', 'key', 'answer'],
        privacy: null,
        body: () => ({ provider: 'school', key: 'A'.repeat(43), answer: 'code=x' })
    },
    'DELETE /users/{user}/identities/{identity}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'GET /users/{user}/passkeys': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        privacy: null
    },
    'POST /users/{user}/passkeys': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 400 403 403', me: '400 400 400 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: ['label', 'passkey'],
        privacy: null,
        body: () => ({ label: 'Mine', passkey: { id: 'AQID', rawId: 'AQID', type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON: 'e30', attestationObject: 'AQID' } } })
    },
    'DELETE /users/{user}/passkeys/{passkey}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'POST /users/{user}/recovery-codes': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 201 403 403', me: '201 201 201 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'GET /users/{user}/address': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        privacy: null
    },
    'PUT /users/{user}/address': {
        scope: 'user', cost: 'password', limit: 'passwords', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: ['address', 'current_password'],
        privacy: null,
        body: ({ serial }) => ({ address: `ada-${serial}@mail.example`, current_password: PASSWORD })
    },
    'POST /users/{user}/address/confirmations': {
        scope: 'user', cost: 'cheap', limit: 'links', origin: 'later', cache: 'usual',
        callers: '403 400 403 403', me: '400 400 400 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: ['key'],
        privacy: null,
        body: () => ({ key: 'A'.repeat(43) })
    },
    'DELETE /users/{user}/address': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'POST /new-passwords/mails': {
        scope: '', cost: 'cheap', limit: 'mails', origin: 'later', cache: 'no-store',
        callers: '200', me: null,
        elsewhere: absent,
        takes: ['account'],
        privacy: null,
        body: ({ owner }) => ({ account: owner })
    },
    'POST /new-passwords': {
        scope: '', cost: 'password', limit: 'links', origin: 'later', cache: 'no-store',
        callers: '400', me: null,
        elsewhere: absent,
        takes: ['key', 'password'],
        privacy: null,
        body: () => ({ key: 'A'.repeat(43), password: PASSWORD })
    },
    'POST /users': {
        scope: '', cost: 'password', limit: 'signUps', origin: 'later', cache: 'no-store',
        callers: '201', me: null,
        elsewhere: { scope: 'user', callers: '200= 200= 200= 201', body: undefined },
        takes: ['username', 'password', 'language'],
        privacy: null,
        whileSuspended: true,
        body: ({ serial }) => ({ username: `new-${serial}`, password: PASSWORD })
    },
    'GET /users/{user}': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'fixed', cache: 'usual',
        callers: '401 401 401 401 200 401 403 200 403 403', me: '401 401 401 401 200 401 200 200 200 403',
        privacy: null
    },
    'PATCH /users/{user}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403',
        takes: ['username', 'language', 'revision'],
        privacy: null,
        body: () => ({ language: 'fr' })
    },
    'DELETE /users/{user}': {
        scope: 'user', cost: 'heavy', limit: 'writes', origin: 'fixed', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403',
        takes: ['revision'],
        privacy: null,
        whileSuspended: true
    },
    'PUT /users/{user}/password': {
        scope: 'user', cost: 'password', limit: 'passwords', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403',
        elsewhere: { ...absent, me: '404' },
        takes: ['current_password', 'password'],
        privacy: null,
        whileSuspended: true,
        body: () => ({ current_password: PASSWORD, password: 'another one' })
    },
    'GET /apps/{app}': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '200', me: null,
        privacy: null
    },
    'GET /users/{user}/apps': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        privacy: null
    },
    'POST /users/{user}/apps': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 201 403 403', me: '201 201 201 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: ['name', 'url', 'redirect_uris', 'confidential'],
        privacy: null,
        body: () => ({ name: 'Kitchen editor', url: 'https://editor.example', redirect_uris: ['https://editor.example/signed-in'] })
    },
    'PATCH /users/{user}/apps/{app}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        elsewhere: { ...absent, me: '404' },
        takes: ['name', 'url', 'redirect_uris'],
        privacy: null,
        body: () => ({ name: 'Garden editor' })
    },
    'POST /users/{user}/apps/{app}/secret': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 201 403 403', me: '404 201 404 403',
        elsewhere: { ...absent, me: '404' },
        takes: [],
        privacy: null
    },
    'DELETE /users/{user}/apps/{app}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403',
        elsewhere: { ...absent, me: '404' },
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'GET /users/{user}/authorizations': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        privacy: null
    },
    'DELETE /users/{user}/authorizations/{app}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        elsewhere: { ...absent, me: '404' },
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'GET /users/{user}/notices': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'no-store',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: null
    },
    'PUT /users/{user}/notices/read': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        takes: ['until'],
        privacy: null,
        body: () => ({ until: '1' }),
        whileSuspended: true
    },
    'GET /users/{user}/notices/events': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'no-store',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: null
    },
    'GET /users/{user}/notices/letter': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'no-store',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: null
    },
    'PUT /users/{user}/notices/letter': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        takes: ['daily'],
        privacy: null,
        body: () => ({ daily: true }),
        whileSuspended: true
    },
    'GET /letters/off': {
        scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'no-store',
        callers: '200', me: null,
        privacy: null,
        query: `?key=${'A'.repeat(43)}`
    },
    'POST /letters/off': {
        scope: '', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '200=', me: null,
        takes: null,
        privacy: null,
        query: `?key=${'A'.repeat(43)}`,
        whileSuspended: true
    },
    'GET /users/{user}/webhooks': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '200 200 200 403', absentUser: 403,
        privacy: null
    },
    'POST /users/{user}/webhooks': {
        scope: 'user', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 201 403 403', me: '201 201 201 403', absentUser: 403,
        takes: ['url', 'events', 'projects'],
        privacy: null,
        body: () => ({ url: 'https://hooks.example/in', events: ['project.changed'] })
    },
    'PATCH /users/{user}/webhooks/{webhook}': {
        scope: 'user', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'no-store',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        takes: ['url', 'events', 'projects', 'enabled', 'secret'],
        privacy: null,
        body: () => ({ events: ['project.created'] })
    },
    'DELETE /users/{user}/webhooks/{webhook}': {
        scope: 'user', cost: 'heavy', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        takes: [],
        privacy: null,
        whileSuspended: true
    },
    'POST /users/{user}/webhooks/{webhook}/test': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 201 403 403', me: '404 201 404 403', absentUser: 403,
        takes: [],
        privacy: null
    },
    'GET /users/{user}/webhooks/{webhook}/deliveries': {
        scope: 'user', cost: 'cheap', limit: null, origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        privacy: null
    },
    'POST /users/{user}/webhooks/{webhook}/deliveries/{delivery}': {
        scope: 'user', cost: 'cheap', limit: 'writes', origin: 'later', cache: 'usual',
        callers: '403 200 403 403', me: '404 200 404 403', absentUser: 403,
        takes: [],
        privacy: null
    }
};
