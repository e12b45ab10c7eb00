import Joi from 'joi';

import { fromApps } from '../apps/fragments';
import { isoTime, jsonObject, orNull, plainQuoted, quoted, timeOrNull } from '../../database/statements/json-sql';
import { origins } from '../../api/representations/token-origins';
import { fullScope, scopes } from '../../config/scopes';
import { id, idOf, shownId, text } from '../../api/request/schema';
import { MAX_AUTHORIZATIONS, MAX_PERSONAL_TOKENS, MAX_TOKENS, MAX_TOKENS_OF_AUTHORIZATION, MAX_TOKEN_PROJECTS } from '../../limits';
import { appNameJson, namedApp } from '../../api/representations/app';
import { bodyOf, next, record, time } from '../../api/representations/shapes';
import { account } from '../../api/representations/user';

/** SQL for the JSON text of a token `t`, which never holds its secret. */
export const tokenJson = jsonObject({
    id: plainQuoted('t.id'),
    token_type: `'"token"'`,
    scope: 'to_json(t.scope)::text',
    label: orNull(quoted('t.label')),
    app: orNull(`(select ${appNameJson} ${fromApps('a.id = t.app_id')})`),
    origin: plainQuoted('t.origin'),
    projects: orNull('to_json(t.projects::text[])::text'),
    created_at: plainQuoted(isoTime('t.created_at')),
    last_used_at: timeOrNull('t.last_used_at'),
    expires_at: plainQuoted(isoTime('t.expires_at'))
});

/** A token as it is shown the one time its secret is. */
export const withSecret = (token: string, secret: string): string => `{"access_token":"${secret}",${token.slice(1)}`;

/** Joi whose `unique` compares only texts: Joi's own compares all values with each other, to any depth. */
const joi: Joi.Root = Joi.extend({
    type: 'array',
    base: Joi.array(),
    overrides: {
        unique(this: Joi.ArraySchema) {
            const rule = { name: 'unique', method: 'different' };
            return this.$_addRule(rule);
        }
    },
    rules: {
        different: {
            method: false,
            validate: (value: unknown[], { error }) => (new Set(value).size === value.length ? value : error('array.unique'))
        }
    }
});

export const scope = joi.array().items(Joi.string().valid(...scopes)).min(1).max(scopes.length).unique()
    .messages({ '*': '{{#label}} must list "user", "projects" and "read", or some of them, each once' })
    .description('What it can be used for: `user` for the account and its tokens, `projects` for all other writes, `read` for reading what these can read.').example(fullScope);

/** The projects that a new token is limited to. */
export const tokenProjects = joi.array().items(id).min(1).max(MAX_TOKEN_PROJECTS).unique().messages({ 'array.unique': '{{#label}} must name each project once' }).example(['12']);

export const tokenLabel = text(1, 100).example('The tablet in the kitchen');

const shown = {
    id: idOf('token'),
    token_type: Joi.valid('token').description('The word before it in the `Authorization` header; `Bearer` works too.'),
    scope,
    label: tokenLabel.allow(null).description('A name by which its owner recognises it.'),
    app: namedApp.description('The app that it was given to; null if it was not given to one.'),
    origin: Joi.valid(...origins).description('Where it came from: `sign_in` with a password, `passkey`, `personal` for a script of its owner, `app` for an app.').example('sign_in'),
    projects: Joi.array().items(shownId).max(MAX_TOKEN_PROJECTS).allow(null).description('Ids of the projects that it is for; null if it is for all.').example(['12']),
    created_at: time.description('When it was made, in UTC.').example('2026-03-01T18:30:00.000Z'),
    last_used_at: time.allow(null).description('The hour in which it was last used, in UTC; null if it was not yet. It may lag by a few seconds.').example('2026-03-02T18:00:00.000Z'),
    expires_at: time.description('When it expires, in UTC.').example('2026-03-31T18:30:00.000Z')
};

/** A token, as it is shown at any time. */
const token = record(shown).id('Token').description('A token, without its secret.');

/** A token as it is shown the one time its secret is. */
const newToken = record({
    access_token: Joi.string().pattern(/^[A-Za-z0-9_-]{43}$/).description('The secret: 256 random bits. It is shown only in this response, and only its hash is stored.')
        .example('q3Jm0sQxW7c2vT9ZkLr5Yb8NfHd1uAeGiOpRtVxKzE4'),
    ...shown
}).id('NewToken').description('A token with its secret.');

export const signedIn = bodyOf('created', { token: newToken, user: account });

export const tokenMade = bodyOf('created', { token: newToken });

const tokens = Joi.array().items(token).max(MAX_TOKENS + MAX_PERSONAL_TOKENS + MAX_AUTHORIZATIONS * MAX_TOKENS_OF_AUTHORIZATION);

export const tokenList = bodyOf('success', { tokens: tokens.description('Those that have not expired, newest first.'), next });

export const signedOut = bodyOf('deleted', { tokens: tokens.description('All that had not expired, newest first.') });

export const tokenBody = bodyOf('deleted', { token });
