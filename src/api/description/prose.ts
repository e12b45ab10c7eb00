import { MAX_BODY_BYTES, MAX_VALUES, inBytes, inWords } from '../../limits';
import { version } from './version';

const scopes = {
    user: 'Read the account, and change its language and its line; with a token of a sign-in also its name, tokens and apps.',
    projects: 'Read, change and delete the projects of the user, and create new ones. Of the account it shows the id and the name.',
    read: 'Read what is private to the user, but for the people of a class. It writes nothing.',
    openid: 'Who the user is: an ID token, and `/oauth/userinfo`.',
    offline_access: 'A refresh token, with which people stay signed in.'
};

export const info = {
    title: 'Pagewright',
    version,
    summary: 'A project-authoring service: projects, pages, elements, remixes and discovery.',
    license: { name: 'MIT', identifier: 'MIT' },
    contact: { name: 'The operator of the service' },
    description: `A **user** owns **projects**; a project has **pages**, each at its own place on a grid; a page has **elements** (text, images, links…),
each with free-form \`attributes\` and \`styles\`. A **remix** is a deep copy of a project that remembers where it came from. **Moderators** feature projects.
**Tags** are the \`#hashtags\` in a project's description.

Reading what is public needs no token. A project is public unless its owner makes it unlisted or private, or moderators hold it. The owner and the editors that they name can write; moderators can also delete and feature.

## Scopes
Each operation names the scope that a token needs; where it names two, either is enough. \`openid\` and \`offline_access\` are for apps alone.

| scope | what it is for |
|---|---|
${Object.entries(scopes).map(([name, text]) => `| \`${name}\` | ${text} |`).join('\n')}

## Bodies
Every body is JSON in UTF-8, at most ${inBytes(MAX_BODY_BYTES)}, and may be compressed with gzip or deflate. Types are not converted: \`"1"\` is not 1. Unknown fields and query parameters are rejected,
and so is \`null\` where it is not described. These are invalid anywhere in a body: the character U+0000, half of a surrogate pair, a number that does not fit into a double,
and the key \`__proto__\`. Outside of \`attributes\` and \`styles\`, a body has at most ${inWords(MAX_VALUES)} values. If a request needs no body, an empty one and \`{}\` mean the same. Ids are decimal strings, times are ISO 8601 in UTC,
and lengths count Unicode code points. In a path, \`me\` can be used instead of a user's id, and means the user of the token; responses and \`Location\` show the id. A PATCH replaces the fields in its body, each as a whole, and leaves all other fields as they are; its body is \`application/json\`, and other types, such as \`application/merge-patch+json\`, are 415.

## Revisions
Every representation has a \`revision\`, which grows whenever it or anything inside it changes. A write can name the revision that it is based on, as \`revision\` in the body (409
if there is a newer one) or with \`If-Match\` (412). Nothing is written then, and the response has the \`current\` representation, to merge with. Of two writes
that are based on the same revision, exactly one succeeds.

## Lists
A list of projects is read in pages of \`count\`, by number (\`page\`) or by cursor (\`after\`). The cursor of the next page is in the response as \`next\`, and in its \`Link\` header; with cursors, every page costs the same.
Numbers in a query string have digits only, without leading zeros. No parameter may appear twice.

## Errors
An error has a status, a message for people, a \`code\` for programs and the id of the request. A client whose \`Accept\` names \`application/problem+json\`, and likes \`application/json\` no better, gets it as RFC 9457 has it. If there are several errors, the first of these is returned: an invalid token or a missing scope (401, 403), invalid input (400),
something that does not exist (404), a missing permission (403), a conflict (409, 412). HEAD works wherever GET does. A method that a path does not have is 405 with \`Allow\`.

## Other origins
Pages of any origin can send requests and read the responses, errors included. Cookies are not used: send the token in the \`Authorization\` header.`
};

/** The groups of operations, in the order in which a newcomer needs them. */
export const groups = [
    { name: 'Users', description: 'Accounts.' },
    { name: 'Tokens', description: 'Signing in and out.' },
    { name: 'Passkeys', description: 'Signing in by a device, without a password.' },
    { name: 'Identities', description: 'Signing in by other providers.' },
    { name: 'Mail', description: 'Mail addresses, and new passwords by mail.' },
    { name: 'Apps', description: 'Programs that sign people in without their passwords.' },
    { name: 'Projects', description: 'What users author.' },
    { name: 'Pages', description: 'The pages of a project, each at its own place on a grid.' },
    { name: 'Elements', description: 'What is on a page.' },
    { name: 'History', description: 'Who changed what in a project, live and afterwards, and how to undo it.' },
    { name: 'Bulk', description: 'Many changes in one transaction.' },
    { name: 'Members', description: 'Who else may see a project, and write in it.' },
    { name: 'Trash', description: 'Removed things, which can be restored for {TRASH_DAYS} days.' },
    { name: 'Remixes', description: 'Copies that remember where they came from.' },
    { name: 'Assets', description: 'Pictures, drawings, sounds and videos.' },
    { name: 'Export and import', description: 'Export and import of projects, and everything that a user has, as files.' },
    { name: 'Discovery', description: 'Projects for anyone to find.' },
    { name: 'Moderation', description: 'Reports of projects, and what moderators do about them.' },
    { name: 'Statements', description: 'Decisions of moderators, as those read them whom they concern, and appeals.' },
    { name: 'Collections', description: 'Lists of projects that users make.' },
    { name: 'People', description: 'Whom a user blocks and follows, and what they like.' },
    { name: 'Comments', description: 'What people say about projects.' },
    { name: 'Classes', description: 'Teachers, their pupils, and the accounts that a class manages.' },
    { name: 'Notices', description: 'What happened that concerns an account.' },
    { name: 'Webhooks', description: 'Addresses to which the service tells what happens to projects.' },
    { name: 'Administration', description: 'For staff: people, statistics, announcements and the log.' },
    { name: 'Service', description: 'The service itself.' }
];

const token = 'A token of `POST /users` or `POST /tokens`, or of the identity provider that the service trusts, with the scope that the operation names: `user` for the account and its tokens, `projects` for all other writes.';

/** The ways to send a token, each with the strategy of the same name. */
export const tokenSchemes = {
    token: { type: 'apiKey', in: 'header', name: 'Authorization', description: `\`Authorization: token <token>\`. ${token}` },
    bearer: { type: 'http', scheme: 'bearer', description: `\`Authorization: Bearer <token>\` (RFC 6750). ${token}` }
};

/** Ways to send a token, and for an app to get one. */
export const securitySchemes = {
    ...tokenSchemes,
    oauth2: {
        type: 'oauth2',
        description: 'How an app gets a token (OAuth 2.1, with PKCE always), where the service has accounts and a site of its own: docs/apps.md. An app can use what does not need a token of a sign-in.',
        flows: { authorizationCode: { authorizationUrl: '/oauth/auth', tokenUrl: '/oauth/token', refreshUrl: '/oauth/token', scopes } }
    },
    openIdConnect: { type: 'openIdConnect', openIdConnectUrl: '/.well-known/openid-configuration', description: 'The same, found by OpenID Connect discovery.' }
};
