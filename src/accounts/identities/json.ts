import Joi from 'joi';

import { MAX_IDENTITIES, MAX_PROVIDER_BYTES } from '../../limits';
import { idOf } from '../../api/request/schema';
import { bodyOf, record, time } from '../../api/representations/shapes';

export const providerId = Joi.string().pattern(/^[a-z0-9][a-z0-9-]{0,31}$/, 'the id of a provider').description('Id of a provider, as the setting `SIGN_IN_WITH` of the service names it.').example('school');

const identity = record({
    id: idOf('identity'),
    provider: record({ id: providerId, name: Joi.string().max(260).description('What people call it.').example('Our school') }).allow(null).description('The provider; null if it signs nobody in here any more.'),
    issuer: Joi.string().max(512).description('The address of the provider, which tells it from others (OpenID Connect Core, section 2).').example('https://login.example'),
    name: Joi.string().max(256).allow(null).description('The name that its owner has there; null if the provider does not tell it.').example('ada'),
    created_at: time.description('When it was added, in UTC.').example('2026-03-01T18:30:00.000Z'),
    last_used_at: time.allow(null).description('When somebody last signed in with it, in UTC; null if nobody did yet.').example('2026-03-02T18:31:00.000Z')
}).id('Identity').description('An identity at another provider, which signs in to an account.');

export const identityList = bodyOf('success', { identities: Joi.array().items(identity).max(MAX_IDENTITIES).description('All of them, newest first.') });

export const identityAdded = bodyOf('created', { identity });

export const identityRemoved = bodyOf('deleted', { identity });

export const begunSignIn = bodyOf('created', {
    sign_in: record({
        url: Joi.string().max(2 * MAX_PROVIDER_BYTES).description('The address of the provider to which people go.').example('https://login.example/authorize?client_id=pagewright'),
        key: Joi.string().pattern(/^[A-Za-z0-9_-]{43}$/).description('What finishes it. Keep it in this browser: it is not to be in an address.').example('q3Jm0sQxW7c2vT9ZkLr5Yb8NfHd1uAeGiOpRtVxKzE4'),
        expires_at: time.description('Until when it can be finished, in UTC.').example('2026-03-01T18:40:00.000Z')
    }).description('The sign-in that has begun.')
});
