import { closeManaged, openManaged, releaseAccounts, setManagedPassword } from '../../accounts/users/managed-accounts';
import { joinActiveUser } from '../../accounts/users/fragments';
import type { ManagingClass } from '../../accounts/users/managed-accounts';
import { deleteTokens } from '../../accounts/tokens/queries';
import { deleteContents } from '../../accounts/users/delete-contents';
import { hashPassword, hashing } from '../../api/auth/secrets';
import type { Turn } from '../../api/concurrency/work-queue';
import { usernameKey } from '../../api/representations/username';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, statement } from '../../database/statements/statement';
import { defined } from '../../api/errors/defined';
import { fault, notFound } from '../../api/errors/errors';
import { MAX_PUPILS } from '../../limits';
import { endSharing } from '../bounds';
import type { PictureName } from '../pictures/names';
import { newPictures } from '../pictures/pictures';
import type { NewPictures } from '../pictures/pictures';
import { putPictures } from '../pictures/queries';
import { deletePupil, updatePupil } from './queries';
import { newPassphrase, newUsername, wordsOf } from './words';

/** A pupil to whom an account is given. */
export interface Enrolled {
    name: string;
    passphrase: string;
    hash: string;
    /** to sign in with, if the class lets its pupils */
    drawn: NewPictures | null;
}

/** A new account. */
export interface NewPupil {
    user: { id: string; username: string };
    name: string;
    passphrase: string;
    pictures?: readonly PictureName[];
}

/**
 * Thinks out a pass-phrase for each name. Passwords of others are hashed in between, as one after the other is.
 * @param withPictures whether they get pictures too
 * @param turn of whoever waits for it
 * @throws the reason of the signal, once the caller has left
 */
export async function withPassphrases(
    names: readonly string[], language: string, withPictures: boolean, turn: Turn, signal: AbortSignal
): Promise<Enrolled[]> {
    const words = await wordsOf(language);
    const enrolled: Enrolled[] = [];
    for (const name of names) {
        const passphrase = newPassphrase(words);
        const hash = await hashPassword(passphrase, (work) => hashing.run(work, turn, signal));
        enrolled.push({ name, passphrase, hash, drawn: withPictures ? await newPictures(turn, signal) : null });
    }

    return enrolled;
}

const present = statement({ parameters: ['bigint'], row: { pupils: 'integer' } }, `
    select count(*)::int as pupils from class_people k ${joinActiveUser('k.user_id')} where k.class_id = $1 and k.role = 'pupil'`);

const enter = statement({ parameters: ['bigint', 'bigint[]', 'text[]'] }, `
    insert into class_people (class_id, user_id, role, name) select $1, id, 'pupil', name from unnest($2::bigint[], $3::text[]) as r (id, name)`);

/**
 * Opens an account for each, in a class that is locked.
 * @param isBlocked whether no name may have a word
 * @throws 409 if the class would have more pupils than it may
 */
export async function enrol(
    trx: Database, managing: ManagingClass, enrolled: readonly Enrolled[], isBlocked: (word: string) => boolean
): Promise<NewPupil[]> {
    const { pupils } = await runAlways(trx, present, [managing.classId]);
    if (pupils + enrolled.length > MAX_PUPILS) {
        throw fault('pupil_limit');
    }

    const words = (await wordsOf('en')).filter((word) => !isBlocked(word));
    const made = new Map<number, NewPupil['user']>();
    // A name that is taken, by accident, is drawn again.
    while (made.size < enrolled.length) {
        const left = enrolled.map(({ hash }, n) => ({ n, hash, username: newUsername(words) })).filter(({ n }) => !made.has(n));
        const rows = await openManaged(trx, managing, left.map((one) => ({ ...one, key: usernameKey(one.username) })));
        rows.forEach(({ n, id, username }) => made.set(n, { id, username }));
    }

    const all = enrolled.map(({ name, passphrase, drawn }, n) => ({ user: defined(made.get(n)), name, passphrase, drawn }));
    await run(trx, enter, [managing.classId, all.map(({ user }) => user.id), all.map(({ name }) => name)]);
    await putPictures(trx, managing.classId, all.flatMap(({ user: { id }, drawn }) => (drawn === null ? [] : [{ id, hash: drawn.hash }])));
    return all.map(({ drawn, ...pupil }) => (drawn === null ? pupil : { ...pupil, pictures: drawn.pictures }));
}

/**
 * Gives an account that a class manages another pass-phrase, and ends all of its sign-ins, those to apps too.
 * @throws 403 if the class does not manage the account
 */
export async function changePassphrase(trx: Database, classId: string, userId: string, hash: string): Promise<void> {
    if (!await setManagedPassword(trx, classId, userId, hash)) {
        throw fault('forbidden', 'The class does not manage this account, so only its user can change the password.');
    }

    await deleteTokens(trx, [userId]);
}

/**
 * Removes accounts that a class manages, with all that is theirs, as closing an account does: an operator can restore them until they are purged.
 * @param only the one account; null for all
 * @returns whether there was any
 */
export async function removeAccounts(trx: Database, classId: string, only: string | null): Promise<boolean> {
    const removed = await closeManaged(trx, classId, only);
    await deleteContents(trx, removed);
    return removed.length > 0;
}

/**
 * Takes a pupil out of a class that is locked. An account that the class manages becomes an ordinary one, or is removed; then it comes back into the class if it is restored.
 * @returns their JSON text, as they were
 * @throws 404 if the class has no such pupil, 403 if an account is to be removed that it does not manage
 */
export async function removePupil(trx: Database, classId: string, userId: string, removes: boolean): Promise<string> {
    if (removes) {
        const json = await updatePupil(trx, classId, userId, undefined);
        if (!await removeAccounts(trx, classId, userId)) {
            throw fault('forbidden', 'The class does not manage this account, so only its user can close it.');
        }

        return json;
    }

    const json = await deletePupil(trx, classId, userId);
    if (json === undefined) {
        throw notFound('pupil');
    }

    await releaseAccounts(trx, classId, userId);
    await endSharing(trx, classId);
    return json;
}
