import Joi from 'joi';

import { bodyOf, next, record, time } from '../../api/representations/shapes';
import { somebody } from '../../api/representations/user';
import { id, idOf, shownId, text } from '../../api/request/schema';
import { projectFields } from '../../api/representations/project';
import { MAX_ASSIGNMENT_TITLE, MAX_LISTED } from '../../limits';
import { noticeKinds } from './kinds';
import { MAX_NOTICES } from './limits';

const unread = Joi.number().integer().min(0).max(MAX_NOTICES).description('How many are unread.').example(2);

const assignmentTitle = text(1, MAX_ASSIGNMENT_TITLE).description('Its title.').example('A story with a choice');

/** A notice, as it is shown. */
const notice = record({
    id: shownId.description('Its id. The newest has the highest.').example('31'),
    kind: Joi.valid(...noticeKinds).description(`What happened: a \`comment\` on a project of one's own, a \`reply\` or a \`mention\`;
a \`remix\` of it; a moderator has featured it (\`feature\`); the owner has let one in, or somebody has joined by a code (\`member\`);
somebody follows one (\`follow\`); an \`assignment\` for the class; a work was \`handed_in\`, or \`returned\` (or accepted); a \`decision\` about a report or about
one's own things; the outcome of an \`appeal\`.`).example('remix'),
    at: time.description('When it happened the last time, in UTC.').example('2026-03-01T18:30:00.000Z'),
    by: somebody.allow(null).description('Who did it, the last one of several; null if nobody is named.'),
    project: record({ id: idOf('project'), user_id: idOf('user').description('Id of its author.'), title: projectFields.title }).allow(null)
        .description('The project that it is about; null if there is none that one may read.'),
    comment: shownId.optional().description('Id of the comment.').example('17'),
    statement: shownId.optional().description('Id of the statement of a moderator.').example('4'),
    assignment: record({ id: idOf('assignment'), class_id: idOf('class'), title: assignmentTitle }).optional()
        .description('The assignment.'),
    count: Joi.number().integer().min(1).max(2 ** 31 - 1)
        .description('How often it happened within an hour: such notices are one.').example(1),
    read: Joi.boolean().description('Whether it was read.').example(false)
}).id('Notice').description('That something happened which concerns an account.');

export const noticeList = bodyOf('success', {
    notices: Joi.array().items(notice).max(MAX_LISTED).description('At most `count` of them, newest first.'), unread, next
});

const daily = Joi.boolean().description('Whether a mail with new notices comes each day.').example(true);

const letter = record({ daily }).description('The letter of the account.');

export const noticesRead = bodyOf('updated', { unread });

export const letterBody = (status: 'success' | 'updated'): Joi.ObjectSchema => bodyOf(status, { letter });

/** PUT …/letter */
export const letterSetting = Joi.object({ daily: daily.required() });

/** PUT …/read */
export const reading = Joi.object({
    until: id.required().description('Id of the newest notice that was read: all before are read too.').example('31')
});
