import type { Request } from '@hapi/hapi';

import { notFound } from '../api/errors/errors';
import { currentUser } from '../api/request/caller';
import { preconditionHolds, preconditionOf } from '../api/request/entity-tags';
import type { Precondition } from '../api/request/entity-tags';
import type { RowOf } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { live } from '../database/statements/deletion';
import { guardedWrite, outcomeColumns, presentAlone, resultOrError } from '../rules/conditional-write';
import type { Locked } from '../rules/locked';
import type { Sender } from '../rules/write';
import { joinCaller, teachersOnly } from './access';
import type { ClassCaller } from './access';
import type { ClassRole } from './json';

/*
 * A write in a class, in two statements: one locks the class (access.ts), and the next looks at the caller's rights as they are then and at
 * the state that they have seen, and writes.
 */

/** Who writes in a class, and against which state. */
export interface ClassWriter extends ClassCaller, Precondition {
    /** who may do this */
    role: ClassRole;
    /** the hash of their token, if it is one of ours */
    tokenHash: Buffer | null;
}

/** The caller as the writer of what those with a role may do. `revision` is that of the request's body. */
export const classWriterOf = (request: Pick<Request, 'auth' | 'headers'>, role: ClassRole, caller: ClassCaller, revision: number | undefined): ClassWriter => ({ ...caller, role, ...preconditionOf(request, revision), tokenHash: currentUser(request).tokenHash ?? null });

/** The types of the parameters that `classWriteValues` fills: $1 to $7. */
export const classWriteTypes = ['bigint', 'bigint', 'boolean', 'bytea', 'integer', 'text[]', 'text'] as const;

export const classWriteValues = ({ id: classId }: Locked<'class'>, { id, everybody, tokenHash, revision, tags, role }: ClassWriter): unknown[] => [classId, id, everybody, tokenHash, revision, tags, role];

/** An UPDATE of one thing of a class. */
interface ClassWrite {
    update: 'update assignments a' | 'update classes c' | 'update works w';
    /** its row */
    row: 'a' | 'c' | 'w';
    /** joins it to the class in the row `c` of the caller in `me`, if it is not the class itself */
    join?: string;
    set: string;
    /** further columns of what is found, with a comma after each */
    columns?: string;
    /** joins what the JSON text needs to what is found, `f` */
    from?: string;
    json: string;
    /** as `guardedWrite` takes them */
    returning?: string;
    also?: readonly string[];
    selecting?: string;
}

/** SQL for the next revision of the thing in a row. */
export const nextRevision = (row: string): string => `revision = ${row}.revision + 1, updated_at = now()`;

/** SQL that looks at the rights of a caller in a class that is locked, and writes. */
export const classWrite = ({ update, row, join = '', set, columns = '', from = '', selecting = '', ...rest }: ClassWrite): string => guardedWrite({
    ...rest,
    by: { id: '$2::bigint', moderator: 'false', tokenHash: '$4' },
    found: `select ${row}.id, ${columns} me.user_id, me.role = $7 as allowed from classes c ${joinCaller('$2::bigint', '$3::boolean')} ${join} where c.id = $1 and ${live('c')}`,
    write: `
        ${update} set ${set} from found f ${from}
        where ${row}.id = f.id and f.may and ${preconditionHolds(`${row}.revision`, `${row}.revision::text`, { revision: '$5', tags: '$6' })}`,
    selecting: `, f.id is not null as found ${selecting}`
});

export const classOutcomeColumns = {
    ...outcomeColumns,
    /** whether there is such a thing */
    found: 'boolean'
} as const;
export type ClassOutcome = RowOf<typeof classOutcomeColumns>;

/** A write of something in a class. */
export interface WrittenInClass {
    trx: Database;
    request: Sender;
    writer: ClassWriter;
    /** the thing in words */
    what: string;
    /** reads it as it is now, for a conflict */
    read(): Promise<{ json: string }>;
    /** the error for who is of the class and may not do this */
    refusal?: () => Error;
}

/**
 * The JSON text of what was written in a class.
 * @throws 404 if the caller is not of the class or there is no such thing, 403 if they may not do this, 409 or 412 if it has changed; as
 * `checkStillAllowed` does
 */
export async function writtenInClass(outcome: ClassOutcome | undefined, { trx, request, writer, what, read, refusal = teachersOnly }: WrittenInClass): Promise<string> {
    if (outcome === undefined || !outcome.found) {
        throw notFound(outcome === undefined ? 'class' : what);
    }

    if (!outcome.allowed) {
        await request.checkStillAllowed(trx);
        throw refusal();
    }

    return resultOrError(outcome, what, writer, async () => presentAlone(await read()));
}
