import type { Services } from '../../services';
import type { Identity } from '../../request/caller';
import type { CurrentUser, Suspension } from '../../request/caller';
import type { PublishLevel } from '../../../classes/publish-levels';
import type { Config } from '../../../config';
import type { Scope } from '../../../config/scopes';
import { RejectedToken } from './claims';
import { introspector } from './introspection';
import { jwtVerifier } from './jwt';
import { findAccount, findBearer } from '../queries';
import { isSignIn } from '../../representations/token-origins';
import { hashSecret, isSecret } from '../secrets';

/** The sender of a token, and its scope. */
export interface Bearer {
    scope: Scope[];
    /** undefined for a user of an external provider who has no account here yet */
    user: CurrentUser | undefined;
    /** of tokens of an external provider */
    identity?: Identity;
    /** of a user who may not write */
    suspension?: Suspension | null | undefined;
    /** of our own tokens: the hash that the database stores */
    hash?: Buffer;
}

/** The settings that decide which rights users have. */
type Rights = Pick<Config, 'moderatorsNeed' | 'teachers'>;

/** Whether a user can teach: `canTeach` (api/auth/queries.ts) says the same in SQL. */
const teaches = ({ teacher, publish }: { teacher: boolean; publish: PublishLevel | null }, teachers: Config['teachers']): boolean => publish === null && (teacher || teachers === 'open');

/** The user of a token of ours. Moderators and staff have their rights only with a token that they signed in for, with a passkey if `MODERATORS_NEED` says so. */
function userOf({ user_id: id, moderator, staff, teacher, publish, origin, projects, app_id: app }: NonNullable<Awaited<ReturnType<typeof findBearer>>>, hash: Buffer, { moderatorsNeed: need, teachers }: Rights): CurrentUser {
    const signedIn = isSignIn(origin);
    const hasRights = signedIn && (need === 'sign_in' || origin === need);
    return { id, moderator: moderator && hasRights, staff: staff && hasRights, teaches: teaches({ teacher, publish }, teachers), signedIn, projects, app, tokenHash: hash, publish };
}

/** The format of any token (RFC 6750 section 2.1). */
const shape = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Returns a function that finds the sender of a token. If the token is invalid, it returns undefined or, with an external
 * provider, the reason. Each request reads the database, so a revoked token and a deleted account stop working at once, on
 * every instance.
 * @throws ProviderFailure if the provider does not respond
 */
export async function bearerFinder({ config: { auth, ...rights }, db, now }: Pick<Services, 'config' | 'db' | 'now'>): Promise<(token: string) => Promise<Bearer | RejectedToken | undefined>> {
    if (auth.provider === 'local') {
        return async (secret) => {
            const hash = hashSecret(secret);
            const bearer = isSecret(secret) ? await findBearer(db, hash) : undefined;
            return bearer && { scope: bearer.scope, user: userOf(bearer, hash, rights), suspension: bearer.suspension, hash };
        };
    }

    const verify = auth.provider === 'jwt' ? await jwtVerifier(auth, now) : introspector(auth, now);
    return async (token) => {
        const identity = shape.test(token) ? await verify(token) : new RejectedToken('it is malformed');
        if (identity instanceof RejectedToken) {
            return identity;
        }

        const account = await findAccount(db, identity.issuer, identity.subject);
        return account?.deleted ? new RejectedToken('its account was deleted') : {
            scope: identity.scope,
            user: account && { id: account.id, moderator: account.moderator, staff: account.staff, teaches: teaches(account, rights.teachers), publish: account.publish },
            suspension: account?.suspension,
            identity
        };
    };
}
