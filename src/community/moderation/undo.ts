import { fromProject } from '../../projects/fragments';
import { restoreRemoved } from '../../projects/trash/restore-removed';
import { restoresComment } from '../comments/fragments';
import { keepsThingReports } from '../reports/fragments';
import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import type { CurrentUser } from '../../api/request/caller';
import { endStatements } from '../statements/index';
import type { StatedThing } from '../statements/queries';
import { logAct } from './acts';
import { keepsReports } from './fragments';
import { judgedColumns, release } from './holds';
import type { ModeratedProject } from './holds';
import { lockSuspended, unsuspend } from './suspensions';

// Also one that is removed.
const lock = statement({ parameters: ['bigint'], row: judgedColumns, place: writing(inProject(1)) }, `
    select p.id, p.user_id as "ownerId", p.revision, p.held_at is not null as "isHeld" ${fromProject('$1')} for no key update`);

/** The decisions about pictures, which are files of another subject. */
export interface StatedPictures {
    /** locks a picture, as whoever decides about it does */
    lock(trx: Database, hash: string): Promise<void>;
    /**
     * Has others see a picture that a scanner has refused, or send one that a moderator has blocked, and states and logs it.
     * @param why for the log
     * @returns why it was kept from them; undefined if it was not
     * @throws 403 `own_decision` to whoever has sent it
     */
    lift(trx: Database, decision: 'hold' | 'remove', hash: string, moderatorId: string, why?: string): Promise<string | undefined>;
}

/** Locks what a statement is about, before the statement itself, as those do that decide anew. @returns the project that it is, or is in; undefined for a user or a picture, or if it is gone for good */
export async function lockStated(
    trx: Database, { type, projectId, userId, picture }: StatedThing, pictures: StatedPictures
): Promise<ModeratedProject | undefined> {
    if (picture !== null) {
        await pictures.lock(trx, picture);
        return undefined;
    }

    if (type === 'user') {
        await lockSuspended(trx, userId);
        return undefined;
    }

    return runOne(trx, lock, [projectId]);
}

const commentBack = statement({ parameters: ['bigint', 'bigint', 'text'], row: { id: 'text' }, place: writing(inProject(1)) }, `
    ${restoresComment('$1', '$2', '$3')} returning k.id::text as id`);

const outcomes = { hold: 'held', remove: 'removed', suspend: 'suspended' } as const;
const reportsKept = statement({ parameters: ['bigint', 'text'], place: writing(inProject(1)) }, keepsReports('$1', '$2'));
const thingTypes = ['bigint', 'text', 'bigint', 'text'] as const;
const thingReportsKept = statement({ parameters: thingTypes, place: writing(inProject(1)) }, keepsThingReports('$1', '$2', '$3', '$4'));

/** Undoes what was decided, as far as it is still in effect and what it is about is not gone for good; reports that led to it count as not followed. @param days that entries of the trash are kept */
export async function undo(
    trx: Database, stated: StatedThing, project: ModeratedProject | undefined, caller: CurrentUser,
    { pictures, days }: { pictures: StatedPictures; days: number }
): Promise<void> {
    const { decision, type, thingId, userId, projectId, picture } = stated;
    const moderatorId = caller.id;
    const outcome = outcomes[decision];
    await (type === 'project' ? run(trx, reportsKept, [projectId, outcome]) : run(trx, thingReportsKept, [projectId, type, thingId, outcome]));
    if (type === 'picture') {
        await (picture !== null && decision !== 'suspend' && pictures.lift(trx, decision, picture, moderatorId));
    }
    else if (type === 'user') {
        await unsuspend(trx, { userId, moderatorId });
    }
    else if (type === 'comment') {
        if (await runOne(trx, commentBack, [projectId, thingId, decision]) !== undefined) {
            await logAct(trx, { moderatorId, act: decision === 'hold' ? 'release' : 'restore', type, id: thingId, projectId, ownerId: userId, reason: null });
        }
    }
    else if (decision === 'remove') {
        await restoreRemoved(trx, { userId: project?.ownerId ?? userId, projectId, type, thingId, days }, caller);
    }
    else if (project?.isHeld) {
        await release(trx, project, moderatorId);
    }

    await endStatements(trx, { decision, type, thingId, projectId, picture, moderatorId });
}
