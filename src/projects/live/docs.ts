import Joi from 'joi';

import { guarded } from '../../api/errors/registry';
import { present } from './json';
import { bodyOf, eventStream } from '../../api/representations/shapes';
import { MAX_PRESENT } from '../../limits';
import { EVENT_STREAM, operations } from '../../api/description/operation';
import { PRESENT_FOR } from './presence';

const example = `retry: 2718

event: change
id: 4
data: {"revision":4,"from":3,"at":"2026-03-01T18:30:00.000Z","author":{"id":"3","username":"new-author"}}

`;

export const liveOperation = operations('History', {
    watchProject: {
        summary: 'Watch a project for changes',
        notes: `A stream of server-sent events (WHATWG HTML, section 9.2). Each change is one \`event: change\`, with the revision of the project as its \`id\` and \`{revision, from, at, author: {id, username}}\` as its \`data\`;
\`author\` is null if the account was purged. Events are sent within a second. With \`Last-Event-ID\` or \`since\`, the stream begins with all changes after that revision, or only the newest one if there are more than 100. If the project does not have that revision yet,
the stream begins with its present one. Without either, it has only new changes.

That somebody wrote, changed or removed a comment on the project is \`event: comment\`, without an \`id\`, with \`{id, thread, removed}\` as its \`data\`. A stream tells of what happens after it began: after connecting again, read \`GET …/comments\`.

A line that begins with a colon is sent every 15 seconds. The stream ends after five to eight minutes; \`retry\` says after how many milliseconds to connect again. If the project is deleted or the caller can no longer read it, the last event is \`event: gone\`
with \`{}\` as its \`data\`. A stream whose token still lets the project be read goes on when that becomes private. The connection of a client that leaves more than 64 KiB unread is closed.`,
        answers: { 200: eventStream(example) },
        type: EVENT_STREAM,
        errors: ['not_found']
    }
});

export const presenceOperation = operations('Members', {
    putPresence: {
        summary: 'Say that one has a project open, and see who else does',
        notes: `For editors: the author and members who are \`editor\`s send this every second or so while others are there, and every four seconds while nobody is. The response has up to ${MAX_PRESENT} others who sent it within the last ${PRESENT_FOR} seconds and may still edit the project.
Nobody else is shown, and nobody else can see it. It is kept for a minute, is no change of the project, and is in no history. A user is in one place of a project at a time: with two windows, the one that was sent last counts.`,
        answers: { 200: bodyOf('success', { present: Joi.array().items(present).max(MAX_PRESENT).description('The others, in a fixed order.') }) },
        errors: guarded
    }
});
