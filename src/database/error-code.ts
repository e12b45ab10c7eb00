/** The code of an error of PostgreSQL (its SQLSTATE), of Node or of a library; undefined if it has none. */
export const errorCode = (error: unknown): string | undefined => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined);
