import { forbidden, notFound } from '../../api/errors/errors';
import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';
import { holdUser } from '../../rules/hold-user';
import { noteKept } from '../moderation/decisions';
import { suspend } from '../moderation/suspensions';
import type { Rule } from '../report-reasons';
import { holdComment, keepComment, lockComment, removeComment } from './comments';
import { opensComment } from './fragments';
import type { CommentDecision, ReasonedDecision, UserDecision } from './input';
import { closeThingReports, lockThingReports, showThingReports } from './queue';

const open = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, opensComment('$1', '$2'));

/** The reasons that a moderator sends. */
interface Sent {
    note: string;
    rule?: Rule;
}

const ofOneself = (): Error => forbidden('This is about you. Another moderator has to decide.');

/** The act that follows from a decision about a comment. */
const acts = { kept: keepComment, held: holdComment, removed: removeComment } as const;

/**
 * Decides about a comment that is reported, or held. Needs a transaction. The caller stays a moderator.
 * @returns the JSON text of its reports @throws 404 if there is nothing to decide, 403 if it is the moderator's own
 */
export async function decideComment(
    trx: Database, place: { projectId: string; id: string }, moderatorId: string, state: CommentDecision, { note, rule }: Sent
): Promise<string> {
    const comment = await lockComment(trx, place.projectId, place.id);
    const thing = { ...place, type: 'comment' } as const;
    const reports = await lockThingReports(trx, thing);
    if (!reports?.isOpen && !comment.isHeld) {
        throw notFound('open report of this comment');
    }

    if (comment.authorId === moderatorId) {
        throw ofOneself();
    }

    if (reports === undefined) {
        await run(trx, open, [place.projectId, place.id]);
    }

    const json = await showThingReports(trx, thing, state);
    await acts[state](trx, comment, { moderatorId, rule: rule ?? reports?.rule ?? 'other', reason: note, reportedAt: reports?.at ?? null });
    await closeThingReports(trx, thing, state, moderatorId);
    return json;
}

/** Suspends a person who was reported. @throws 403 if they are a moderator */
async function suspendReported(
    trx: Database, userId: string, { reason, ...why }: ReasonedDecision, until: string | undefined
): Promise<void> {
    if (await suspend(trx, { userId, facts: 'report', ...why }, reason, until) === 'moderator') {
        throw forbidden('A moderator cannot be suspended. Ask an operator to take the permission away first.');
    }
}

/**
 * Decides about a person who is reported. Needs a transaction. The caller stays a moderator.
 * @returns the JSON text of the reports @throws 404 if there is nothing to decide, 403 if it is the moderator, or another one is to be
 * suspended
 */
export async function decideUser(
    trx: Database, id: string, moderatorId: string, state: UserDecision, { note, rule, until }: Sent & { until?: string }
): Promise<string> {
    if (!await holdUser(trx, id)) {
        throw notFound('user');
    }

    const thing = { projectId: '0', type: 'user', id } as const;
    const reports = await lockThingReports(trx, thing);
    if (!reports?.isOpen) {
        throw notFound('open report of this user');
    }

    if (id === moderatorId) {
        throw ofOneself();
    }

    const json = await showThingReports(trx, thing, state);
    if (state === 'suspended') {
        await suspendReported(trx, id, { moderatorId, rule: rule ?? reports.rule, reason: note, reportedAt: reports.at }, until);
    }
    else {
        await noteKept(trx, { type: 'user', id, projectId: null, ownerId: id }, { moderatorId, reason: note, reportedAt: reports.at });
    }

    await closeThingReports(trx, thing, state, moderatorId);
    return json;
}
