/*
 * Limits on what authors make that more than one place needs: the schemas, the single routes, bulk, remix, the errors and the API's
 * description. What only a field's schema needs, such as the length of a title, is in `representations/`. CONTRIBUTING.md says how to change one.
 */

const MIB = 1024 * 1024;

/** Most pages of a project. The constraint projects_page_limit has the same number. */
export const MOST_PAGES = 1000;

/** Most elements of a page. The constraint pages_element_limit has the same number. */
export const MOST_ELEMENTS = 1000;

/** Most bytes of `attributes` and `styles`, as JSON text, in a page with its elements. The triggers pages_size_limit and pages_size_limit_new have the same number. */
export const MOST_PAGE_BYTES = 32 * MIB;

/** The same for a project with all of its pages. The triggers projects_size_limit and projects_size_limit_new have the same number. */
export const MOST_PROJECT_BYTES = 256 * MIB;

/** Most bytes of one `attributes` or `styles` in UTF-8. The constraints pages_styles_size, elements_attributes_size and elements_styles_size have the same number. */
export const MOST_OBJECT_BYTES = 2 * MIB;

/** Most assets that a project uses. The function use_assets has the same number. */
export const MOST_USED_ASSETS = 5000;

/** Most assets that one user may have sent, whatever their size. */
export const MOST_SENT_ASSETS = 10_000;

/** Most levels of nesting in one of them, the object itself counted as the first. */
export const MOST_NESTING = 32;

/**
 * About how many bytes of JSON text a page or a list of what is in a project has at most that is read as one text. What is larger is sent in
 * pieces, and a page is then shown without its elements after a write. To encode so much takes a few milliseconds.
 */
export const LARGE = 4 * MIB;

/** Most members of a project, besides its owner. */
export const MOST_MEMBERS = 100;

/** Most invitations to a project that work at a time. */
export const MOST_INVITATIONS = 20;

/** Most others whom a project shows as present at a time. */
export const MOST_PRESENT = 30;

/** Most elements that somebody who is present shows as chosen. */
export const MOST_SHOWN_CHOSEN = 20;

/** Most actions of a bulk. */
export const MOST_ACTIONS = 1000;

/** Most reports of one user in 24 hours. */
export const MOST_REPORTS_A_DAY = 50;

/** New reports that bring a project back which a moderator has decided about, if it was not changed since. With one, a single person could keep it in the queue for ever. */
export const REPORTS_TO_REOPEN = 3;

/** Most collections of a user. */
export const MOST_COLLECTIONS = 200;

/** Most characters of the line that users write about themselves. The constraint users_about_length has the same number. */
export const MOST_ABOUT = 200;

/** Most projects in a collection. */
export const MOST_COLLECTED = 500;

/** A count as texts show it, such as 1,000. */
export const inWords = (count: number): string => count.toLocaleString('en-US');

/** Bytes as texts show them, such as 32 MiB. */
export const inMib = (bytes: number): string => `${bytes / MIB} MiB`;
