import { isoTime, jsonObject, plainQuoted, quoted } from '../db/json-sql';

/** SQL for the JSON text of a token `t`, which never holds its secret. */
export const tokenJson = jsonObject({
    id: plainQuoted('t.id'),
    token_type: `'"token"'`,
    scope: 'to_json(t.scope)::text',
    label: `coalesce(${quoted('t.label')}, 'null')`,
    created_at: plainQuoted(isoTime('t.created_at')),
    expires_at: plainQuoted(isoTime('t.expires_at'))
});

/** A token as it is shown the one time its secret is. */
export const withSecret = (token: string, secret: string): string => `{"access_token":"${secret}",${token.slice(1)}`;
