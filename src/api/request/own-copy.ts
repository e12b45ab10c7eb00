/**
 * A copy of a string for a cache to keep. V8 does not copy the characters of a slice of a string: the slice keeps the whole
 * string in memory, so that a key of 60 characters taken from a URL of 16 KiB would hold on to 16 KiB.
 */
export const ownCopy = (text: string): string => Buffer.from(text).toString();
