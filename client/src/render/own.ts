/** The value of a key that the object itself has. */
export const own = (object: unknown, key: string): unknown => (typeof object === 'object' && object !== null && Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined);
