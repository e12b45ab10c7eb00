/** The version of this release. A test compares it with package.json. */
const VERSION = '0.2.0';

export const info = {
    title: 'Pagewright',
    version: VERSION,
    summary: 'A project-authoring service: projects, pages, elements, remixes and discovery.',
    license: { name: 'MIT', identifier: 'MIT' },
    description: `A **user** owns **projects**; a project has **pages**, each at a place of its own on a grid; a page has **elements** (text, images, links…),
each with free-form \`attributes\` and \`styles\`. A **remix** is a deep copy of a project that remembers where it came from. **Moderators** feature projects.
**Tags** are the \`#hashtags\` in a project's description.

Reading what is public needs no token. A project is public unless its owner makes it unlisted or private, or moderators hold it. Writing is for the owner and the editors that they name; deleting and featuring also for moderators.

## Bodies
Every body is JSON in UTF-8, at most 10 MiB, plain or as gzip or deflate. It is taken as typed: \`"1"\` is not 1. Fields and query parameters that are not described
are refused, and so is \`null\` where it is not described. Nor may there be, anywhere: the character U+0000, half of a surrogate pair, a number that a double cannot hold,
or the key \`__proto__\`; and outside of \`attributes\` and \`styles\`, at most 50,000 values. Where a request needs no body, none and \`{}\` are the same. Ids are decimal strings, times are ISO 8601 in UTC,
and lengths count Unicode code points. In a path, \`me\` may stand in place of a user's id, for the user of the token; answers and \`Location\` show the id. A PATCH replaces each field it names, whole; what it does not name stays.

## Revisions
Every representation has a \`revision\`, which grows whenever it or anything inside it changes. A write may say which one it was made against, as \`revision\` in the body (409
where it is no longer that) or by \`If-Match\` (412). Nothing is written then, and the answer has the \`current\` representation to merge with. Of two writes
against one revision, exactly one wins.

## Lists
Lists of projects come in pages of \`count\`, by \`page\` or, at the same cost however far in, by the cursor \`after\`, which a list answers as \`next\` and in its \`Link\` header.
A number in a query string is written in digits alone, without zeros before it; no parameter is given twice.

## Errors
An error has a status, a message for people, a \`code\` for programs and the id of the request. A bad token or scope is told first (401, 403), then what does not validate (400),
what is missing (404), what is not this caller's to do (403), and what does not fit (409, 412). Every GET answers HEAD too. A method that a path lacks is 405 with \`Allow\`.

## Other origins
Any origin may ask, and read the answer, errors included, without credentials of its browser; the token goes into the \`Authorization\` header.`
};

/** The groups of operations, in the order in which a newcomer needs them. */
export const groups = [
    { name: 'Users', description: 'Accounts.' },
    { name: 'Tokens', description: 'Signing in and out.' },
    { name: 'Projects', description: 'What users author.' },
    { name: 'Pages', description: 'The pages of a project, each at a place of its own on its grid.' },
    { name: 'Elements', description: 'What is on a page.' },
    { name: 'History', description: 'What was changed in a project, by whom, as it happens and afterwards, and how to go back.' },
    { name: 'Bulk', description: 'Many changes in one transaction.' },
    { name: 'Members', description: 'Who else may see a project, and write in it.' },
    { name: 'Trash', description: 'What was removed, and can be restored for a while.' },
    { name: 'Remixes', description: 'Copies that remember where they came from.' },
    { name: 'Assets', description: 'Pictures, drawings, sounds and videos.' },
    { name: 'Taking it along', description: 'Projects, and all that a user has, as files.' },
    { name: 'Discovery', description: 'Projects for anyone to find.' },
    { name: 'Moderation', description: 'Reports of projects, and what moderators do about them.' },
    { name: 'Collections', description: 'Projects that users have put together.' },
    { name: 'Service', description: 'The service itself.' }
];

const token = 'A token of `POST /users` or `POST /tokens`, or of the identity provider that the service trusts, with the scope that the operation names: `user` for the account and its tokens, `projects` for all else that is written.';

export const securitySchemes = {
    token: { type: 'apiKey', in: 'header', name: 'Authorization', description: `\`Authorization: token <token>\`. ${token}` },
    bearer: { type: 'http', scheme: 'bearer', description: `\`Authorization: Bearer <token>\` (RFC 6750). ${token}` }
};
