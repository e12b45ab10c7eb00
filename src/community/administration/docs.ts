import Joi from 'joi';

import { operations } from '../../api/description/operation';
import { guarded, missing, onceErrors } from '../../api/errors/registry';
import type { Errors } from '../../api/errors/registry';
import { moderationLog } from '../moderation/docs';
import { MAX_ANNOUNCEMENTS, MAX_COUNTED, MAX_SIGN_UP_CODES, inWords } from '../../limits';
import { bodyOf, listBody } from '../../api/representations/shapes';
import { trustedApp } from '../../api/representations/app';
import { announcement, details, hostedWebhook, logEntry, maintenance, newPassword, ownAnnouncement, person, signUp, signUpCode, shownCode, statistics } from './representations';

const forStaff = 'Only staff can do this, with a token that they signed in for. Others get 403, whether or not it exists.';
const only: Errors = ['forbidden', 'no_account'];
const logged = 'It is noted in the log.';

const people = (status: 'updated' | 'deleted' | 'restored'): Joi.ObjectSchema => bodyOf(status, { user: person });

export const administrationOperation = operations('Administration', {
    listPeople: {
        summary: 'Find people',
        notes: `By their usernames, in the order of the characters; deleted accounts too, until they are purged. ${forStaff}`,
        answers: { 200: listBody('users', person) },
        headers: ['Link'],
        errors: only
    },
    getPerson: {
        summary: 'Read an account',
        notes: `What it has, in numbers: projects are counted up to ${inWords(MAX_COUNTED)}. Staff does not read what is private. ${forStaff}`,
        answers: { 200: bodyOf('success', { user: details }) },
        errors: guarded
    },
    resetPassword: {
        summary: 'Give somebody a new password',
        notes: `A random one, which is shown only in this response. All sign-ins, tokens and apps of the account end at once. Its passkeys stay. ${logged} ${forStaff}`,
        answers: { 200: bodyOf('updated', { user: person, password: newPassword }) },
        errors: [...guarded, 'no_password', 'not_local']
    },
    suspendPerson: {
        summary: 'Suspend somebody',
        notes: `The same as moderators can do: all their writes are 403 \`suspended\` from now on. Again replaces the reason and the end. Moderators cannot be suspended (403). It is noted in both logs. ${forStaff}`,
        answers: { 200: people('updated') },
        errors: [...guarded, 'own_account']
    },
    unsuspendPerson: {
        summary: 'End the suspension of somebody',
        notes: `404 if there is none, or if it has already ended. It is noted in both logs. ${forStaff}`,
        answers: { 200: people('deleted') },
        errors: [...guarded, 'own_decision']
    },
    removePerson: {
        summary: 'Remove an account',
        notes: `The account, its projects and its tokens stop working at once. Until it is purged, after {TRASH_DAYS} days, it can be restored. ${logged} ${forStaff}`,
        answers: { 200: people('deleted') },
        errors: [...guarded, 'own_account', 'last_teacher']
    },
    restorePerson: {
        summary: 'Restore a removed account',
        notes: `With the projects that were removed with it. The password is as it was; the tokens are gone. 404 if it is not removed, or purged. ${logged} ${forStaff}`,
        answers: { 200: people('restored') },
        errors: guarded
    },
    grantPermission: {
        summary: 'Give somebody a permission',
        notes: `It applies from the next request on. ${logged} ${forStaff}`,
        answers: { 200: people('updated') },
        errors: guarded
    },
    revokePermission: {
        summary: 'Take a permission from somebody',
        notes: `It applies from the next request on. Nobody can take \`staff\` from themselves, so there is always somebody who has it. ${logged} ${forStaff}`,
        answers: { 200: people('deleted') },
        errors: [...guarded, 'own_account', 'last_teacher']
    },
    listAdminLog: {
        summary: 'Read the log of the staff',
        notes: `What staff has done, and operators by commands, newest first. Entries cannot be changed or deleted. ${forStaff}`,
        answers: { 200: listBody('entries', logEntry) },
        headers: ['Link'],
        errors: only
    },
    readModerationLog: {
        summary: 'Read the moderation log as staff',
        notes: `The same as \`GET /moderation/log\`. ${forStaff}`,
        answers: { 200: moderationLog },
        headers: ['Link'],
        errors: only
    },
    getStatistics: {
        summary: 'Read the statistics of the place',
        notes: `They are kept for a minute, for all instances. Counts are exact up to ${inWords(MAX_COUNTED)}, and PostgreSQL's estimate beyond; lengths of queues end there. What was removed counts until it is purged. Days are in UTC, of all instances, and come about a minute late. ${forStaff}`,
        answers: { 200: bodyOf('success', { statistics }) },
        errors: only
    },
    listAnnouncements: {
        summary: 'List announcements',
        notes: `Texts of whoever runs the place that have not ended, newest first, at most ${MAX_ANNOUNCEMENTS}. The pages of the site show them.`,
        answers: { 200: bodyOf('success', { announcements: Joi.array().items(announcement).max(MAX_ANNOUNCEMENTS).description('Newest first.') }) },
        headers: ['ETag']
    },
    listOwnAnnouncements: {
        summary: 'List announcements as staff',
        notes: `With who made them, and when. ${forStaff}`,
        answers: { 200: bodyOf('success', { announcements: Joi.array().items(ownAnnouncement).max(MAX_ANNOUNCEMENTS).description('Newest first.') }) },
        errors: only
    },
    createAnnouncement: {
        summary: 'Announce something',
        notes: `All pages of the site show the text until the time. At most ${MAX_ANNOUNCEMENTS} at once. ${logged} ${forStaff}`,
        answers: { 201: bodyOf('created', { announcement: ownAnnouncement }) },
        errors: onceErrors(...only, 'announcement_limit')
    },
    deleteAnnouncement: {
        summary: 'End an announcement',
        notes: `404 if it has already ended. ${logged} ${forStaff}`,
        answers: { 200: bodyOf('deleted', { announcement: ownAnnouncement }) },
        errors: guarded
    },
    listAllApps: {
        summary: 'List all apps',
        notes: `Newest first. ${forStaff}`,
        answers: { 200: listBody('apps', trustedApp) },
        headers: ['Link'],
        errors: [...only, 'not_local']
    },
    trustApp: {
        summary: 'Trust an app, or no longer',
        notes: `People who have let in a trusted app before are not asked again when they sign in. ${logged} ${forStaff}`,
        answers: { 200: bodyOf('updated', { app: trustedApp }) },
        errors: [...guarded, 'not_local']
    },
    deleteAnyApp: {
        summary: 'End an app for everybody',
        notes: `All of its tokens end at once. ${logged} ${forStaff}`,
        answers: { 200: bodyOf('deleted', { app: trustedApp }) },
        errors: [...guarded, 'not_local']
    },
    listAllWebhooks: {
        summary: 'List all webhooks',
        notes: `Newest first. Of an address only the host is shown, as the rest of it is often a secret. ${forStaff}`,
        answers: { 200: listBody('webhooks', hostedWebhook) },
        headers: ['Link'],
        errors: only
    },
    switchWebhookOff: {
        summary: 'Switch a webhook off',
        notes: `What waits for it is given up. Its owner can switch it on again. ${logged} ${forStaff}`,
        answers: { 200: bodyOf('updated', { webhook: hostedWebhook }) },
        errors: guarded
    },
    getMaintenance: {
        summary: 'Read how far the maintenance is',
        notes: `The maintenance thins out histories, empties the trash, and purges removed accounts and unused assets, once an hour. ${forStaff}`,
        answers: { 200: bodyOf('success', { maintenance }) },
        errors: only
    },
    startMaintenance: {
        summary: 'Run the maintenance now',
        notes: `One of the instances begins it within about a minute. ${logged} ${forStaff}`,
        answers: { 200: bodyOf('updated', { maintenance }) },
        errors: only
    },
    listSignUpCodes: {
        summary: 'List sign-up codes',
        notes: `Those that still open accounts, newest first, without the codes themselves. They are needed where \`SIGN_UP=invite\`. ${forStaff}`,
        answers: { 200: listBody('sign_up_codes', signUpCode, { sign_up: signUp }) },
        headers: ['Link'],
        errors: only
    },
    createSignUpCode: {
        summary: 'Make a sign-up code',
        notes: `The code is shown only in this response. Whoever has it can open an account. At most ${inWords(MAX_SIGN_UP_CODES)} at a time. ${logged} ${forStaff}`,
        answers: { 201: bodyOf('created', { sign_up_code: signUpCode, code: shownCode }) },
        errors: onceErrors(...only, 'sign_up_code_limit')
    },
    deleteSignUpCode: {
        summary: 'End a sign-up code',
        notes: `${logged} ${forStaff}`,
        answers: { 200: bodyOf('deleted', { sign_up_code: signUpCode }) },
        errors: [...missing, ...only]
    }
});
