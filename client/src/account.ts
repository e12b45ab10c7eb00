import type { Api, CallOptions } from './api.js';
import type { KeptSession } from './session.js';
import type { Identity, MailAddress, NewPasskey, NewToken, Passkey, ProviderAnswer, Statement, Token, User } from './things.js';
import { each, whole } from './lists.js';
import type { List, ListOptions } from './lists.js';

/** The account of the user who is signed in. */
export interface Account {
    /** @throws TypeError with a token without the scope `user`, which may only know the name: `session.user` */
    get(options?: CallOptions): Promise<User>;

    /** Changes what is named. `about` is a line that everybody can read on the user's page. @throws PagewrightError 409 `username_taken` */
    update(changes: { username?: string; language?: string; about?: string }, options?: CallOptions): Promise<User>;

    /** Ends the tokens of all other devices. @throws PagewrightError 403 `wrong_password` if the current one is wrong, 404 `not_local` with an identity provider */
    changePassword(current: string, password: string, options?: CallOptions): Promise<void>;

    /** Deletes the account with all its projects, and removes the session. */
    delete(options?: CallOptions): Promise<void>;

    /** The devices and programs that are signed in, newest first, without the secrets. @throws PagewrightError 404 `not_local` with an identity provider */
    tokens(options?: CallOptions): Promise<Token[]>;

    /**
     * A token for a script. Its secret, `access_token`, is shown this once.
     * @param token.expires_in seconds
     * @param token.projects ids of the only projects that it is for
     * @throws PagewrightError 403 `sign_in_needed` with a token that nobody signed in for, 409 `token_limit`
     */
    createToken(token: { label: string; scope: NewToken['scope']; expires_in?: number; projects?: string[] }, options?: CallOptions): Promise<NewToken>;

    /** The passkeys of the account, how many recovery codes are left, and whether there is a password. @throws PagewrightError 404 `not_local` with an identity provider */
    passkeys(options?: CallOptions): Promise<{ passkeys: Passkey[]; recovery_codes: number; has_password: boolean }>;

    /** The `publicKey` of `navigator.credentials.create`, as JSON. */
    passkeyOptions(options?: CallOptions): Promise<object>;

    /** Adds what `navigator.credentials.create` made, as its `toJSON()` gives it. @throws PagewrightError 400 `passkey_invalid`, 409 `passkey_limit` */
    addPasskey(passkey: NewPasskey, options?: CallOptions): Promise<Passkey>;

    /** Removes a passkey, and ends the tokens that came of it. */
    removePasskey(passkey: Pick<Passkey, 'id'>, options?: CallOptions): Promise<void>;

    /** Ten new codes in place of all earlier ones. Each signs in once, with the username. They are shown this once. */
    createRecoveryCodes(options?: CallOptions): Promise<string[]>;

    /** The identities at other providers that sign in to the account, newest first. @throws PagewrightError 404 `not_local` with an identity provider */
    identities(options?: CallOptions): Promise<Identity[]>;

    /** Adds the identity of the answer to what `beginSignIn` began with `to: 'add'`. @throws PagewrightError 400 `identity_invalid`, 409 `identity_taken`, `identity_limit` */
    addIdentity(answer: ProviderAnswer, options?: CallOptions): Promise<Identity>;

    /** Removes an identity, and ends the tokens that came of it. @throws PagewrightError 409 `last_way_in` */
    removeIdentity(identity: Pick<Identity, 'id'>, options?: CallOptions): Promise<void>;

    /** The mail address, which nobody else can read. @throws PagewrightError 404 `mail_off` if the service sends no mail */
    address(options?: CallOptions): Promise<MailAddress>;

    /** Has a mail with a link sent, which confirms the address. @param password the current one @throws PagewrightError 403 `wrong_password`, 429 `mail_limit` */
    changeAddress(address: string, password: string, options?: CallOptions): Promise<MailAddress>;

    /** Confirms the address. @param key what is behind the `#` in the link @throws PagewrightError 400 `link_invalid`, 409 `address_limit` */
    confirmAddress(key: string, options?: CallOptions): Promise<MailAddress>;

    /** Removes the address, and the one that is to be confirmed. */
    removeAddress(options?: CallOptions): Promise<void>;

    /** Decisions of moderators about the account and its contents, newest first. */
    statements(options?: ListOptions): List<Statement>;

    /** Says why a decision is wrong, once. @throws PagewrightError 409 `appealed`, `appeal_closed` */
    appeal(statement: Pick<Statement, 'id'>, text: string, options?: CallOptions): Promise<Statement>;

    /** Signs a device or program out. For the token of this session, use `signOut`. */
    revoke(token: Pick<Token, 'id'>, options?: CallOptions): Promise<void>;
}

const me = { params: { path: { user: 'me' } } } as const;

export function accountOf(api: Api, session: KeptSession): Account {
    return {
        get: async (options) => {
            const { user } = (await api.GET('/users/{user}', { ...me, ...options })).data;
            if (!('revision' in user)) {
                throw new TypeError('To read the account, the token needs the scope `user`');
            }

            return user;
        },

        update: async (body, options) => {
            const { user } = (await api.PATCH('/users/{user}', { ...me, body, ...options })).data;
            const now = session.read();
            if (now?.user.id === user.id && now.user.username !== user.username) {
                session.write({ ...now, user: { id: user.id, username: user.username } });
            }

            return user;
        },

        changePassword: async (current, password, options) => {
            await api.PUT('/users/{user}/password', { ...me, body: { current_password: current, password }, ...options });
        },

        delete: async (options) => {
            await api.DELETE('/users/{user}', { ...me, ...options });
            session.write(null);
        },

        statements: (options) => each(options, async (query, call) => {
            const { statements, next } =
                (await api.GET('/users/{user}/statements', { params: { path: { user: 'me' }, query }, ...call })).data;
            return { items: statements, next };
        }),

        appeal: async ({ id: statement }, text, options) => {
            return (await api.POST('/users/{user}/statements/{statement}/appeal',
                { params: { path: { user: 'me', statement } }, body: { text }, ...options })).data.statement;
        },

        tokens: (options) => whole(each({ count: 100, ...options }, async (query, more) => {
            const { tokens, next } = (await api.GET('/tokens', { params: { query }, ...more })).data;
            return { items: tokens, next };
        })),

        createToken: async (body, options) => (await api.POST('/users/{user}/tokens', { ...me, body, ...options })).data.token,

        passkeys: async (options) => {
            const { passkeys, recovery_codes, has_password } = (await api.GET('/users/{user}/passkeys', { ...me, ...options })).data;
            return { passkeys, recovery_codes, has_password };
        },

        passkeyOptions: async (options) => (await api.POST('/passkeys/options', { body: { to: 'add' }, ...options })).data.options,

        addPasskey: async (body, options) => (await api.POST('/users/{user}/passkeys', { ...me, body, ...options })).data.passkey,

        removePasskey: async ({ id: passkey }, options) => {
            await api.DELETE('/users/{user}/passkeys/{passkey}', { params: { path: { user: 'me', passkey } }, ...options });
        },

        identities: async (options) => (await api.GET('/users/{user}/identities', { ...me, ...options })).data.identities,

        addIdentity: async (body, options) => (await api.POST('/users/{user}/identities', { ...me, body, ...options })).data.identity,

        removeIdentity: async ({ id: identity }, options) => {
            await api.DELETE('/users/{user}/identities/{identity}', { params: { path: { user: 'me', identity } }, ...options });
        },

        address: async (options) => (await api.GET('/users/{user}/address', { ...me, ...options })).data.address,

        changeAddress: async (address, current_password, options) => (await api.PUT('/users/{user}/address', { ...me, body: { address, current_password }, ...options })).data.address,

        confirmAddress: async (key, options) => (await api.POST('/users/{user}/address/confirmations', { ...me, body: { key }, ...options })).data.address,

        removeAddress: async (options) => {
            await api.DELETE('/users/{user}/address', { ...me, ...options });
        },

        createRecoveryCodes: async (options) => (await api.POST('/users/{user}/recovery-codes', { ...me, ...options })).data.codes,

        revoke: async ({ id: token }, options) => {
            await api.DELETE('/tokens/{token}', { params: { path: { token } }, ...options });
        }
    };
}
