/**
 * SQL for a time as ISO 8601 in UTC, to the millisecond, in any session time zone. JSON has the time with a `T`, and without the zeros at
 * its end; one microsecond more, and it always has six decimals, of which the first three are the milliseconds. `to_char` says the same,
 * and takes a fifth of the time in which PostgreSQL makes the JSON of 20 pages.
 */
export const isoTime = (column: string): string =>
    `substr(to_json(${column}::timestamptz(3) at time zone interval '0' + interval '1 microsecond')::text, 2, 23) || 'Z'`;

/** SQL for a time in milliseconds since 1970, as cursors hold it. */
export const milliseconds = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;

/**
 * SQL for the JSON text of an object. Each field's expression must be JSON text already; `quoted` makes it from text.
 * Joining text costs a third of json_build_object, and responses are passed on as text.
 */
export function jsonObject(fields: Readonly<Record<string, string>>): string {
    const parts = Object.entries(fields).map(([name, expression], index) => `'${index === 0 ? '{' : ','}"${name}":' || ${expression}`);
    return `(${joinedLiterals(`${parts.join(' || ')} || '}'`)})`;
}

/** SQL with texts that are joined one after the other as one text: each `||` copies all that is before it. */
const joinedLiterals = (sql: string): string => sql.replaceAll(`' || '`, '');

/** SQL for a text as JSON: quoted and escaped. */
export const quoted = (expression: string): string => `to_json(${expression}::text)::text`;

/** SQL for text that needs no escaping, as ids and times are, in quotes. */
export const plainQuoted = (expression: string): string => `'"' || ${expression} || '"'`;

/** SQL for a JSON text that may be null. */
export const orNull = (expression: string): string => `coalesce(${expression}, 'null')`;

/** SQL for a time that may be null, as `isoTime` writes it. */
export const timeOrNull = (column: string): string => orNull(plainQuoted(isoTime(column)));

/** SQL for JSON that is stored, as its text. */
export const asText = (expression: string): string => `${expression}::text`;

/** SQL for a boolean as JSON. */
export const bool = (expression: string): string => `case when ${expression} then 'true' else 'false' end`;

/** SQL for `history`, of a row that has the two columns. */
export const historyJson = (row: string): string => jsonObject({
    created_at: plainQuoted(isoTime(`${row}.created_at`)),
    updated_at: plainQuoted(isoTime(`${row}.updated_at`))
});

/** The type of what `history` makes. */
export interface History {
    created_at: string;
    updated_at: string;
}
