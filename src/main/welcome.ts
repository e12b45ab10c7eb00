import { randomBytes } from 'node:crypto';

/** The address to call a server at: one that listens everywhere is reached at localhost. */
export function addressOf(host: string, port: number | string): string {
    const everywhere = host === '0.0.0.0' || host === '::';
    const name = everywhere ? 'localhost' : host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * What a newcomer needs: where the API is, where it is described, how to get a token. Name and password are made up
 * anew each time: the line works when pasted, and no two services have an account with a password that all know.
 */
export function welcome(url: string): string {
    const account = JSON.stringify({ username: `guest-${randomBytes(3).toString('hex')}`, password: randomBytes(9).toString('base64url') });
    return `
  Pagewright is at ${url}
    to look around:      curl ${url}/discover
    its documentation:   README.md, where an author's day is walked through; examples/walkthrough.sh runs it
    to get a token:      open an account; the answer has the token, as "access_token"

curl -sS ${url}/users -H 'Content-Type: application/json' -d '${account}'

    to sign in again:    the same line with /tokens for /users
    to stop:             Ctrl-C

`;
}
