import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { pauses } from '../../api/concurrency/yielding';
import { workInSteps } from '../../database/jobs/in-steps';
import { startPolling } from '../../database/jobs/poll';
import { exclusively } from '../../database/jobs/exclusive';
import { holdForLook } from '../moderation/automatic';
import { changedTexts, claimWork, lockProgress, findChanged, findOlder, findToCheck, noteChecked, releaseWork, renewWork } from './queries';
import type { Claimed } from './queries';
import type { BlockedWords } from './words';

/*
 * Looks for blocked words in the projects that others can see. Writers neither wait for it nor know of it: one instance at a time looks in
 * the history what has changed, and reads only elements that are new or were changed since it looked.
 */

/** Milliseconds between two checks whether something has changed. */
const EVERY = 1000;

/** Words that are named to an author, at most. */
const MAX_NAMED = 10;

const reasonOf = (words: readonly string[]): string => `It has words that are blocked here: ${words.slice(0, MAX_NAMED).join(', ')}. A moderator looks at it.`;

/** The text in a JSON text, with names of fields and what is between them. Files and references to them are left out. */
const textIn = (json: string): string => json.replace(/"(?:asset|data):[^"]*"/g, '""').replace(/\\(?:u([\da-f]{4})|([bfnrt])|(.))/gi, (_all, code: string | undefined, blank: string | undefined, other: string | undefined) => (
    code === undefined ? blank === undefined ? String(other) : ' ' : String.fromCharCode(Number.parseInt(code, 16))));

/** Looks at a project, and holds it if it has blocked words that no moderator has seen in it. @returns whether it was held */
async function checkProject(db: Knex, words: BlockedWords, id: string): Promise<boolean> {
    const project = await findToCheck(db, id, words.version);
    if (project === undefined) {
        return false;
    }

    const found = new Set<string>();
    const known = new Set(project.found);
    const pause = pauses();
    const look = async (text: string): Promise<void> => {
        for (const word of words.findAll(text, known)) {
            if (word !== undefined) {
                found.add(word);
                known.add(word);
            }

            await pause();
        }
    };

    await look(project.title);
    await look(project.description);
    for await (const attributes of changedTexts(db, id, project.checked)) {
        await look(textIn(attributes));
    }

    return await exclusively(db, lockProgress, async (trx) => {
        const isHeld = found.size > 0 && await holdForLook(trx, id, reasonOf([...found]));
        await noteChecked(trx, id, project.revision, words.version, isHeld ? [...found] : []);
        return isHeld;
    }) ?? false;
}

/** A project that was looked at, and up to which id older ones were. */
interface Step {
    isHeld: boolean;
    filled: string;
}

async function* checkAll(db: Knex, words: BlockedWords, { from, filled }: Claimed, signal: AbortSignal): AsyncGenerator<Step> {
    for (let ids = await findChanged(db, from, words.version); ids.length > 0 && !signal.aborted; ids = await findChanged(db, from, words.version)) {
        for (const id of ids) {
            yield { isHeld: await checkProject(db, words, id), filled };
        }
    }

    let last = filled;
    for (let ids = await findOlder(db, last, words.version); ids.length > 0 && !signal.aborted; ids = await findOlder(db, last, words.version)) {
        for (const id of ids) {
            last = id;
            yield { isHeld: await checkProject(db, words, id), filled: last };
        }
    }
}

/**
 * Looks at the projects that are due, unless another instance does.
 * @param signal ends it between two projects
 * @returns how many were held
 */
export async function checkProjects(db: Knex, words: BlockedWords, signal: AbortSignal): Promise<number> {
    let held = 0;
    await workInSteps<Claimed, Step>({
        claim: () => claimWork(db, words.version),
        steps: (claimed) => checkAll(db, words, claimed, signal),
        renew: (token, { isHeld, filled }) => {
            held += isHeld ? 1 : 0;
            return renewWork(db, token, filled);
        },
        release: (token, outcome, claimed) => releaseWork(db, token, outcome, claimed)
    }, signal);
    return held;
}

/**
 * Keeps looking at projects.
 * @returns a function that ends it
 */
export const keepChecking = (db: Knex, words: BlockedWords, logger: Pick<Logger, 'warn'>, every = EVERY): (() => Promise<void>) => {
    const failure = 'projects could not be looked at for blocked words, and are tried again';
    return startPolling((signal) => checkProjects(db, words, signal), { every, logger, failure }).end;
};
