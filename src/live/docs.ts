import Joi from 'joi';

import { EVENT_STREAM, operations } from '../openapi/operation';

const example = `retry: 2718

event: change
id: 4
data: {"revision":4,"from":3,"at":"2026-03-01T18:30:00.000Z","author":{"id":"3","username":"new-author"}}

`;

export const operation = operations('History', {
    watchProject: {
        summary: 'Be told of changes',
        notes: `A stream of server-sent events (WHATWG HTML, section 9.2). Each change is one \`event: change\`, with the revision of the project as its \`id\` and \`{revision, from, at, author: {id, username}}\` as its \`data\`;
\`author\` is null if the account was purged. The events are told within a second. With \`Last-Event-ID\` or \`since\` the stream begins with everything after that revision; after more than 100 changes with the newest one. If the revision is beyond
the present, it begins with the present one. Without either it tells what happens from now on.

Every 15 seconds there is a comment. After five to eight minutes the stream ends; \`retry\` says in how many milliseconds to connect again. \`event: gone\`, with \`{}\` as its \`data\`, is the last event of a project
that was deleted or can no longer be read. A client that leaves more than 64 KiB unread is cut off.`,
        answers: { 200: Joi.string().description('Events, as they happen.').example(example) },
        type: EVENT_STREAM,
        errors: ['not_found']
    }
});
