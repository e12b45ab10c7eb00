/** SQL for a time as ISO 8601 in UTC, to the millisecond, in any session time zone. */
export const isoTime = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** SQL for a time in milliseconds since 1970, as cursors hold it. */
export const milliseconds = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;

/**
 * SQL for the JSON text of an object. Each field's expression must be JSON text already; `quoted` makes it from text.
 * Joining text costs a third of json_build_object, and responses are passed on as text.
 */
export function jsonObject(fields: Readonly<Record<string, string>>): string {
    const parts = Object.entries(fields).map(([name, expression], index) => `'${index === 0 ? '{' : ','}"${name}":' || ${expression}`);
    return `(${parts.join(' || ')} || '}')`;
}

/** SQL for a text as JSON: quoted and escaped. */
export const quoted = (expression: string): string => `to_json(${expression}::text)::text`;

/** SQL for text that needs no escaping, as ids and times are, in quotes. */
export const plainQuoted = (expression: string): string => `'"' || ${expression} || '"'`;

/** SQL for JSON that is stored, as its text. */
export const asText = (expression: string): string => `${expression}::text`;

/** SQL for a boolean as JSON. */
export const bool = (expression: string): string => `case when ${expression} then 'true' else 'false' end`;

/** SQL for `history`, of a row that has the two columns. */
export const history = (row: string): string => jsonObject({
    created_at: plainQuoted(isoTime(`${row}.created_at`)),
    updated_at: plainQuoted(isoTime(`${row}.updated_at`))
});

/** The type of what `history` makes. */
export interface History {
    created_at: string;
    updated_at: string;
}
