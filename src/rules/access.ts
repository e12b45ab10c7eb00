import type { Request } from '@hapi/hapi';

import { forbidden } from '../api/errors/errors';
import type { MemberRole } from '../api/representations/roles';
import { currentUser } from '../api/request/caller';
import type { CurrentUser } from '../api/request/caller';
import { preconditionOf } from '../api/request/entity-tags';
import type { Precondition } from '../api/request/entity-tags';
import { isMember } from './visibility';

/** The roles that somebody can have in a project. */
type Role = 'owner' | MemberRole | 'moderator';

/** Who may do what with a project, or with what is in it. Reading it: visibility.ts. Whether it is made public, and by whom it is read, is `manage`. */
const rules = {
    create: ['owner', 'editor'],
    update: ['owner', 'editor'],
    removeInside: ['owner', 'editor', 'moderator'],
    remove: ['owner', 'moderator'],
    feature: ['moderator'],
    history: ['owner', 'editor', 'viewer', 'moderator'],
    manage: ['owner'],
    leave: ['owner', 'editor', 'viewer']
} as const satisfies Record<string, readonly Role[]>;

/** The actions on a project, or on what is in it. */
export type ProjectAct = keyof typeof rules;

/** The facts that decide a user's rights in a project. */
export interface Owned {
    ownerId: string;
    /** of the user, who is a member; null for others, and in a project that is held */
    role: MemberRole | null;
}

/** Whether a user's token is for this project too. */
export const isForProject = ({ projects = null }: CurrentUser, id: string): boolean => projects === null || projects.includes(id);

/** Whether a user may do this with a project. `allowed` decides the same in a statement. */
export function may(user: CurrentUser, act: ProjectAct, { ownerId, role }: Owned): boolean {
    const has: Readonly<Record<Role, boolean>> = { owner: user.id === ownerId, editor: role === 'editor', viewer: role === 'viewer', moderator: user.moderator };
    return rules[act].some((one) => has[one]);
}

/** Who writes, and against which state. */
export interface Writer extends Precondition {
    id: string;
    moderator: boolean;
    /** of a token that is for some projects alone */
    projects?: readonly string[] | null;
    /** id of the app whose token they have */
    app?: string | null;
    /** the hash of their token, if it is one of ours */
    tokenHash?: Buffer | null;
    /** who may do this */
    roles: readonly string[];
}

/** Whom the history names. */
export type ChangeAuthor = Pick<Writer, 'id' | 'app'>;

/** A user as the writer of an act, against any state. */
export const writerFor = ({ id, moderator, projects = null, app = null, tokenHash = null }: CurrentUser, act: ProjectAct): Writer => ({ id, moderator, projects, app, tokenHash, roles: rules[act], revision: null, tags: null });

/** The caller as the writer of an act. `revision` is that of the request's body. */
export const writerOf = (request: Pick<Request, 'auth' | 'headers'>, act: ProjectAct, revision?: number): Writer => ({ ...writerFor(currentUser(request), act), ...preconditionOf(request, revision) });

/** SQL for a writer and their right: expressions of the fields. */
export interface WriterExpressions {
    id: string;
    moderator: string;
    roles: string;
}

/** SQL for who may do this. */
export const rolesOf = (act: ProjectAct): string => `array['${rules[act].join('\', \'')}']`;

/** The parameters that `rightValues` fills, after so many others. */
export const rightParameters = (after: number): WriterExpressions => ({ id: `$${after + 1}::bigint`, moderator: `$${after + 2}::boolean`, roles: `$${after + 3}::text[]` });

/** The types of the parameters that `rightValues` fills. */
export const rightTypes = ['bigint', 'boolean', 'text[]'] as const;

export const rightValues = ({ id, moderator, roles }: Writer): unknown[] => [id, moderator, roles];

/** SQL for a writer who makes something: their right, the app whose token they have, and the hash of that token. */
export type MakerExpressions = WriterExpressions & { app: string; tokenHash: string };

/** SQL for a writer who may have lost what they had when their request came. */
export type PresentExpressions = Pick<MakerExpressions, 'id' | 'moderator' | 'tokenHash'>;

/** The parameters that `makerValues` fills, after so many others. */
export const makerParameters = (after: number): MakerExpressions => ({ ...rightParameters(after), app: `$${after + 4}::bigint`, tokenHash: `$${after + 5}::bytea` });

/** The types of the parameters that `makerValues` fills. */
export const makerTypes = [...rightTypes, 'bigint', 'bytea'] as const;

export const makerValues = (writer: Writer): unknown[] => [...rightValues(writer), writer.app, writer.tokenHash];

/** The parameters that `writerValues` fills, after so many others. */
export const writerParameters = (after: number): MakerExpressions & { revision: string; tags: string } => {
    return { ...makerParameters(after), revision: `$${after + 6}`, tags: `$${after + 7}` };
};

/** The types of the parameters that `writerValues` fills. */
export const writerTypes = [...makerTypes, 'integer', 'text[]'] as const;

export const writerValues = (writer: Writer): unknown[] => [...makerValues(writer), writer.revision, writer.tags];

/** SQL for whether the writer may do this with the project in a row, if they may see it. */
export const allowed = (row: string, { id, moderator, roles }: WriterExpressions): string => `(
    (${row}.user_id = ${id} and 'owner' = any(${roles})) or (${moderator} and 'moderator' = any(${roles})) or ${isMember(row, id, roles)})`;

/**
 * SQL for the row of `locked`, and whether its writer may do this: `allowed`, which was found out before the wait for the lock, and once more what can have ended meanwhile. Who is an editor no
 * more: projects/members/schema.sql.
 */
export const stillAllowed = (by: PresentExpressions | undefined): string => `
    select l.*, l.allowed${by === undefined ? '' : ` and writer_present(${by.tokenHash}, ${by.id}, ${by.moderator} and l.user_id <> ${by.id})`} as may from locked l`;

/** The error for a caller who may not do this. `what` is the thing in words. */
export const someoneElses = (what: string): Error => forbidden(`This ${what} is someone else's.`);
