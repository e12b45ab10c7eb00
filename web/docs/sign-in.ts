import { signInWithPagewright } from '../../client/src/auth/index.js';
import type { Auth } from '../../client/src/auth/index.js';
import type { Component, SwaggerResponse, SwaggerUi, System } from './swagger-ui.js';

/** Where the page says who is signed in; whether it offers to sign in. */
const account = document.querySelector<HTMLElement>('#account');

/** Says who is signed in, or what went wrong. */
function say(text: string): void {
    if (account !== null) {
        account.textContent = text;
        account.classList.add('signed-in');
    }
}

/** A sign-in by the page of the service. The token is kept in memory: computers are shared. */
async function authorization(): Promise<Auth> {
    const response = await fetch('/oauth/docs', { method: 'POST' });
    const { client_id: clientId, redirect_uri: redirectUri, message }: Record<string, string> = await response.json();
    if (clientId === undefined || redirectUri === undefined) {
        throw new Error(message);
    }

    return signInWithPagewright({ service: location.origin, clientId, redirectUri, scope: ['projects', 'user', 'read'] });
}

/** Finishes a sign-in if people have just come back. */
export async function comeBack(ui: SwaggerUi): Promise<void> {
    if (!new URLSearchParams(location.search).has('state')) {
        return;
    }

    const auth = await authorization();
    await auth.complete();
    const token = await auth.token();
    if (token !== null) {
        ui.preauthorizeApiKey('bearer', token);
        const response = await auth.fetch(new Request(`${location.origin}/users/me`));
        const { user }: SwaggerResponse['body'] & object = await response.json();
        say(user === undefined ? 'Signed in.' : `Signed in as ${user.username}. Your user id is ${user.id}.`);
    }
}

export const tell = (error: unknown): void => say(error instanceof Error ? error.message : String(error));

/** Signs the user in after opening an account or requesting a token, so that there is no token to copy. */
export const signIn = (ui: SwaggerUi, response: SwaggerResponse): SwaggerResponse => {
    const { token, user } = response.body ?? {};
    if (response.status === 201 && token !== undefined && user !== undefined) {
        ui.preauthorizeApiKey('bearer', token.access_token);
        say(`Signed in as ${user.username}. Your user id is ${user.id}.`);
    }

    return response;
};

/** In the dialog to authorize, the way without a token to copy. */
export const signingIn = () => ({
    wrapComponents: {
        auths(Original: Component, { React: { createElement } }: System): Component {
            return (props) => createElement('div', null,
                createElement('div', { className: 'sign-in' },
                    createElement('button', { type: 'button', className: 'btn authorize', onClick: () => void authorization().then((auth) => auth.signIn()).catch(tell) }, 'Sign in with your account'),
                    createElement('p', null, 'You are asked what this page may do. Or paste a token:')),
                createElement(Original, props));
        }
    }
});

/** Whether people sign in on this page. */
export const signsIn = account?.dataset.way === 'signsIn';
