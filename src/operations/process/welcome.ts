import { randomBytes } from 'node:crypto';

import type { Config } from '../../config';

/** The URL of a server. One that listens on all addresses is shown as localhost. */
export function addressOf(host: string, port: number | string): string {
    const everywhere = host === '0.0.0.0' || host === '::';
    const name = everywhere ? 'localhost' : host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** The text for newcomers: where the API is, where it is described, how to get a token. */
export function welcome(url: string, { auth, signUp }: Pick<Config, 'auth' | 'signUp'>): string {
    return `
  Pagewright is at ${url}
    to look around:      curl ${url}/discover
    its documentation:   ${url}/docs, in a browser, where you can send real requests
${auth.provider === 'local' ? ownToken(url, signUp) : `    to get a token:      sign in at ${auth.issuer}${signUp === 'open' ? '; POST /users opens the account' : ''}`}
    to stop:             Ctrl-C

`;
}

/**
 * How to get a token. Name and password are random each time, so that the line works when pasted, and no service has an account
 * with a well-known password.
 */
function ownToken(url: string, signUp: Config['signUp']): string {
    if (signUp === 'closed') {
        return '    to get a token:      POST /tokens; new accounts cannot be opened (SIGN_UP=closed)';
    }

    if (signUp === 'invite') {
        return '    to get a token:      make a code ("npm run admin -- invite"), and send it as "code" with POST /users (SIGN_UP=invite)';
    }

    const account = { username: `guest-${randomBytes(3).toString('hex')}`, password: randomBytes(9).toString('base64url') };
    return `    to get a token:      open an account; the response has the token, as "access_token"

curl -sS ${url}/users -H 'Content-Type: application/json' -d '${JSON.stringify(account)}'

    to sign in again:    the same line with /tokens instead of /users`;
}
