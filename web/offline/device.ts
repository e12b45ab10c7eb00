import { countWaiting, indexedDbQueue } from '../../client/src/index.js';
import { isObject } from '../../src/api/json/is-object';
import { ALL, FILES } from './kept.js';
import { countFiles, isUploads } from './uploads.js';

/** Somebody whose things are on this device. */
export interface Person {
    id: string;
    username: string;
}

/** Says whose things are on this device. It is removed last, so that what was interrupted is finished by the next page. */
export const MARK = 'pagewright device';

const QUEUES = 'pagewright-editor ';

/** The name under which edits of a project wait. Each user and each project has its own, so that a question about one holds up no other. */
export const queueName = (user: string | undefined, project: string): string => `${QUEUES}${user} ${project}`;

/** A key of the browser, not of a person. */
const session = `pagewright ${location.origin}`;
const isOfPerson = (key: string): boolean => key.startsWith(ALL) && key !== 'pagewright language' && key !== session && key !== MARK;

/** Versions that were given up are nowhere else. */
const isGivenUp = (key: string): boolean => key.startsWith('pagewright kept ');

/** The person whose things are on this device; null if nobody's are. */
export function personHere(): Person | null {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(MARK) ?? 'null');
        return isObject(kept) && typeof kept.id === 'string' && typeof kept.username === 'string' ? { id: kept.id, username: kept.username } : null;
    }
    catch {
        return null;
    }
}

/** The databases with edits and files that wait. */
async function queues(): Promise<string[]> {
    const all = await indexedDB.databases();
    return all.flatMap(({ name }) => (name?.startsWith(QUEUES) === true || isUploads(name) ? [name] : []));
}

/** How many saves or files wait in a database. */
const countIn = (name: string): Promise<number> => (isUploads(name) ? countFiles(name) : countWaiting(indexedDbQueue(name)));

/** How many saves and files wait on this device. */
export async function unsentHere(): Promise<number> {
    const counts = await Promise.all((await queues()).map(countIn));
    return counts.reduce((sum, count) => sum + count, 0);
}

const deleteDatabase = (name: string): Promise<void> => new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => resolve();
});

function clear(storage: Storage): void {
    Object.keys(storage).filter(isOfPerson).forEach((key) => storage.removeItem(key));
}

/** Removes the copies of what the service has too. */
async function removeCopies(): Promise<void> {
    const names = 'caches' in globalThis ? await caches.keys() : [];
    await Promise.all(names.filter((name) => name.startsWith(ALL) && !name.startsWith(FILES)).map((name) => caches.delete(name)));
}

/** Removes all that a person has left on this device, also edits that were not sent. */
export async function removeAll(): Promise<void> {
    clear(localStorage);
    clear(sessionStorage);
    await Promise.all([removeCopies(), queues().then((names) => Promise.all(names.map(deleteDatabase)))]);
    localStorage.removeItem(MARK);
}

/** Removes what is not needed if the same person comes back: all but edits that were not sent, and versions that were given up. */
async function removeMost(): Promise<void> {
    await removeCopies();
    const open = new Set((await navigator.locks?.query())?.held?.map(({ name }) => name));
    let isLeft = Object.keys(localStorage).some(isGivenUp);
    for (const name of await queues()) {
        if (open.has(name) || await countIn(name) > 0) {
            isLeft = true;
        }
        else {
            await deleteDatabase(name);
        }
    }

    if (!isLeft) {
        await removeAll();
    }
}

/** Removes what somebody else has left on this device, or what stays after a session has ended. @param person who is signed in */
export async function settle(person: Person | null): Promise<void> {
    const before = personHere();
    if (person === null) {
        await (before !== null && removeMost());
        return;
    }

    await (before !== null && before.id !== person.id && removeAll());
    localStorage.setItem(MARK, JSON.stringify({ id: person.id, username: person.username }));
}
