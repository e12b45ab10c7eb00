/** Whether a value of JSON is an object or a list. A list has its indexes as names. */
export const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** Whether a value of JSON is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => hasMembers(value) && !Array.isArray(value);

/** The field of a JSON object; undefined if it has none, or if the value is no object. */
export const fieldOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
