/** The value of a key that the object itself has. */
export const own = (object: unknown, key: string): unknown => (isRecord(object) && Object.hasOwn(object, key) ? object[key] : undefined);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
