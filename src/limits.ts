/*
 * Limits on what a caller can make, send or ask for, and the times that texts name. What one field needs is with its schema, and what operators
 * set, as the days of the trash, in config/index.ts.
 */
const KIB = 1024;
const MIB = 1024 * KIB;

// Requests, their bodies and their responses.

/** Most bytes of a request's body, also after decompression. */
export const MAX_BODY_BYTES = 10 * MIB;
/** Most bytes where no token is needed: nothing large is wanted there. */
export const MAX_GUEST_BODY_BYTES = 64 * KIB;
/** Most characters of a header, and of what repeats one: Node reads 16 KiB of the address and the headers of a request, and a byte is shown as six at most. */
export const MAX_HEADER = 6 * 16 * KIB;
/** Most values in a body, outside of `attributes` and `styles`; and most items in a page of a list. */
export const MAX_VALUES = 50_000;
export const MAX_LISTED = 100;
/** Bytes of items after which a page of a list ends, though it has fewer than were asked for: what a `cheap` route sends is bounded, whatever people have written. One item always fits, and a hundred small projects do. */
export const MAX_LISTED_BYTES = 56 * KIB;
/** Bytes that a route that is `cheap` sends. */
export const MAX_CHEAP_BYTES = 64 * KIB;
/** Seconds by which public lists and counters may lag. */
export const MAX_LAG = 5;
/** Most bytes of a form that an app sends, and of a response of an identity provider, also after decompression. */
export const MAX_FORM_BYTES = 16 * KIB;
export const MAX_PROVIDER_BYTES = MIB;
/** Most bytes of a message to `/mcp`; about as many of what a tool there answers, which fit into what a language model reads at once; and most bytes that a tool reads of what is larger. */
export const MAX_MESSAGE_BYTES = 256 * KIB;
export const MAX_TOOL_BYTES = 96 * KIB;
export const MAX_TOOL_READ = 8 * MIB;
/** Most levels of nesting in `attributes` or `styles`, the object itself counted as the first; and in a message to `/mcp`: those of such an object, and those around it. Most keys of other objects there. */
export const MAX_NESTING = 32;
export const MAX_MESSAGE_NESTING = MAX_NESTING + 8;
export const MAX_MESSAGE_KEYS = 100;
/**
 * About how many bytes of JSON text a page or a list of what is in a project has at most that is read as one text. What is larger is sent in
 * pieces, and a page is then shown without its elements after a write. To encode so much takes a few milliseconds.
 */
export const LARGE = 4 * MIB;
/** Hours for which the response to a request with an `Idempotency-Key` is kept; how many of one user, and how many bytes; and the most bytes of one. */
export const KEPT_HOURS = 24;
export const MAX_KEPT = 5000;
export const MAX_KEPT_BYTES = 64 * MIB;
export const MAX_KEPT_BODY_BYTES = MIB;
/** Most words of a search that count, and most characters of a run without blanks. */
export const MAX_TERMS = 8;

// Accounts, their tokens, and the apps that they let in.

/** Most tokens of an account. One more revokes the oldest, so that the password always works. */
export const MAX_TOKENS = 1000;
/** Most personal tokens of an account. */
export const MAX_PERSONAL_TOKENS = 100;
/** Seconds in the longest life that a token may be given: a year. */
export const MAX_TOKEN_TTL = 365 * 24 * 3600;
/** Seconds in which a passkey's challenge must be answered; and most of a user that are kept: one more forgets the oldest. */
export const CHALLENGE_LIFE = 300;
export const MAX_CHALLENGES = 10;
/** Most passkeys of an account; most of its identities at other providers; and how many recovery codes it gets. */
export const MAX_PASSKEYS = 20;
export const MAX_IDENTITIES = 10;
export const RECOVERY_CODES = 10;
/** Most projects that a token is limited to. The constraint tokens_projects_count has the same number. */
export const MAX_TOKEN_PROJECTS = 100;
/** Most apps without an owner that nobody uses. One more forgets the oldest. */
export const MAX_UNUSED_APPS = 10_000;
/** Most apps that a user registers. */
export const MAX_APPS = 20;
/** Most authorizations of a user, that is devices on which apps are let in; the same for one app; and tokens of one that work at a time. One more ends the oldest. */
export const MAX_AUTHORIZATIONS = 500;
export const MAX_AUTHORIZATIONS_OF_APP = 20;
export const MAX_TOKENS_OF_AUTHORIZATION = 20;
/** Most addresses that an app can send people back to. The constraint apps_redirect_uris_count has the same number. */
export const MAX_REDIRECT_URIS = 10;
/** Most characters of a username, as it is kept. The constraint users_username_shape has the same number. */
export const MAX_USERNAME = 20;
/** Most characters of the line that users write about themselves. The constraint users_about_length has the same number. */
export const MAX_ABOUT = 200;

// Webhooks.

/** Most webhooks of a user; and most projects that one names. The constraint webhooks_projects_count has the same number. */
export const MAX_WEBHOOKS = 10;
export const MAX_WEBHOOK_PROJECTS = 100;
/** Most webhooks of the place, which operators make. */
export const MAX_PLACE_WEBHOOKS = 10;
/** Most deliveries of a webhook that wait: one more switches it off. And how many of the others are kept, and for how many days. */
export const MAX_WAITING = 5000;
export const KEPT_DELIVERIES = 500;
export const KEPT_DELIVERY_DAYS = 7;
/** Days for which a delivery is tried again; seconds that an attempt may take; most bytes of an answer that are read; and most bytes of what a delivery says. The constraint webhook_deliveries_data_size has the same number. */
export const WEBHOOK_RETRY_DAYS = 3;
export const WEBHOOK_SECONDS = 10;
export const MAX_WEBHOOK_ANSWER_BYTES = 64 * KIB;
export const MAX_WEBHOOK_BYTES = 4 * KIB;
/** Hours for which a webhook's secret signs after it was replaced. */
export const OLD_SECRET_HOURS = 24;

// Mail.

/** Most mails to one mailbox in an hour, and in a day: of those that confirm an address, and of those that lead to a new password, each. And most of the first kind for one account. */
export const MAX_MAILS_AN_HOUR = 5;
export const MAX_MAILS_A_DAY = 15;
/** Most accounts that have confirmed the same address. */
export const MAX_ACCOUNTS_OF_ADDRESS = 5;
/** Most mails that wait to be sent, and most requests for a new password that wait to be looked at. With one more, the service asks for patience. */
export const MAX_WAITING_MAILS = 5000;
/** Days for which a mail is tried again, and is remembered; and seconds that an attempt may take. */
export const MAIL_DAYS = 2;
export const MAIL_SECONDS = 30;
/** Minutes for which a link to a new password works; and hours for which one works that confirms an address. */
export const PASSWORD_LINK_MINUTES = 30;
export const ADDRESS_LINK_HOURS = 24;

// Projects, and what is in them.

/** Most thumbnails of a project. With a URL for each width, 100 projects of one list would have more bytes than a string can. */
export const MAX_THUMBNAILS = 16;
/** Most pages of a project. The constraint projects_page_limit has the same number. */
export const MAX_PAGES = 1000;
/** Most elements of a page. The constraint pages_element_limit has the same number. */
export const MAX_ELEMENTS = 1000;
/** Most bytes of `attributes` and `styles`, as JSON text, in a page with its elements. The triggers pages_size_limit and pages_size_limit_new have the same number. */
export const MAX_PAGE_BYTES = 32 * MIB;
/** Most of these bytes in all of a project. The triggers projects_size_limit and projects_size_limit_new have the same number. */
export const MAX_PROJECT_BYTES = 256 * MIB;
/** Most bytes of one `attributes` or `styles` in UTF-8. The constraints pages_styles_size, elements_attributes_size and elements_styles_size have the same number. */
export const MAX_OBJECT_BYTES = 2 * MIB;
/** Most members of a project, besides its owner; most invitations to it that work at a time; and most days until one expires. */
export const MAX_MEMBERS = 100;
export const MAX_INVITATIONS = 20;
export const MAX_INVITATION_DAYS = 30;
/** Most others whom a project shows as present at a time; and most elements that one of them shows as chosen. */
export const MAX_PRESENT = 30;
export const MAX_SHOWN_CHOSEN = 20;
/** Most other projects that the links of a project in an archive lead to; further links lead to a page that says so. */
export const MAX_LINKED = 1000;

// Assets.

/** Most assets that a project uses. The function use_assets has the same number. */
export const MAX_USED_ASSETS = 5000;
/** Most assets that one user may have sent, whatever their size. */
export const MAX_SENT_ASSETS = 10_000;
/** Days after which an asset is deleted that nothing uses. */
export const UNUSED_ASSET_DAYS = 7;
/** Most hashes that can be asked for at once. */
export const MAX_HASHES = 1000;
/** Most pixels of a picture, all of its frames together; and most frames of a moving one. */
export const MAX_PIXELS = 50_000_000;
export const MAX_FRAMES = 500;
/** Most pixels on a side of a picture, as WebP allows them. */
export const MAX_SIDE = 16_383;

// What changes a project: bulk, history and pulls.

/** Most actions of a bulk. */
export const MAX_ACTIONS = 1000;
/** Seconds that a bulk may take once it is its turn. */
export const MAX_BULK_SECONDS = 10;
/** Most pages of all projects together in which a bulk makes or moves pages. */
export const MAX_BULK_PAGES = 20_000;
/** Most characters of `attributes` and `styles` that the references of one bulk read in all. */
export const MAX_REFERENCED = 256 * KIB;
/** Most bytes of the response to a bulk. What does not fit is shown by its id and revision alone. */
export const MAX_RESULT_BYTES = 32 * MIB;
/** Bytes of that response up to which a thing is shown whole again that an earlier result has shown. */
export const MAX_REPEATED_BYTES = MIB;
/** The most that a bulk loads to show it: elements of pages, and bytes of thumbnails, of `styles` of pages, of elements, and of things as they were, for merges. */
export const MAX_LOADED = { thumbnails: 4 * MIB, styles: 16 * MIB, contents: 32 * MIB, elements: 40_000, earlier: 32 * MIB };
/** Most conflicts that a response lists. */
export const MAX_CONFLICTS = 1000;
/** Most bytes that a change has replaced which can be undone: they are merged in memory. */
export const MAX_UNDONE_BYTES = 32 * MIB;
/** Most ids of pages, and of elements, that are listed as removed since a revision. */
export const MAX_REMOVED = 10_000;
/** Most elements that a change of a remix's source may have touched, on pages that the remix has. */
export const MAX_CHANGED = 10_000;
/** Most bytes that a pull compares, in all three states together. */
export const MAX_COMPARED_BYTES = 32 * MIB;
/** Most ancestors of a remix that are kept and shown, the nearest ones. */
export const MAX_ANCESTORS = 100;

// Reports, comments and collections.

/** Most reports of a project that moderators are shown in full. */
export const MAX_SHOWN_REPORTS = 10;
/** Most reports of one user in 24 hours. */
export const MAX_REPORTS_A_DAY = 50;
/** New reports that bring a project back which a moderator has decided about, if it was not changed since. With one, a single person could keep it in the queue for ever. */
export const REPORTS_TO_REOPEN = 3;
/** Days in which one can appeal. */
export const APPEAL_DAYS = 90;
/** Most comments on a project that are not removed, and most answers in one thread. */
export const MAX_COMMENTS = 20_000;
export const MAX_REPLIES = 10_000;
/** Most collections of a user, and most projects in one. */
export const MAX_COLLECTIONS = 200;
export const MAX_COLLECTED = 500;

// Classes.

/** Most classes that a user teaches and attends, and most pupils, teachers and prepared devices of a class. */
export const MAX_CLASSES = 100;
export const MAX_PUPILS = 200;
export const MAX_TEACHERS = 20;
export const MAX_CLASS_DEVICES = 100;
/** Most classes that a project is in, and most projects in a class. What is started for a class counts, and is never refused. */
export const MAX_PROJECT_CLASSES = 20;
export const MAX_CLASS_PROJECTS = 5_000;
/** Most streams of classes that a user has open at an instance. One more ends the oldest. */
export const MAX_WALLS = 10;
/** Most accounts that a class gets at once. */
export const MAX_NAMES = 200;
/** Most characters of the title of a class, and of a pupil's name in it. The constraints classes_title_length and class_people_name_length have the same numbers. */
export const MAX_CLASS_TITLE = 100;
export const MAX_PUPIL_NAME = 60;
/** Most assignments of a class. */
export const MAX_ASSIGNMENTS = 200;
/** Most characters of the title and the text of an assignment, and of a teacher's note to a work. The constraints assignments_title_length, assignments_text_length and works_note_length have the same numbers. A title is also the name of a point of the history. */
export const MAX_ASSIGNMENT_TITLE = 100;
export const MAX_ASSIGNMENT_TEXT = 5000;
/** of it that lists have */
export const MAX_LISTED_TEXT = 500;
export const MAX_NOTE = 2000;
/** letters of why a teacher hides a project from the class */
export const MAX_HIDE_REASON = 500;
/** Most points that are handed in for one work, each after the one before was returned. */
export const MAX_HAND_INS = 100;

// What the staff of a place makes and sees.

/** Most announcements that are shown at a time, and most characters of one. The constraint announcements_text_length has the same number. */
export const MAX_ANNOUNCEMENTS = 5;
export const MAX_ANNOUNCEMENT_TEXT = 500;
/** Most sign-up codes that still open accounts, most accounts that one opens, and most characters of the note to one. The constraint sign_up_codes_note_length has the same number. */
export const MAX_SIGN_UP_CODES = 1000;
export const MAX_CODE_USES = 100_000;
export const MAX_CODE_NOTE = 100;
/** Rows up to which the staff sees an exact count; and seconds for which statistics are kept, and the days of which they have counts. */
export const MAX_COUNTED = 10_000;
export const STATISTICS_SECONDS = 60;
export const STATISTICS_DAYS = 30;

/** A count as texts show it, such as 1,000. */
export const inWords = (count: number): string => count.toLocaleString('en-US');

/** Bytes as texts show them, such as 64 KiB or 32 MiB. */
export const inBytes = (bytes: number): string => (bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`);
