/** The media type of a `Content-Type` in small letters, without its parameters; empty where there is none (RFC 9110, section 8.3). */
export const mediaTypeOf = (header: unknown): string => String(String(header ?? '').split(';', 1)[0]).trim().toLowerCase();
