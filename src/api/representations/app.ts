import Joi from 'joi';

import { fromAuthorizations } from '../../accounts/apps/fragments';
import { bool, isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { MAX_APPS, MAX_AUTHORIZATIONS, MAX_REDIRECT_URIS } from '../../limits';
import { appScopes } from '../../config/scopes';
import { isRedirectUri } from './redirect-uri';
import { idOf, line, text, webUrl } from '../request/schema';
import { bodyOf, next, record, time } from './shapes';
import { username } from './user';

const fields = {
    id: plainQuoted('a.id'),
    name: quoted('a.name'),
    url: quoted('a.url'),
    owner: `case when a.user_id is null then 'null' else ${jsonObject({ id: plainQuoted('a.user_id'), username: plainQuoted('u.username') })} end`,
    created_at: plainQuoted(isoTime('a.created_at'))
};

/** SQL for the JSON text of an app in the row `a`, whose owner is in the row `u`, as everybody sees it. */
export const appJson = jsonObject(fields);

/** An app's JSON for owners. */
export const ownAppJson = jsonObject({ ...fields, redirect_uris: 'to_json(a.redirect_uris)::text', confidential: bool('(a.secret_hash is not null)') });

/** Most devices on which an app was let in whose users are counted for a list. */
const MAX_USERS = 1000;

/** An app's JSON for the staff. */
export const trustedAppJson = jsonObject({
    ...fields,
    trusted: bool('a.trusted'),
    users: `(select count(distinct g.user_id) from (select g.user_id ${fromAuthorizations('a.id')} limit ${MAX_USERS}) g)::text`
});

/** SQL for the JSON text of an app in the row `a`, which may be missing, with its name alone. */
export const appNameJson = orNull(jsonObject({ id: fields.id, name: fields.name }));

/** The fields of an app that its owner writes. */
export interface AppFields {
    name: string;
    url: string;
    redirect_uris: string[];
}

/** One line of text, without invisible characters, which would let one name look like another. */
const oneLine = line(1, 80)
    .custom((value: string, helpers) => (/\S/.test(value) && !/\p{Cf}/u.test(value) ? value : helpers.error('app.name')))
    .messages({ 'app.name': '{{#label}} must be one line of text without invisible characters' });

export const appFields = {
    name: oneLine.description('Its name, which people see when it asks to be let in.').example('Kitchen editor'),
    url: webUrl(512).description('Its website, which people see when it asks to be let in.').example('https://editor.example'),
    redirect_uris: Joi.array().items(text(1, 512).custom((value: string, helpers) => (isRedirectUri(value) ? value : helpers.error('uri.redirect'))).example('https://editor.example/signed-in'))
        .min(1).max(MAX_REDIRECT_URIS)
        .messages({ 'uri.redirect': '{{#label}} must be an https:// address, an http:// one at 127.0.0.1, [::1] or localhost, or one of a private scheme with a dot, such as org.example.editor:/done; without a fragment, credentials or blanks' })
        .description('Where people come back to from here. An `https` address has to be sent exactly as it is here; one at `127.0.0.1`, `[::1]` or `localhost` with any port; programs on a device can use a private scheme with a dot.')
};

const shown = {
    id: idOf('app').description('Id of the app, which is also its `client_id`.'),
    name: appFields.name,
    url: text(1, 512).description('Its website; of an app that registered itself, where people come back to.').example('https://editor.example'),
    owner: record({ id: idOf('user'), username }).allow(null).description('The user who registered it; null if it registered itself.'),
    created_at: time.description('When it was registered, in UTC.').example('2026-03-01T18:30:00.000Z')
};

/** An app by its name, where it did something; null for none. */
export const namedApp = record({ id: idOf('app'), name: Joi.string().max(80).description('The name of the app.').example('Kitchen editor') }).allow(null);

/** An app, as everybody sees it. */
export const app = record(shown).id('App').description('A program of somebody else, which people can let into their account.');

/** An app, as its owner sees it. */
export const ownApp = record({
    ...shown,
    redirect_uris: appFields.redirect_uris,
    confidential: Joi.boolean().description('Whether it has a secret, because it runs on a server.').example(false)
}).id('OwnApp').description('An app, for its owner.');

/** An app, as the staff sees it. */
export const trustedApp = record({
    ...shown,
    trusted: Joi.boolean().description('Whether people who have let it in before are not asked again when they sign in.').example(false),
    users: Joi.number().integer().min(0).description(`How many users have let it in, of the ${MAX_USERS} devices that are looked at.`).example(30)
}).id('TrustedApp').description('An app, for the staff.');

/** A user's grant to an app. */
const authorization = record({
    app,
    scope: Joi.array().items(Joi.string().valid(...appScopes)).max(appScopes.length).description('What it may do.').example(['projects', 'offline_access']),
    since: time.description('When it was first let in, in UTC.').example('2026-03-01T18:30:00.000Z'),
    last_used_at: time.description('The hour in which it last got a token, in UTC. A token works for an hour.').example('2026-03-02T18:00:00.000Z')
}).id('Authorization').description('What a user lets an app do.');

export const authorizationList = bodyOf('success', { authorizations: Joi.array().items(authorization).max(MAX_AUTHORIZATIONS).description('The latest first.'), next });

export const authorizationBody = bodyOf('deleted', { authorization });

/** The secret of a confidential app. */
export const clientSecret = Joi.string().pattern(/^[A-Za-z0-9_-]{43}$/).description('The secret of a confidential app: 256 random bits. It is shown only in this response, and only its hash is stored.')
    .example('q3Jm0sQxW7c2vT9ZkLr5Yb8NfHd1uAeGiOpRtVxKzE4');

export const appBody = bodyOf('success', { app });

export const ownAppBody = (status: 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { app: ownApp });

export const ownAppList = bodyOf('success', { apps: Joi.array().items(ownApp).max(MAX_APPS).description('Newest first.'), next });
