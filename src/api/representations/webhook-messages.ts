import Joi from 'joi';

import { MAX_ASSIGNMENT_TITLE } from '../../limits';
import { shownId } from '../request/schema';
import { record, shownRevision, time } from './shapes';
import { visibilities } from './visibility';
import { TEST_EVENT } from './webhook-events';
import type { WebhookEvent } from './webhook-events';

const userId = shownId.description('Id of the user.').example('3');
const by = userId.allow(null).optional().description('Id of the user who did it; null if not known.');

/** A webhook of the operators is told neither the title nor the visibility. */
const project = record({
    id: shownId.description('Its id.').example('12'),
    user_id: userId.description('Id of its owner.'),
    title: Joi.string().max(256).optional().description('Its title; not for webhooks of the operators.').example('My garden'),
    visibility: Joi.valid(...visibilities).optional().description('Who can see it; not for webhooks of the operators.').example('public'),
    revision: shownRevision
}).description('The project.');

const message = (type: string, fields: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema => record({
    type: Joi.valid(type).description('What happened.'),
    timestamp: time.description('When it happened, in UTC.').example('2026-03-01T18:30:00.000Z'),
    data: record(fields).description('What it is about.')
});

const about = (type: WebhookEvent, fields: Readonly<Record<string, Joi.Schema>> = {}): Joi.ObjectSchema => message(type, { project, by, ...fields });

/** Messages of webhooks, by event: in words, and the schema of the body. */
export const webhookMessages: Readonly<Record<WebhookEvent | typeof TEST_EVENT, readonly [summary: string, body: Joi.ObjectSchema]>> = {
    'project.created': ['A project is new, or comes back from the trash', about('project.created', { remixed_from: shownId.allow(null).optional().description('Id of what it is a remix of; null if it is none.').example(null) })],
    'project.changed': ['Something in a project, or the project itself, was changed', about('project.changed', {
        from_revision: Joi.number().integer().min(0).max(2 ** 31 - 1).description('The revision at which the message before ended: read `GET …/changes?since=` it.').example(7)
    })],
    'project.deleted': ['A project was moved to the trash', about('project.deleted')],
    'project.remixed': ['Somebody has made a remix that one can see', about('project.remixed', {
        remix: record({ id: shownId.description('Id of the remix.').example('40'), user_id: userId.description('Id of its owner.') }).description('The remix.')
    })],
    'project.featured': ['Moderators feature a project, or do so no more', about('project.featured', { featured: Joi.boolean().description('Whether it is featured now.').example(true) })],
    'project.held': ['Moderators hold a project, or have released it', about('project.held', { held: Joi.boolean().description('Whether it is held now.').example(true) })],
    'comment.created': ['Somebody has commented on a project', about('comment.created', {
        comment: record({
            id: shownId.description('Its id.').example('71'),
            thread: shownId.description('Id of the comment that began the thread: this one, if it answers none.').example('71'),
            reply_to: shownId.allow(null).description('Id of the comment that it answers; null if it answers none.').example(null),
            page: shownId.allow(null).description('Id of the page that it is about; null if it is about none.').example('40'),
            element: shownId.allow(null).description('Id of the element that it is about; null if it is about none.').example(null)
        }).description('The comment, without its text.')
    })],
    'work.handed_in': ['A pupil has handed in a work', message('work.handed_in', {
        project,
        work: record({ id: shownId.description('Id of the work.').example('4'), late: Joi.boolean().description('Whether it came after its time.').example(false) }).description('The work.'),
        assignment: record({
            id: shownId.description('Id of the assignment.').example('2'), class_id: shownId.description('Id of the class.').example('1'),
            title: Joi.string().max(MAX_ASSIGNMENT_TITLE).optional().description('Its title; not for webhooks of the operators.').example('A story')
        }).description('The assignment.')
    })],
    [TEST_EVENT]: ['A test, for which the owner of the webhook has asked', message(TEST_EVENT, { webhook_id: shownId.description('Id of the webhook.').example('7') })]
};
