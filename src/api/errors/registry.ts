import {
    APPEAL_DAYS, MAX_ACCOUNTS_OF_ADDRESS, MAX_ANNOUNCEMENTS, MAX_APPS, MAX_ASSIGNMENTS, MAX_BODY_BYTES, MAX_BULK_PAGES, MAX_BULK_SECONDS, MAX_CHANGED, MAX_CLASSES, MAX_CLASS_DEVICES, MAX_CLASS_PROJECTS, MAX_COLLECTED, MAX_COLLECTIONS, MAX_COMMENTS, MAX_COMPARED_BYTES, MAX_ELEMENTS,
    MAX_GUEST_BODY_BYTES, MAX_IDENTITIES, MAX_INVITATIONS, MAX_MEMBERS, MAX_PAGES, MAX_PAGE_BYTES, MAX_PASSKEYS, MAX_PERSONAL_TOKENS, MAX_PROJECT_BYTES, MAX_PROJECT_CLASSES, MAX_PUPILS, MAX_REFERENCED, MAX_REPLIES, MAX_SENT_ASSETS, MAX_SIGN_UP_CODES, MAX_TEACHERS,
    MAX_USED_ASSETS, MAX_WAITING, MAX_WEBHOOKS, UNUSED_ASSET_DAYS, inBytes, inWords
} from '../../limits';

/** One kind of error response. */
export interface Definition<Values extends unknown[]> {
    readonly status: number;
    /** The message, for people: what is wrong, and what to do next. */
    message(...values: Values): string;
    /** a message as it can be sent, for the API's description */
    readonly example: string;
    /** when the code is sent, for the API's description */
    readonly meaning: string;
    /** seconds for `Retry-After` (RFC 9110 section 10.2.3); 0 if it has no such header */
    readonly retryAfter: number;
}

/** An error with one message, which a more specific one can replace. */
const plain = (status: number, example: string, meaning = example, retryAfter = 0): Definition<[specific?: string]> => {
    return { status, message: (specific = example) => specific, example, meaning, retryAfter };
};

/** An error whose message says values. @param values those of the example */
function withValues<Values extends unknown[]>(
    status: number, message: (...values: Values) => string, values: Values, meaning: string, retryAfter = 0
): Definition<Values> {
    return { status, message, example: message(...values), meaning, retryAfter };
}

const MIB = 1024 * 1024;

/** The message of `not_found` for something that the path names. */
export const noSuch = (what: string): string => `There is no such ${what}, or it has been deleted.`;

const registry = {
    address_limit: plain(409, `This address is confirmed for ${MAX_ACCOUNTS_OF_ADDRESS} accounts already. Use another one, or remove it from one of them.`),
    announcement_limit: plain(409, `At most ${MAX_ANNOUNCEMENTS} announcements are shown at a time. End one first.`),
    app_limit: plain(409, `An account can have ${inWords(MAX_APPS)} apps. Delete one first.`),
    appeal_closed: plain(409, `There is nothing left to appeal: the decision was taken back or replaced, or is older than ${APPEAL_DAYS} days.`),
    appeal_decided: plain(409, 'Another moderator has decided on this appeal meanwhile. Read the list again.'),
    appealed: plain(409, 'This decision was appealed already, and each can be once. A notice says what came of it.'),
    asset_limit: plain(409, `A project can use ${inWords(MAX_USED_ASSETS)} assets, including those in its history and trash.`),
    asset_missing: withValues(409, (hash: string) => `There is no asset ${hash}. Upload it with PUT /users/me/assets/${hash}, then send this request again.`, ['0'.repeat(64)],
        'A string `asset:…` in `attributes` or `styles` refers to an asset that does not exist. The message names it.'),
    assignment_limit: plain(409, `A class has at most ${inWords(MAX_ASSIGNMENTS)} assignments. Delete one first.`),
    bad_reference: withValues(400,
        (target: string) => `${target} does not lead to an id. Refer to an "id", "page_id", "project_id" or "user_id" in the result of an earlier action.`, ['$0.title'],
        `A reference does not lead to an id, or the references read more than ${inBytes(MAX_REFERENCED)} of \`attributes\` and \`styles\`.`),
    bad_request: plain(400, 'Bad Request', 'The request is not valid HTTP.'),
    block_limit: plain(409, 'You have blocked as many people as one can. Unblock somebody first.'),
    bulk_stopped: plain(503, `The bulk took longer than ${MAX_BULK_SECONDS} seconds, so it was stopped and nothing was done. Send the actions in parts.`),
    bulk_too_large: plain(400, `The projects in which pages are made or moved have more than ${inWords(MAX_BULK_PAGES)} pages together. Send the actions in parts, one project after the other.`),
    class_full: plain(409, `A class holds at most ${inWords(MAX_CLASS_PROJECTS)} projects. Take some out first.`),
    class_device_limit: plain(409, `A class has at most ${inWords(MAX_CLASS_DEVICES)} prepared devices. End one that is not used any more first.`),
    class_limit: plain(409, `One can teach and attend at most ${inWords(MAX_CLASSES)} classes. Leave or delete one first.`),
    collection_full: plain(409, `A collection holds at most ${inWords(MAX_COLLECTED)} projects. Take some out first.`),
    collection_limit: plain(409, `A user has at most ${inWords(MAX_COLLECTIONS)} collections. Delete one first.`),
    comment_limit: plain(409, `A project has at most ${inWords(MAX_COMMENTS)} comments. Its owner can remove some first.`),
    comments_closed: plain(403, 'Not everybody may comment on this project, and you may not. Ask its owner, who decides that.',
        'The owner of the project lets only its members comment, or nobody; or the class of an account that it manages does not let these two comment on each other\'s projects; or the owner has blocked the sender, who is not told so.'),
    coordinates_taken: plain(409, 'Another page of the project is at these coordinates already.'),
    database_read_only: plain(503, 'The database takes no writes at the moment, so nothing was changed. Reading still works. Try again in a minute.',
        'The database is read-only, as for a moment after a failover. Nothing was changed, and reading still works. `Retry-After` says when to try again.', 10),
    element_limit: plain(409, `A page holds at most ${inWords(MAX_ELEMENTS)} elements.`),
    follow_limit: plain(409, 'You follow as many people as one can. End following somebody first.'),
    forbidden: plain(403, 'This project is someone else\'s.', 'Only the owner can do this.'),
    handed_in: plain(409, 'This was handed in to a class, so it cannot be changed or removed now. Take it back first, or ask your teacher.',
        'A point of the history was handed in to a class: as long as the class exists, its label cannot be removed, and what it shows cannot be deleted for good. Or the work was handed in, returned or accepted already.'),
    hash_mismatch: plain(400, 'The bytes do not have the SHA-256 in the path. Send the file again, complete and unchanged.'),
    held: plain(403, 'Moderators hold this project: it cannot be remixed until they release it.'),
    history_gone: plain(410, 'This point of the history is gone. "nearest" is the closest older one that is kept.',
        'This point of the history is no longer kept. `nearest` is the closest older one that is kept, null if there is none. Or the changes since that revision are no longer known: read the whole project.'),
    identity_invalid: plain(400, 'The answer of the identity provider is not valid here, has expired or was used before. Begin to sign in again.',
        'The answer of the identity provider is not valid for this sign-in, which may have been begun elsewhere or too long ago, or was used before. Begin again with `POST /sign-ins`.'),
    identity_limit: plain(409, `An account can be signed in to with at most ${MAX_IDENTITIES} identities of other providers. Remove one first.`),
    identity_taken: plain(409, 'This identity is of an account already. Sign in with it to use that one, or use another identity.'),
    insufficient_scope: plain(403, 'The token does not have the scope that this request needs.'),
    internal_error: plain(500, 'An internal error. It has been logged with the id of this request.'),
    invalid_token: plain(401, 'A valid token is needed: send "Authorization: token <token>". POST /tokens makes one, or says who does.',
        'There is no token, or it is malformed, unknown, expired or revoked.'),
    invitation_invalid: plain(403, 'This code is wrong, expired or used up. Ask for a new one where you got it.'),
    invitation_limit: plain(409, `A project has at most ${MAX_INVITATIONS} valid invitations. Revoke one, or wait until one has expired.`),
    invitation_needed: plain(403, 'Accounts are by invitation only. Send the code of your invitation to POST /users, as "code".',
        'Sign-up is by invitation: `POST /users` needs a `code`.'),
    key_reused: plain(422, 'This Idempotency-Key was used for another request before. Use a new one for each request.'),
    last_teacher: plain(409, 'A class needs a teacher, and this is the last one. Let another teacher be added to it first, or delete the class.',
        'A class would be left without a teacher. Another teacher has to be added to it first, or the class deleted.'),
    last_way_in: plain(409, 'Nobody could sign in to this account any more. Add a passkey or another identity first.'),
    like_limit: plain(409, 'You like as many projects as one can. Take a like back first.'),
    link_invalid: plain(400, 'This link is not valid for this account, has expired, or was used before. Ask for a new mail.',
        'The link is of another account, has expired or was used before, or the password or the address of the account was changed since. Ask for a new mail.'),
    mail_full: plain(503, 'Many mails wait to be sent. Try again in a few minutes.', undefined, 300),
    mail_limit: plain(429, 'Many mails were asked for this address, or by this account. Look at those that came, or try again later.', undefined, 3600),
    mail_off: plain(404, 'This service sends no mail. Its operator can change that (SMTP_URL).'),
    malformed_body: plain(400, 'The body could not be read: it is incomplete, or not in the stated encoding.', 'The body is not JSON in UTF-8, or not in the stated encoding.'),
    malformed_path: plain(400, 'The path is not valid percent-encoded UTF-8.'),
    merge_conflict: plain(409, 'You and the source have changed the same things: "conflicts" lists them. Nothing was done. Send "take": "ours" or "theirs" to decide for all of them.',
        'Both sides changed the same fields to different values. `conflicts` lists them. Nothing was done: `take` decides for all of them.'),
    managed_account: plain(403, 'A class manages this account, so only its teachers can do this.'),
    member_limit: plain(409, `A project has at most ${MAX_MEMBERS} members.`),
    method_not_allowed: withValues(405, (method: string, allowed: string) => `${method} is not supported by this path. It supports ${allowed}.`, ['PUT', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
        'The path does not support this method. `Allow` lists those that it supports.'),
    migrations_pending: withValues(503, (count: number) => `${count} migration(s) have not been applied: run "npm run admin -- migrate".`, [1], 'The schema of the database is not up to date.'),
    no_account: plain(403, 'You have no account here yet. Open it with POST /users, or with a first POST to /users/me/projects or /users/me/bulk.',
        'The user of the token has no account here yet. `POST /users`, or a first write under `/users/me`, opens it.'),
    no_teacher: plain(409, 'This user may not teach. An operator or a moderator has to make them a teacher first.'),
    not_a_point: plain(404, 'No change of the project ended at this revision. GET …/history lists those that did.'),
    no_password: plain(409, 'This account has no password here: its user signs in at another provider.'),
    no_public_url: plain(503, 'This service does not know its own address, which it needs to sign people in to apps or by other providers. Its operator has to set PUBLIC_URL.'),
    not_handed_in: plain(409, 'The pupil has not handed in this work, so it cannot be returned or accepted.'),
    not_in_class: plain(403, 'A class manages this account: only people of the class can share projects with it, and its projects only with whom the class allows.'),
    not_found: plain(404, noSuch('project'), 'It does not exist, was deleted, or the caller may not see it. This also applies to everything that the path goes through.'),
    not_local: withValues(404, (issuer: string) => `Passwords and tokens are not kept here: ${issuer} issues and revokes tokens.`, ['https://login.example'],
        'Passwords and tokens belong to another identity provider; the message names it.'),
    not_oneself: plain(409, 'This is your own account. One can block and follow others only.'),
    not_undoable: plain(409, 'The first change of a project and featuring cannot be undone.'),
    overloaded: plain(503, 'The service has too much to do at the moment, so nothing was done. Send the request again in a few seconds.',
        'The service has too much to do, so it rejected the request and did nothing. `Retry-After` says when to try again.', 3),
    outside_token: plain(403, 'This token is for some projects alone, and this is not in them. Use another token, or make one for this project too.'),
    own_account: plain(409, 'This is your own account. Somebody else of the staff has to do it.', 'Nobody of the staff can suspend or remove their own account here, or take `staff` from themselves.'),
    owner_is_no_member: plain(409, 'The author of a project cannot be its member too.'),
    own_decision: plain(403, 'Somebody else has to decide: it is about you, or it is your own decision, the person has appealed, and there is another moderator.'),
    page_limit: plain(409, `A project holds at most ${inWords(MAX_PAGES)} pages.`),
    page_size_limit: plain(409, `A page holds at most ${inBytes(MAX_PAGE_BYTES)} of "attributes" and "styles" in all. Remove something from it, make its pictures smaller, or use another page.`,
        `A page holds at most ${inBytes(MAX_PAGE_BYTES)} of \`attributes\` and \`styles\` in all, its own and those of its elements. If it is already larger, it can shrink but not grow.`),
    parent_deleted: plain(409, 'The page or project that this was in has been removed too. Restore that first.'),
    passkey_invalid: plain(400, 'The answer of the authenticator is not valid here, or was used before. Begin again with POST /passkeys/options.'),
    passkey_limit: plain(409, `An account has at most ${MAX_PASSKEYS} passkeys. Remove one first.`),
    paused: withValues(403, (until: string | null) => `A teacher of your class has paused this account until ${until}. It can sign in and read, but not change anything: wait until then, or ask your teacher.`, ['2036-04-01T12:00:00.000Z'],
        'A teacher has paused the pupil until a time. They can still sign in and out, read, change the password and leave a class that does not manage the account. All other writes are rejected.'),
    payload_too_large: withValues(413, (most: number) => `The body is larger than the ${inBytes(most)} allowed here. Send less at once, or a smaller file.`, [MAX_BODY_BYTES],
        `The body is larger than ${inBytes(MAX_BODY_BYTES)}, or than ${inBytes(MAX_GUEST_BODY_BYTES)} if no token is needed, also after decompression.`),
    picture_blocked: plain(403, 'A moderator has blocked this picture, or one that looks the same. Use another one.'),
    picture_limit: plain(409, 'As many pictures are blocked as can be. Let one be sent again first.'),
    pictures_off: plain(409, 'This class does not let pupils sign in with pictures. A teacher can change that: PATCH /classes/{class_id} with "picture_sign_in": true.'),
    project_class_limit: plain(409, `A project can be in at most ${MAX_PROJECT_CLASSES} classes. Take it out of one first.`),
    project_size_limit: plain(409, `A project holds at most ${inBytes(MAX_PROJECT_BYTES)} of "attributes" and "styles" in all. Remove something from it, or make its pictures smaller.`,
        `A project holds at most ${inBytes(MAX_PROJECT_BYTES)} of \`attributes\` and \`styles\` in all. If it is already larger, it can shrink but not grow.`),
    provider_unavailable: plain(503, 'The identity provider cannot be reached. Try again in a few seconds.',
        'The identity provider, which checks tokens or signs people in, cannot be reached, or its answer is invalid. `Retry-After` says when to try again.'),
    publish_bound: plain(403, 'Your class does not let you make this visible to others. Leave it private, or ask your teacher.', 'The class that manages the account does not let it make this visible: it stays private.'),
    pupil_limit: plain(409, `A class has at most ${inWords(MAX_PUPILS)} pupils. Take some out first, or make another class.`),
    quota_exceeded: withValues(409, (quota: number) => `Your assets would take more than the ${inBytes(quota)} that you may have. Assets that nothing refers to are deleted after ${UNUSED_ASSET_DAYS} days.`, [500 * MIB],
        `The assets of this user would take more than \`ASSET_QUOTA_MIB\`, or be more than ${inWords(MAX_SENT_ASSETS)}.`),
    range_not_satisfiable: withValues(416, (size: number) => `The file has ${size} bytes, and the requested range begins after them.`, [20_480], 'The range in the header `Range` begins after the end of the file.'),
    rate_limited: withValues(429, (seconds: number) => `Too many requests. Try again in ${seconds} seconds.`, [60], 'There were too many requests. `Retry-After` says when to try again.'),
    removed_by_moderator: plain(403, 'A moderator removed this. Only a moderator can restore it, or delete it for good.'),
    request_in_flight: plain(409, 'The first request with this Idempotency-Key is still in progress. Try again in a moment.', undefined, 1),
    request_timeout: plain(408, 'The body took too long to arrive.', 'The body did not begin to arrive within ten seconds, or was not complete within two minutes.'),
    revision_conflict: withValues(409, (what: string, isShown: boolean) => {
        const merge = isShown ? 'Merge with "current"' : 'It is too large to be shown here: read it, merge';
        return `The ${what} has changed since the revision that your request is based on. ${merge}, and send the request again.`;
    }, ['project', true], 'It was changed after the revision that the request is based on. `current` is its present state, `base` its state at that revision, `conflicts` the fields that both sides changed to different values, `changed_by` the user who changed it last.'),
    service_unavailable: plain(503, 'The database cannot be reached just now. Try again in a moment.', 'The database, or the storage of pictures and sounds, cannot be reached or takes too long.'),
    shutting_down: plain(503, 'This instance is shutting down.'),
    sign_up_closed: plain(403, 'New accounts cannot be opened here.'),
    sign_in_needed: plain(403, 'This needs a token that you signed in for, not one of a script or an app. Sign in, and send this again with that token.'),
    sign_up_code_limit: plain(409, `At most ${inWords(MAX_SIGN_UP_CODES)} sign-up codes work at a time. End one first.`),
    source_unavailable: plain(404, 'This project has no source that you can read: it is not a remix, or the source was deleted or is not shared with you.'),
    storage_full: plain(503, 'The storage is full, so nothing can be written. Reading still works. Try again later.',
        'The storage of the database or of pictures and sounds is full. Reading still works. `Retry-After` says when to try again.', 30),
    suspended: withValues(403,
        (until: string | null) => `This account is suspended${until === null ? '' : ` until ${until}`}: "suspension" says why. It can sign in and read, but not change anything.`, ['2026-04-01T00:00:00.000Z'],
        'A moderator has suspended the account. `suspension` says why, and until when. The user can still sign in and out, read, change the password and delete the account. All other writes are rejected.'),
    teacher_limit: plain(409, `A class has at most ${MAX_TEACHERS} teachers. Take one out first.`),
    thread_limit: plain(409, `A thread has at most ${inWords(MAX_REPLIES)} answers. Begin a new one, without "reply_to".`),
    too_much_in_progress: withValues(429, (what: string) => `This account or network address ${what}. Let other requests end first, then send this one again.`, ['sends too much at once'],
        'This account or network address has too much in progress: request bodies that are still being sent, or responses that it has not read. `Retry-After` says when to try again.', 2),
    token_limit: plain(409, `An account has at most ${inWords(MAX_PERSONAL_TOKENS)} personal tokens. End one first.`),
    try_again: plain(503, 'Another write was at work on the same thing. Send the request again.', undefined, 1),
    type_mismatch: plain(400, 'The body is not a complete file of the type in Content-Type, or that type is not accepted.',
        'The body is not a complete file of the type in `Content-Type`, or has too many pixels or frames. The message says what is wrong.'),
    undo_conflict: plain(409, 'Some of what this change did was changed again later: "conflicts" lists it. Nothing was done.',
        'Some of what the change did was changed again later. `conflicts` lists these things with their fields.'),
    unsupported_encoding: withValues(415, (encoding: string) => `The content encoding '${encoding}' is not supported. Send the body uncompressed, or with gzip or deflate.`, ['br'],
        'The body has an encoding other than gzip and deflate.'),
    unsupported_media_type: plain(415, 'The body has to be JSON in UTF-8: send it with "Content-Type: application/json".', '`Content-Type` does not say that the body is JSON in UTF-8.'),
    upstream_too_large: plain(409, `The source has changed too much to be merged: more than ${inWords(MAX_CHANGED)} elements that you also have, or both of you changed more than ${inBytes(MAX_COMPARED_BYTES)}. Make a new remix.`),
    username_blocked: plain(409, 'That username has a word that cannot be used here. Choose another one.', 'The username has a word that the operators of the service block.'),
    username_taken: plain(409, 'That username is taken. Choose another one.', 'The username is taken. Case, width and composition do not matter, and names of deleted accounts are taken until these are purged.'),
    validation_failed: withValues(400, (first: string, count: number, listed: number) => {
        const more = count === 1 ? '' : ` (and ${count - 1} more: "details" lists ${count === listed ? 'all' : `the first ${listed}`} of them)`;
        return `The request does not validate: ${first}${more}.`;
    }, ['"title" is required', 1, 1], 'The request does not validate. `details` lists every error.'),
    webhook_full: plain(409, `${inWords(MAX_WAITING)} deliveries wait for this webhook already. Wait until some have arrived, or delete it.`),
    webhook_limit: plain(409, `An account can have ${MAX_WEBHOOKS} webhooks. Delete one first.`),
    webhook_off: plain(409, 'This webhook is switched off. Send PATCH with "enabled": true first.'),
    words_blocked: plain(409, 'That text has a word that cannot be used here. Write it without.', 'A text that others read has a word that the operators of the service block.'),
    wrong_credentials: plain(401, 'The username or the password is wrong.'),
    wrong_password: plain(403, 'The current password is wrong.')
};

/** The stable name of an error, for programs. Once released, a code stays. */
export type ErrorCode = keyof typeof registry;

/** The parameters of each code's message. */
export type MessageValues = { [Code in ErrorCode]: Parameters<(typeof registry)[Code]['message']> };

/** Codes with one message, which needs no values. */
export type PlainCode = { [Code in ErrorCode]: [] extends MessageValues[Code] ? Code : never }[ErrorCode];

/** Every error that the service responds with, by its code. */
export const errorDefinitions: { readonly [Code in ErrorCode]: Definition<MessageValues[Code]> } = registry;

/** The status of `revision_conflict` if the revision was given in `If-Match` (RFC 9110 section 13.1.1). */
export const PRECONDITION_FAILED = 412;

/** Codes of a route's own errors. */
export type Errors = readonly ErrorCode[];

/** If a first write opens an account. */
export const openingErrors: Errors = ['invitation_needed', 'sign_up_closed'];

/** If something in the path may be missing. */
export const missing: Errors = ['not_found'];

/** If a token is looked at only where there is nothing for everybody. */
export const readable: Errors = [...missing, 'invalid_token', 'provider_unavailable'];

/** If it may also be someone else's. */
export const guarded: Errors = [...missing, 'forbidden', 'no_account'];

/** If it may also have changed since the revision in the body or in `If-Match`. */
export const revised: Errors = [...guarded, 'revision_conflict'];

/** If an `Idempotency-Key` may be sent. */
export const onceErrors = (...own: Errors): Errors => [...own, 'request_in_flight', 'key_reused'];
