import { MOST_ELEMENTS, MOST_PAGES, MOST_PAGE_BYTES, MOST_PROJECT_BYTES, inMib, inWords } from '../limits';

/** Every `code` that an error answer can have, and what it means. They are for programs, and so are kept as they are. */
export const meanings = {
    bad_reference: 'A reference leads to nothing that is an id, or into more than 256 KiB of `attributes` and `styles`.',
    bad_request: 'What came over the connection is not HTTP.',
    bulk_stopped: 'The bulk took longer than 10 seconds, so it was stopped and nothing was done. Send the actions in parts.',
    bulk_too_large: 'The projects in which pages are made or moved have more than 20,000 pages together. Send the actions in parts.',
    coordinates_taken: 'Another page of the project is at these coordinates.',
    element_limit: `A page holds at most ${inWords(MOST_ELEMENTS)} elements.`,
    forbidden: 'This is not the caller\'s to do.',
    insufficient_scope: 'The token does not have the scope that this needs.',
    internal_error: 'Something went wrong here. It is in the log under the request id.',
    invalid_token: 'There is no token, or it is malformed, unknown, expired or revoked.',
    invitation_invalid: 'The code is wrong, has expired, or is used up.',
    invitation_needed: 'Sign-up is by invitation: `POST /users` needs a `code`.',
    key_reused: 'Another request was sent with this `Idempotency-Key` before. Use a new one for each.',
    malformed_body: 'The body is not JSON in UTF-8, or not in its stated encoding.',
    malformed_path: 'The path is not valid percent-encoded UTF-8.',
    method_not_allowed: 'The path does not have this method; `Allow` tells those it has.',
    migrations_pending: 'The schema of the database is not up to date.',
    no_account: 'The user of the token has no account here yet. `POST /users`, or a first write under `/users/me`, opens it.',
    not_found: 'It is not there, or has been deleted; or something that the path goes through has.',
    not_local: 'Another identity provider has the passwords and makes the tokens; the message names it.',
    overloaded: 'More is asked of the service than it can answer soon, so it refused this, and did nothing. `Retry-After` tells when to try again.',
    page_limit: `A project holds at most ${inWords(MOST_PAGES)} pages.`,
    page_size_limit: `A page holds at most ${inMib(MOST_PAGE_BYTES)} of \`attributes\` and \`styles\` in all, its own and those of its elements. One that is larger from before may shrink, but not grow.`,
    payload_too_large: 'The body is larger than 10 MiB, or than 64 KiB where no token is needed, also after decompression.',
    project_size_limit: `A project holds at most ${inMib(MOST_PROJECT_BYTES)} of \`attributes\` and \`styles\` in all. One that is larger from before may shrink, but not grow.`,
    provider_unavailable: 'The identity provider cannot be asked about the token just now; `Retry-After` tells when to try again.',
    rate_limited: 'There were too many requests; `Retry-After` tells when to try again.',
    request_in_flight: 'The first request with this `Idempotency-Key` is still under way.',
    request_timeout: 'The body did not begin to arrive within ten seconds, or was not complete within two minutes.',
    revision_conflict: 'It has moved on since the revision that this was made against; `current` is how it stands.',
    service_unavailable: 'The database cannot be reached just now, or takes too long.',
    shutting_down: 'The instance that was asked is about to end.',
    sign_up_closed: 'New accounts cannot be opened here.',
    storage_full: 'The database has no room to store anything just now. Reading goes on; `Retry-After` tells when to try again.',
    too_much_in_progress: 'This account or network address has too much in progress: request bodies that are still being sent, or responses that it has not read. `Retry-After` tells when to try again.',
    try_again: 'Another write was in the way. Send the request again.',
    unsupported_encoding: 'The body has an encoding other than gzip and deflate.',
    unsupported_media_type: 'The body is not JSON in UTF-8 by its `Content-Type`.',
    username_taken: 'The username is taken, in some case of its letters, or was until its account is purged.',
    validation_failed: 'The request does not validate; `details` tells every fault.',
    wrong_credentials: 'The username or the password is wrong.',
    wrong_password: 'The current password is wrong.'
} as const;

export type ErrorCode = keyof typeof meanings;

/** The codes of errors by their status. */
export type Errors = Readonly<Record<number, readonly ErrorCode[]>>;

/** Where a first write opens an account. */
export const opensAccount: readonly ErrorCode[] = ['invitation_needed', 'sign_up_closed'];

/** Where something in the path may be missing. */
export const missing: Errors = { 404: ['not_found'] };

/** Where it may also be someone else's. */
export const guarded: Errors = { ...missing, 403: ['forbidden', 'no_account'] };

/** Where an `Idempotency-Key` may be sent, and these are the codes that it may be answered with besides. */
export const onceErrors = (own: Errors, conflicts: readonly ErrorCode[] = []): Errors => ({ ...own, 409: [...conflicts, 'request_in_flight'], 422: ['key_reused'] });

/** Where it may also have moved on: told in the body, or by `If-Match`. */
export const revised: Errors = { ...guarded, 409: ['revision_conflict'], 412: ['revision_conflict'] };
