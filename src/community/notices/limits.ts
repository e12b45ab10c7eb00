/**
 * Most notices that an account keeps, and for how many days; and how many of those that are one can still be told apart. The constraint
 * notices_things_each has the same number.
 */
export const MAX_NOTICES = 1000;
export const NOTICE_DAYS = 90;
export const KEPT_THINGS = 5;

/** Most streams of notices that a user has open at an instance. One more ends the oldest. */
export const MAX_NOTICE_STREAMS = 10;

/** Most notices that a letter names; and most attempts to send one. */
export const MAX_IN_LETTER = 20;
export const MAX_LETTER_ATTEMPTS = 5;
