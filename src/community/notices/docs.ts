import { EVENT_STREAM, operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { eventStream } from '../../api/representations/shapes';
import { letterBody, noticeList, noticesRead } from './json';
import { MAX_NOTICES, MAX_NOTICE_STREAMS, NOTICE_DAYS } from './limits';

const example = `retry: 2718

event: notice
data: {"unread":2,"newest":"31"}

`;

export const noticeOperation = operations('Notices', {
    listNotices: {
        summary: 'List one\'s own notices',
        notes: `Newest first. Those of one kind about one project within an hour are one, with a \`count\`;
it gets a new id with each, and is unread again. What one may not read any more is not in the list, and not in \`unread\`.
An account keeps its newest ${MAX_NOTICES.toLocaleString('en')}, for ${NOTICE_DAYS} days.`,
        answers: { 200: noticeList },
        headers: ['Link'],
        errors: guarded
    },
    readNotices: {
        summary: 'Say that notices were read',
        notes: 'All up to this one. What was read stays so.',
        answers: { 200: noticesRead },
        errors: guarded
    },
    getLetter: {
        summary: 'Say whether one gets a letter',
        notes: 'Where the service sends no mail, it is 404 `mail_off`.',
        answers: { 200: letterBody('success') },
        errors: [...guarded, 'mail_off']
    },
    setLetter: {
        summary: 'Get a letter each day, or none',
        notes: `It goes to the confirmed address, once a day at most, with the titles of what those unread notices are about
of which no letter has told. Without an address, none is sent. Each has a link that ends them (RFC 8058).`,
        answers: { 200: letterBody('updated') },
        errors: [...guarded, 'mail_off']
    },
    watchNotices: {
        summary: 'Watch one\'s own notices',
        notes: `A stream of server-sent events. Each \`event: notice\` has how many are \`unread\`, and the id of the \`newest\` (null if there is none)
as its \`data\`: the first one at once, then one within a second or two of each new notice, and after they were read.

A comment is sent every 15 seconds. The stream ends after five to eight minutes, or with the token;
\`retry\` says after how many milliseconds to connect again. A user has at most ${MAX_NOTICE_STREAMS} such streams at an instance: one more ends the oldest.`,
        answers: { 200: eventStream(example) },
        type: EVENT_STREAM,
        errors: guarded
    }
});
