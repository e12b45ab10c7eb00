import type { Request } from '@hapi/hapi';

import { forbidden } from '../errors/errors';
import { currentUser } from '../http/caller';
import type { CurrentUser } from '../http/caller';
import { preconditionOf } from '../http/entity-tags';
import type { Precondition } from '../http/entity-tags';

/** What somebody does with a project, or with what is in it. Reading it is for everybody, reading its history is not. */
export type Act = 'create' | 'update' | 'remove' | 'feature' | 'history';

/** Who may do what: the owner of the project, and moderators. */
const rules: Readonly<Record<Act, { owner: boolean; moderator: boolean }>> = {
    create: { owner: true, moderator: false },
    update: { owner: true, moderator: false },
    remove: { owner: true, moderator: true },
    feature: { owner: false, moderator: true },
    history: { owner: true, moderator: true }
};

/** Whether a user may do this with what is in a project of that owner. `allowed` decides the same in a statement. */
export function may(user: CurrentUser, act: Act, ownerId: string): boolean {
    const { owner, moderator } = rules[act];
    return (owner && user.id === ownerId) || (moderator && user.moderator);
}

/** Who writes, and against which state. */
export interface Writer extends Precondition {
    id: string;
    /** the caller, who may do this as an owner; null if owners may not */
    ownerId: string | null;
    /** whether the caller may do this, being a moderator, with what is anybody's */
    moderating: boolean;
}

/** The caller as the writer of an act. `revision` is that of the request's body. */
export function writerOf(request: Pick<Request, 'auth' | 'headers'>, act: Act, revision?: number): Writer {
    const { id, moderator } = currentUser(request);
    return { id, ownerId: rules[act].owner ? id : null, moderating: rules[act].moderator && moderator, ...preconditionOf(request, revision) };
}

/** SQL for a writer's right: expressions of `ownerId` and `moderating`. */
export interface Right {
    owner: string;
    moderating: string;
}

/** SQL for a writer and their right. */
interface WriterParameters extends Right {
    id: string;
}

/** The parameters that `rightValues` fills, after so many others. */
export const rightParameters = (after: number): WriterParameters => ({ owner: `$${after + 1}`, moderating: `$${after + 2}`, id: `$${after + 3}` });

export const rightValues = ({ ownerId, moderating, id }: Writer): unknown[] => [ownerId, moderating, id];

/** The parameters that `writerValues` fills, after so many others. */
export const writerParameters = (after: number): WriterParameters & { revision: string; tags: string } => {
    return { ...rightParameters(after), revision: `$${after + 4}`, tags: `$${after + 5}` };
};

export const writerValues = (writer: Writer): unknown[] => [...rightValues(writer), writer.revision, writer.tags];

/** SQL for whether the writer may write to what belongs to the user in the column `userId`. */
export const allowed = (userId: string, { owner, moderating }: Right): string => `(coalesce(${userId} = ${owner}, false) or ${moderating})`;

/** The error for a caller who may not do this. `what` is the thing in words. */
export const someoneElses = (what: string): Error => forbidden(`This ${what} is someone else's.`);
