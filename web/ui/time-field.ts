/** A time as a field of the browser has it, in the reader's zone. */
export const inField = (at: Date): string => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
