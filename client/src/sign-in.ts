import { signalOf } from './api.js';
import type { Api, CallOptions, SendCall } from './api.js';
import { PagewrightError } from './errors.js';
import { renewalOf, revokeRenewal } from './renewal.js';
import type { Send } from './retries.js';
import type { KeptSession, Renewal, Session } from './session.js';
import type { NewToken, PasskeyAnswer, PictureSignIn, ProviderAnswer, SignedInUser, User } from './things.js';

/** The options of `signUp` and `signIn`. */
export interface Credentials {
    username: string;
    password: string;
}

/** Opening an account, and signing in and out. */
export interface SignIn {
    /**
     * Opens an account and signs in.
     * @param account.code of an invitation: 403 `invitation_needed` says that the service asks for one
     * @throws PagewrightError 409 `username_taken`, 403 `sign_up_closed`, 403 `invitation_invalid`
     */
    signUp(account: Credentials & { language?: string; code?: string }, options?: CallOptions): Promise<User>;

    /** @throws PagewrightError 401 `wrong_credentials` */
    signIn(credentials: Credentials & { label?: string }, options?: CallOptions): Promise<User>;

    /** The `publicKey` of `navigator.credentials.get`, as JSON, to sign in with a passkey. */
    passkeyOptions(options?: CallOptions): Promise<object>;

    /** Signs in with what `navigator.credentials.get` returned, as its `toJSON()` gives it. @throws PagewrightError 401 `wrong_credentials` */
    signInWithPasskey(answer: { passkey: PasskeyAnswer; label?: string }, options?: CallOptions): Promise<User>;

    /** Signs a pupil in on a device that a teacher has prepared. @throws PagewrightError 401 `wrong_credentials`, 403 `paused` */
    signInWithPictures(credentials: PictureSignIn, options?: CallOptions): Promise<User>;

    /** Signs in with a recovery code, which can be used once. @throws PagewrightError 401 `wrong_credentials` */
    signInWithRecoveryCode(credentials: { username: string; recovery_code: string; label?: string }, options?: CallOptions): Promise<User>;

    /** Begins to sign in at another provider, or to add an identity there. Send people to `url`, and keep `key` in the tab. @throws PagewrightError 404 `not_found` if there is no such provider, 503 `provider_unavailable` */
    beginSignIn(what: { provider: string; to?: 'sign_in' | 'add' }, options?: CallOptions): Promise<{ url: string; key: string; expires_at: string }>;

    /** Signs in with the answer of the provider. `code` is of an invitation. @throws PagewrightError 400 `identity_invalid`, 403 `sign_up_closed`, `invitation_needed`, 503 `provider_unavailable` */
    signInWithProvider(answer: ProviderAnswer & { code?: string; label?: string }, options?: CallOptions): Promise<SignedInUser>;

    /**
     * Has a mail with a link to a new password sent, if there is such an account with a confirmed address. Nobody can tell whether there is.
     * @param account a username, or an address
     * @throws PagewrightError 404 `mail_off` if the service sends no mail
     */
    askForPassword(account: string, options?: CallOptions): Promise<void>;

    /** Sets a new password, which ends all sign-ins of the account. @param key what is behind the `#` in the link @returns whose it is @throws PagewrightError 400 `link_invalid` */
    choosePassword(key: string, password: string, options?: CallOptions): Promise<{ id: string; username: string }>;

    /** Uses an existing session, for example with a token from `npm run admin -- token`. */
    signInWith(session: Session): void;

    /** Uses a token of an identity provider or for a script. Opens an account if the user has none yet, for which the token needs the scope `user`. @returns the account, or with a token of `projects` alone its id and name */
    signInWithToken(token: string, options?: CallOptions): Promise<SignedInUser>;

    /**
     * Revokes the token and removes the session, even if the service cannot be reached. With a token of an identity provider, that revokes its refresh token.
     * @param options.everywhere whether to revoke all other tokens of the user too
     */
    signOut(options?: CallOptions & { everywhere?: boolean }): Promise<void>;
}

/** Its parameters `ask` sends a request and retries it, and `send` sends one once. */
export function signInOf(api: Api, base: string, session: KeptSession, ask: SendCall, send: Send): SignIn {
    const enter = ({ token: { access_token: token, id: tokenId }, user }: { token: NewToken; user: User }): User => {
        session.write({ token, tokenId, user: { id: user.id, username: user.username } });
        return user;
    };

    const enterWithToken = async (token: string, options: CallOptions = {}, renewal?: Renewal): Promise<SignedInUser> => {
        const given = { headers: { Authorization: `token ${token}` }, signal: signalOf(options) };
        const found = await api.GET('/users/{user}', { params: { path: { user: 'me' } }, ...given }).catch(async (error: unknown) => {
            if (!(error instanceof PagewrightError) || error.code !== 'no_account') {
                throw error;
            }

            // With an identity provider there is no body here: the token identifies the account.
            await ask(new Request(`${base}/users`, { method: 'POST', headers: given.headers, signal: given.signal ?? null }), '/users', {});
            return api.GET('/users/{user}', { params: { path: { user: 'me' } }, ...given });
        });
        const { user } = found.data;
        session.write({ token, tokenId: null, user: { id: user.id, username: user.username }, ...renewal && { renewal } });
        return user;
    };

    return {
        signUp: async (body, options) => enter((await api.POST('/users', { body, ...options })).data),

        signIn: async (body, options) => enter((await api.POST('/tokens', { body, ...options })).data),

        passkeyOptions: async (options) => (await api.POST('/passkeys/options', { body: { to: 'sign_in' }, ...options })).data.options,

        signInWithPasskey: async (body, options) => enter((await api.POST('/tokens', { body, ...options })).data),

        signInWithPictures: async (body, options) => enter((await api.POST('/class-devices/tokens', { body, ...options })).data),

        signInWithRecoveryCode: async (body, options) => enter((await api.POST('/tokens', { body, ...options })).data),

        beginSignIn: async ({ provider, to = 'sign_in' }, options) => (await api.POST('/sign-ins', { body: { provider, to }, ...options })).data.sign_in,

        signInWithProvider: async (body, options) => {
            const { data } = await api.POST('/sign-ins/answers', { body, ...options });
            // Where tokens come from the provider, its own is used.
            return 'access_token' in data ? enterWithToken(String(data.access_token), options, renewalOf(body.provider, data)) : enter(data);
        },

        askForPassword: async (account, options) => {
            await api.POST('/new-passwords/mails', { body: { account }, ...options });
        },

        choosePassword: async (key, password, options) => (await api.POST('/new-passwords', { body: { key, password }, ...options })).data.user,

        signInWith: (given) => session.write(given),

        signInWithToken: (token, options) => enterWithToken(token, options),

        signOut: async ({ everywhere = false, ...options } = {}) => {
            const ended = session.read();
            if (ended === null) {
                return;
            }

            try {
                if (everywhere) {
                    await api.DELETE('/tokens', options);
                }
                else if (ended.tokenId !== null) {
                    await api.DELETE('/tokens/{token}', { params: { path: { token: ended.tokenId } }, ...options });
                }
            }
            finally {
                session.write(null);
                if (ended.renewal !== undefined) {
                    await revokeRenewal(base, send, ended.renewal, options);
                }
            }
        }
    };
}
