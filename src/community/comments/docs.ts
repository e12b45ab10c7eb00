import { operations } from '../../api/description/operation';
import { guarded, missing, onceErrors } from '../../api/errors/registry';
import { inWords } from '../../limits';
import { MAX_COMMENTS, MAX_FIRST_REPLIES, MAX_MENTIONS, MAX_REPLIES } from './limits';
import { commentBody, commentList, settingsBody } from './json';

export const commentOperation = operations('Comments', {
    listComments: {
        summary: 'List the comments on a project',
        notes: `Threads, newest first, each with its first ${MAX_FIRST_REPLIES} answers; with \`thread\`, the answers of one thread, oldest first. Whoever may read the project can read this. What was removed keeps its place, without its text, if it has answers; else it is not listed.`,
        answers: { 200: commentList },
        headers: ['Link'],
        errors: [...missing, 'no_account']
    },
    createComment: {
        summary: 'Comment on a project',
        notes: `Whoever may read the project may comment, unless its owner or a class says otherwise (\`GET …/comments/settings\`). The first ${MAX_MENTIONS} \`@names\` in the text mention those who may read the project, have not blocked the sender, and may talk with the sender and the owner by the rules of their classes; others are plain text. The owner, the author of the answered comment and those who are mentioned get a notice, one each. With a word that the service blocks, it is \`held\`: others do not see what it says until a moderator has looked, and nobody is told.
A project has at most ${inWords(MAX_COMMENTS)} comments, and a thread ${inWords(MAX_REPLIES)} answers.`,
        answers: { 201: commentBody('created') },
        headers: ['Location'],
        errors: onceErrors(...guarded, 'comments_closed', 'comment_limit', 'thread_limit')
    },
    updateComment: {
        summary: 'Change a comment',
        notes: 'Its author can do this, as long as they may comment. `edited_at` says so. Those who are mentioned now and were not told of the comment before get a notice. With a word that the service blocks, it is held, as a new one is.',
        answers: { 200: commentBody('updated') },
        errors: [...guarded, 'comments_closed', 'method_not_allowed']
    },
    deleteComment: {
        summary: 'Remove a comment',
        notes: 'Its author, the owner of the project and moderators can do this; its author also where they can no longer read the project. Nobody can read the text any more. Its author reads why a moderator removed it, and can appeal. If it has answers, it keeps its place in the thread.',
        answers: { 200: commentBody('deleted') },
        errors: [...guarded, 'method_not_allowed']
    },
    getCommentSettings: {
        summary: 'Read who may comment on a project',
        notes: 'Whoever may read the project can read this.',
        answers: { 200: settingsBody('success') },
        errors: [...missing, 'no_account']
    },
    putCommentSettings: {
        summary: 'Say who may comment on a project',
        notes: 'The owner can do this. What was written before stays. On projects of an account that a class manages, only the people of the class may comment, whatever this says, and only if the class allows comments.',
        answers: { 200: settingsBody('updated') },
        errors: guarded
    }
});
