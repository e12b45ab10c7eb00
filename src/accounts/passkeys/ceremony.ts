import type { AuthenticationResponseJSON, PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

import type { Database } from '../../database/statements/connection';
import { CHALLENGE_LIFE } from '../../limits';
import { findPasskey, takeChallenge, usePasskey } from './queries';

/** Where a passkey is used: an origin, as browsers name it, and what it is called. */
export interface Site {
    origin: string;
    name: string;
}

/** A passkey belongs to the host of its site (Web Authentication, section 5.1.2). */
const hostOf = ({ origin }: Site): string => new URL(origin).hostname;

/** Whoever holds the device shows that it is theirs, by a finger, a face or a number: a passkey stands for a name and a password. */
const userVerification = 'required';

interface Owner {
    id: string;
    username: string;
    credentials: { id: string }[];
}

// Loading its 270 modules is a tenth of a start.
const library = (): Promise<typeof import('@simplewebauthn/server', { with: { 'resolution-mode': 'import' } })> => import('@simplewebauthn/server');

/** Options to add a passkey to an account. */
export const optionsToAdd = async (site: Site, { id, username, credentials }: Owner): Promise<PublicKeyCredentialCreationOptionsJSON> => (await library()).generateRegistrationOptions({
    rpName: site.name, rpID: hostOf(site), userName: username, userID: new Uint8Array(Buffer.from(id)), excludeCredentials: credentials,
    timeout: CHALLENGE_LIFE * 1000,
    attestationType: 'none', authenticatorSelection: { residentKey: 'required', userVerification }
});

/** Options to sign in, without a name: the device offers the passkeys that it has for this site. */
export const optionsToSignIn = async (site: Site): Promise<PublicKeyCredentialRequestOptionsJSON> => (await library()).generateAuthenticationOptions({
    rpID: hostOf(site), userVerification, timeout: CHALLENGE_LIFE * 1000
});

/**
 * Checks an answer: a challenge of ours that was not answered yet, signed for this site, by somebody who was verified.
 * @returns undefined if it is not valid: the library throws an error for each thing that can be wrong
 * @throws the error of the database
 */
async function verified<Result>(db: Database, site: Site, userId: string | null, verify: (expected: Expected) => Promise<Result>): Promise<Result | undefined> {
    const failures: unknown[] = [];
    const expectedChallenge = (challenge: string): Promise<boolean> => takeChallenge(db, challenge, userId).catch((error: unknown) => {
        failures.push(error);
        return false;
    });
    const result = await verify({ expectedChallenge, expectedOrigin: site.origin, expectedRPID: hostOf(site), requireUserVerification: true }).catch(() => undefined);
    if (failures.length > 0) {
        throw failures[0];
    }

    return result;
}

interface Expected {
    expectedChallenge(challenge: string): Promise<boolean>;
    expectedOrigin: string;
    expectedRPID: string;
    requireUserVerification: true;
}

/**
 * Checks the answer of an authenticator to `optionsToAdd`.
 * @returns the passkey that it made; undefined if the answer is not valid
 */
export async function checkAdded(db: Database, site: Site, userId: string, response: RegistrationResponseJSON): Promise<{ credential: string; publicKey: Buffer; counter: number } | undefined> {
    const { verifyRegistrationResponse } = await library();
    const credential = (await verified(db, site, userId, (expected) => verifyRegistrationResponse({ response, ...expected })))?.registrationInfo?.credential;
    return credential && { credential: credential.id, publicKey: Buffer.from(credential.publicKey), counter: credential.counter };
}

/**
 * Checks the answer of an authenticator to `optionsToSignIn`, and notes that the passkey was used. Needs a transaction.
 * @returns the passkey, and whose it is; undefined if the answer is not valid
 */
export async function checkSignIn(trx: Database, site: Site, response: AuthenticationResponseJSON): Promise<{ userId: string; passkeyId: string } | undefined> {
    const found = await findPasskey(trx, response.id);
    if (found === undefined) {
        return undefined;
    }

    const credential = { id: response.id, publicKey: new Uint8Array(found.public_key), counter: Number(found.counter) };
    const { verifyAuthenticationResponse } = await library();
    const answer = await verified(trx, site, null, (expected) => verifyAuthenticationResponse({ response, credential, ...expected }));
    if (answer?.verified !== true) {
        return undefined;
    }

    await usePasskey(trx, found.id, answer.authenticationInfo.newCounter);
    return { userId: found.user_id, passkeyId: found.id };
}
