/* Limits on comments. Those that errors name, and those of all else: src/limits.ts. */

/**
 * Most characters of a comment, and most users that one mentions. The constraints comments_text_length and comments_mentions_count have the
 * same numbers.
 */
export const MAX_COMMENT = 2000;
export const MAX_MENTIONS = 10;
/** Most users whom notices tell of one comment, whatever its author writes into it afterwards. */
export const MAX_TOLD = 30;
export { MAX_COMMENTS, MAX_REPLIES } from '../../limits';
/** Answers that a list of threads shows of each: with the longest comments, a thread is less than 48 KiB. */
export const MAX_FIRST_REPLIES = 3;
/** Comments that one look of the streams tells of a project. */
export const MAX_CHANGED_COMMENTS = 100;
