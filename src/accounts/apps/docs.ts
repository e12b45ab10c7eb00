import { operations } from '../../api/description/operation';
import { guarded, missing, onceErrors } from '../../api/errors/registry';
import { appBody, authorizationBody, authorizationList, clientSecret, ownAppBody, ownAppList } from '../../api/representations/app';
import { inWords, MAX_APPS } from '../../limits';

export const appOperation = operations('Apps', {
    getApp: {
        summary: 'Read an app',
        notes: 'What everybody can know of a program of somebody else that signs people in.',
        answers: { 200: appBody },
        errors: missing
    },
    listApps: {
        summary: 'List one\'s own apps',
        notes: 'Newest first, without their secrets.',
        answers: { 200: ownAppList },
        headers: ['Link'],
        errors: [...guarded, 'not_local']
    },
    createApp: {
        summary: 'Register an app',
        notes: `Its \`id\` is the \`client_id\` with which it asks people to let it in. An account has at most ${inWords(MAX_APPS)}.`,
        answers: { 201: ownAppBody('created').keys({ client_secret: clientSecret.optional() }) },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'app_limit', 'not_local')
    },
    updateApp: {
        summary: 'Change an app',
        notes: 'Replaces the fields in the body; at least one is needed.',
        answers: { 200: ownAppBody('updated') },
        errors: [...guarded, 'not_local']
    },
    replaceAppSecret: {
        summary: 'Give an app another secret',
        notes: 'Only a confidential app has one. The old secret ends at once; people stay signed in.',
        answers: { 201: ownAppBody('created').keys({ client_secret: clientSecret.required() }) },
        errors: onceErrors(...guarded, 'not_local')
    },
    deleteApp: {
        summary: 'Delete an app',
        notes: 'This cannot be undone. Every token of the app ends at once, for everybody who let it in.',
        answers: { 200: ownAppBody('deleted') },
        errors: [...guarded, 'not_local']
    },
    listAuthorizations: {
        summary: 'List the apps that one has let in',
        notes: 'The latest first. Several sign-ins with one app, on several devices, are one entry.',
        answers: { 200: authorizationList },
        headers: ['Link'],
        errors: [...guarded, 'not_local']
    },
    deleteAuthorization: {
        summary: 'End what an app may do',
        notes: 'All tokens of the app for this user stop working at once.',
        answers: { 200: authorizationBody },
        errors: [...guarded, 'not_local']
    }
});
