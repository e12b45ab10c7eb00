/** The scopes that a token can have. The constraint tokens_scope_known has the same ones. */
export const scopes = ['user', 'projects', 'read'] as const;
export type Scope = (typeof scopes)[number];

/** Everything that an app can ask for. */
export const appScopes = ['openid', 'offline_access', ...scopes] as const;

/** Those that let it do everything. */
export const fullScope = ['user', 'projects'] as const satisfies readonly Scope[];
