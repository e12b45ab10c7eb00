import { randomBytes } from 'node:crypto';

import type { AuthConfig } from '../auth/settings';

/** The address to call a server at: one that listens everywhere is reached at localhost. */
export function addressOf(host: string, port: number | string): string {
    const everywhere = host === '0.0.0.0' || host === '::';
    const name = everywhere ? 'localhost' : host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** What a newcomer needs: where the API is, where it is described, how to get a token. */
export function welcome(url: string, auth: AuthConfig): string {
    return `
  Pagewright is at ${url}
    to look around:      curl ${url}/discover
    its documentation:   ${url}/docs, in a browser, where it can be tried out
${auth.provider === 'local' ? ownToken(url) : `    to get a token:      sign in at ${auth.issuer}; POST /users opens the account`}
    to stop:             Ctrl-C

`;
}

/**
 * Name and password are made up anew each time: the line works when pasted, and no two services have an account with a
 * password that all know.
 */
function ownToken(url: string): string {
    const account = JSON.stringify({ username: `guest-${randomBytes(3).toString('hex')}`, password: randomBytes(9).toString('base64url') });
    return `    to get a token:      open an account; the answer has the token, as "access_token"

curl -sS ${url}/users -H 'Content-Type: application/json' -d '${account}'

    to sign in again:    the same line with /tokens for /users`;
}
