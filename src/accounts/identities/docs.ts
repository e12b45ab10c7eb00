import Joi from 'joi';

import { operations } from '../../api/description/operation';
import { guarded, openingErrors } from '../../api/errors/registry';
import { begunSignIn, identityAdded, identityList, identityRemoved } from './json';
import { bodyOf } from '../../api/representations/shapes';
import { signedIn } from '../tokens/json';
import { MAX_IDENTITIES, MAX_PROVIDER_BYTES, inWords } from '../../limits';

const given = bodyOf('success', {
    access_token: Joi.string().max(MAX_PROVIDER_BYTES).description('The access token of the provider.').example('eyJhbGciOiJSUzI1NiJ9.e30.c2ln'),
    refresh_token: Joi.string().max(MAX_PROVIDER_BYTES).allow(null).description('What renews it; null if the provider gave nothing. After a renewal, null says that the earlier one goes on.').example('tGzv3JOkF0XG5Qx2TlKWIA'),
    expires_in: Joi.number().allow(null).description('Seconds until it ends; null if the provider does not say.').example(300)
});

export const operation = operations('Identities', {
    beginSignIn: {
        summary: 'Begin to sign in at another provider, or to add an identity there',
        notes: 'Send the browser to `url`, and keep `key` in it. The provider sends people back to `/sign-in/{provider}` at this service, whose page goes on. To add an identity, a token with the scope `user` that somebody signed in for is needed.',
        answers: { 201: begunSignIn },
        errors: ['not_found', 'no_account', 'not_local', 'no_public_url', 'insufficient_scope', 'sign_in_needed', 'provider_unavailable']
    },
    finishSignIn: {
        summary: 'Sign in with the answer of another provider',
        notes: 'Signs in to the account of the identity, whatever its e-mail address is, or opens one with the name that the provider prefers, or a similar one. A sign-in can be finished once, within ten minutes.',
        answers: { 201: signedIn },
        errors: ['not_found', 'no_public_url', 'identity_invalid', 'invalid_token', 'invitation_invalid', ...openingErrors, 'username_taken', 'provider_unavailable', 'try_again']
    },
    finishSignInElsewhere: {
        summary: 'Get a token with the answer of the provider',
        notes: 'Returns the access token of the identity provider that the service uses. It is sent with other requests as any other.',
        answers: { 200: given },
        errors: ['not_found', 'no_public_url', 'identity_invalid', 'provider_unavailable']
    },
    renewSignIn: {
        summary: 'Renew a token of the provider',
        notes: 'Where tokens come from an identity provider, its refresh token gives a new one before the old one ends. Elsewhere there is no such provider. Sign in again after 400 `identity_invalid`.',
        answers: { 200: given },
        errors: ['not_found', 'identity_invalid', 'provider_unavailable']
    },
    endSignIn: {
        summary: 'Revoke a refresh token of the provider',
        notes: 'For signing out: the provider revokes the refresh token (RFC 7009), and with it what it belongs to there. `revoked` is false if the provider cannot do that. An access token goes on until it ends, so that a sign-out also forgets it.',
        answers: { 200: bodyOf('success', { revoked: Joi.boolean().description('Whether the provider was asked to.').example(true) }) },
        errors: ['not_found', 'provider_unavailable']
    },
    listIdentities: {
        summary: 'List one\'s own identities at other providers',
        answers: { 200: identityList },
        errors: [...guarded, 'not_local']
    },
    addIdentity: {
        summary: 'Add an identity at another provider to one\'s own account',
        notes: `Takes the answer to a sign-in that this account began, to add. An account has at most ${inWords(MAX_IDENTITIES)}.`,
        answers: { 201: identityAdded },
        errors: [...guarded, 'not_local', 'no_public_url', 'identity_invalid', 'identity_taken', 'identity_limit', 'provider_unavailable']
    },
    deleteIdentity: {
        summary: 'Remove an identity of one\'s own',
        notes: 'Nobody can sign in with it any more, and the tokens that came of it end at once. The last way to sign in cannot be removed.',
        answers: { 200: identityRemoved },
        errors: [...guarded, 'not_local', 'last_way_in']
    }
});
