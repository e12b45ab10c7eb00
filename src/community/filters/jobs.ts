import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { pauses } from '../../api/concurrency/yielding';
import { workInSteps } from '../../database/jobs/in-steps';
import { startPolling } from '../../database/jobs/poll';
import { exclusively } from '../../database/jobs/exclusive';
import type { Database } from '../../database/statements/connection';
import { changedTexts, claimWork, lockProgress, findChanged, findOlder, findToCheck, noteChecked, releaseWork, renewWork } from './queries';
import type { Claimed } from './queries';
import type { BlockedWords } from './words';

/*
 * Looks for blocked words in the projects that others can see. Writers neither wait for it nor know of it: one instance at a time looks in
 * the history what has changed, and reads only elements that are new or were changed since it looked.
 */

/** Milliseconds between two checks whether something has changed. */
const EVERY = 1000;

/** The parts of a check. */
interface Checking {
    db: Knex;
    words: BlockedWords;
    /** holds a project until a moderator has looked, in a transaction; false if others cannot see it (any more). Moderation does it. */
    holdForLook: (trx: Database, id: string, reason: string) => Promise<boolean>;
}

/** Words that are named to an author, at most. */
const MAX_NAMED = 10;

const reasonOf = (words: readonly string[]): string => `It has words that are blocked here: ${words.slice(0, MAX_NAMED).join(', ')}. A moderator looks at it.`;

/** The strings of a JSON text that are files or references to them. What only begins like one is a text that people read. */
const files = /"(?:asset:[\da-f]{64}|data:[\w/.+;=-]*;base64,[\w+/=]*)"/gi;

/** The text in a JSON text, with names of fields and what is between them, without files. */
const textIn = (json: string): string => json.replace(files, '""').replace(/\\(?:u([\da-f]{4})|([bfnrt])|(.))/gi, (_all, code: string | undefined, blank: string | undefined, other: string | undefined) => (
    code === undefined ? blank === undefined ? String(other) : ' ' : String.fromCharCode(Number.parseInt(code, 16))));

/** Looks at a project, and holds it if it has blocked words that no moderator has seen in it. @returns whether it was held */
async function checkProject({ db, words, holdForLook }: Checking, id: string): Promise<boolean> {
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

async function* checkAll(checking: Checking, { from, filled }: Claimed, signal: AbortSignal): AsyncGenerator<Step> {
    const { db, words } = checking;
    for (let ids = await findChanged(db, from, words.version); ids.length > 0 && !signal.aborted; ids = await findChanged(db, from, words.version)) {
        for (const id of ids) {
            yield { isHeld: await checkProject(checking, id), filled };
        }
    }

    let last = filled;
    for (let ids = await findOlder(db, last, words.version); ids.length > 0 && !signal.aborted; ids = await findOlder(db, last, words.version)) {
        for (const id of ids) {
            last = id;
            yield { isHeld: await checkProject(checking, id), filled: last };
        }
    }
}

/**
 * Looks at the projects that are due, unless another instance does.
 * @param signal ends it between two projects
 * @returns how many were held
 */
export async function checkProjects(checking: Checking, signal: AbortSignal): Promise<number> {
    const { db, words } = checking;
    let held = 0;
    await workInSteps<Claimed, Step>({
        claim: () => claimWork(db, words.version),
        steps: (claimed) => checkAll(checking, claimed, signal),
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
export const keepChecking = (checking: Checking, logger: Pick<Logger, 'warn'>, every = EVERY): (() => Promise<void>) => {
    const failure = 'projects could not be looked at for blocked words, and are tried again';
    return startPolling((signal) => checkProjects(checking, signal), { every, logger, failure }).end;
};
