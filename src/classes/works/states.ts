import type { Request } from '@hapi/hapi';

import type { WorkState } from '../assignments/json';
import { fault, forbidden, notFound } from '../../api/errors/errors';
import { inProject } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import { MAX_HAND_INS } from '../../limits';
import { findPoint, keepPoint } from '../../projects/history/queries';
import { writerOf } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { lockProject } from '../../rules/lock-project';
import { handedInLabel } from './hand-in-label';
import { enqueueHandInEvent } from './events';
import type { HeldWork } from './queries';

/*
 * How a work is handed in, taken back, returned and accepted. It is locked.
 */

/** A pupil's or teacher's change. */
export interface WorkChange {
    state: WorkState;
    /** the point to hand in; the present one if left out */
    point?: number;
    note?: string;
}

const present = statement({ parameters: ['bigint'], row: { id: 'bigint', revision: 'integer' }, place: inProject(1) }, `select p.id, p.revision from projects p where p.id = $1 and ${live('p')}`);

// The time is that at which nobody can change the point any more: what was written before it is in it, what is written after it is not.
const handIn = statement({ parameters: ['bigint', 'integer'] }, `
    update works set state = 'handed_in', points = array_append(array_remove(points, $2), $2), handed_in_at = clock_timestamp(), taken_back_at = null, revision = revision + 1, updated_at = now() where id = $1`);

// The points stay: migration 0055 has the rule.
const takeBack = statement({ parameters: ['bigint'] }, `
    update works set state = 'started', handed_in_at = null, taken_back_at = clock_timestamp(), revision = revision + 1, updated_at = now() where id = $1`);

const review = statement({ parameters: ['bigint', 'text', 'text'] }, 'update works set state = $2, note = coalesce($3, note), revision = revision + 1, updated_at = now() where id = $1');

/** Locks the project of a work. @returns undefined if it was deleted */
async function lockAndLook(trx: Database, project: string, writer: Writer): Promise<{ id: string; revision: number } | undefined> {
    await lockProject(trx, project, writer);
    return runOne(trx, present, [project]);
}

/**
 * Hands in a point, which gets a name, and so is kept.
 * @throws 404 if the project was deleted or the point is none, 409 if another point is handed in already or the work was accepted
 */
async function handInPoint(trx: Database, request: Pick<Request, 'auth' | 'headers'>, id: string, { project_id: project, state, points, language }: HeldWork, wanted: number | undefined): Promise<void> {
    const writer = writerOf(request, 'update');
    const now = project === null ? undefined : await lockAndLook(trx, project, writer);
    if (now === undefined) {
        throw notFound('project');
    }

    const { revision } = await findPoint(trx, [writer.id, now.id], writer, String(wanted ?? now.revision), true, 'point');
    if (state === 'accepted') {
        throw fault('handed_in', 'A teacher has accepted this work, so it cannot be handed in again.');
    }

    if (state === 'handed_in') {
        if (points.at(-1) !== revision) {
            throw fault('handed_in', 'This work was handed in already, as it was at another point. Take it back first, then hand it in again.');
        }

        return;
    }

    if (points.length >= MAX_HAND_INS && !points.includes(revision)) {
        throw fault('handed_in', `This work was handed in ${MAX_HAND_INS} times, so it cannot be handed in once more. Ask your teacher to accept it.`);
    }

    await keepPoint(trx, now.id, revision, handedInLabel(language));
    await run(trx, handIn, [id, revision]);
    await enqueueHandInEvent(trx, id, now.id, revision);
}

/** Changes a work as its pupil. @throws 403 if only teachers do this, 409 if the state of the work does not allow it, and as `handInPoint` does */
export async function changeOwnWork(trx: Database, request: Pick<Request, 'auth' | 'headers'>, id: string, held: HeldWork, { state, point, note }: WorkChange): Promise<void> {
    if (state === 'returned' || state === 'accepted' || note !== undefined) {
        throw forbidden('Only the teachers of this class can return or accept a work, and write a note.');
    }

    if (state === 'handed_in') {
        await handInPoint(trx, request, id, held, point);
    }
    else if (held.state === 'handed_in') {
        await run(trx, takeBack, [id]);
    }
    else if (held.state !== 'started') {
        throw fault('handed_in', 'A teacher has returned or accepted this work, so it cannot be taken back.');
    }
}

/** Changes a work as a teacher. @throws 403 if only its pupil does this, 409 if it is not handed in */
export async function reviewWork(trx: Database, id: string, held: HeldWork, { state, note }: WorkChange): Promise<void> {
    if (state === 'started' || state === 'handed_in') {
        throw forbidden('Only the pupil can hand in a work, or take it back.');
    }

    if (held.state === 'started' || held.project_id === null) {
        throw fault('not_handed_in');
    }

    await run(trx, review, [id, state, note ?? null]);
}
