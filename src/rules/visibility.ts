import { fromValidToken } from '../accounts/tokens/fragments';
import { canTeach } from '../classes/fragments';
import { fromUser } from '../accounts/users/fragments';
import type { Visibility } from '../api/representations/visibility';
import type { Columns, Declaration, RowOf } from '../database/declaration';
import { live } from '../database/statements/deletion';
import { statement } from '../database/statements/statement';
import type { Statement } from '../database/statements/statement';

/*
 * Who may see a project. Everything that shows a project, or tells anything of it, goes by what is here: see docs/decisions/visibility.md. The levels
 * themselves are listed in `api/representations/visibility.ts`.
 */

/** SQL for whether what is in a row, a project or a collection, has this visibility. */
export const hasVisibility = (row: string, level: Visibility): string => `${row}.visibility = '${level}'`;

/** SQL for whether others than its own people may see what is in a row. */
export const isShared = (row: string): string => `${row}.visibility <> 'private'`;

/** SQL that makes something private, for the SET of an UPDATE. */
export const becomesPrivate = `visibility = 'private'`;

/** SQL that makes something public, for the SET of an UPDATE. */
export const becomesPublic = `visibility = 'public'`;

/** SQL for whether the project in a row is public, or was when it was deleted. */
export const isPublic = (row: string): string => `(${hasVisibility(row, 'public')} and ${row}.held_at is null)`;

/** SQL for whether public lists, search and counts show the project in a row. Migration 0010 says the same. */
export const isListed = (row: string): string => `(${live(row)} and ${isPublic(row)})`;

/** SQL for whether everybody may read the project in a row, without a token. */
export const isOpen = (row: string): string => `(${isShared(row)} and ${row}.held_at is null)`;

/** SQL for whether a user is a member of the project in a row; what is held is its owner's and the moderators' alone. Without the offset, PostgreSQL would make a table of all members first. */
export const isMember = (row: string, userId: string, roles = ''): string => `(${row}.held_at is null and exists (
    select from project_members m where m.project_id = ${row}.id and m.user_id = ${userId}${roles === '' ? '' : ` and m.role = any(${roles})`} offset 0))`;

/**
 * SQL for whether a user reads the project in a row because it is in a class that they are of: its teachers always, its pupils if it is there for the whole class. A teacher
 * whose permission has ended does not; `teaches` is an expression for whether the user can teach. What is asked of the classes is in a function (classes/projects/schema.sql), so that
 * statements that need not ask are not slower: as a part of their text, it took 18 µs of a statement with a token, a tenth (26 November 2026).
 */
export const isOfAudience = (row: string, userId: string, teaches = `exists (select ${fromUser(userId, 't')} and ${canTeach('t', 'false')})`): string => `(${row}.held_at is null
    and case audience_role(${row}.id, ${userId}) when 'pupil' then true when 'teacher' then ${teaches} else false end)`;

/** Who reads. */
export interface Reader {
    /** null for whoever sent no token */
    id: string | null;
    moderator: boolean;
    /** whether they can teach classes: not, if it is not set */
    teaches?: boolean;
    /** the hash of a token of ours that was sent, and that is only looked at if the project is not for everybody */
    token?: Buffer | null;
    /** of a token that is for some projects alone: what its user sees of others is what everybody does */
    projects?: readonly string[] | null;
}

export const guest: Reader = { id: null, moderator: false };

/** SQL for a reader: expressions of the fields. */
export interface ReaderExpressions {
    id: string;
    moderator: string;
    /** whether they can teach; if it is left out, whether they have the permission, so that `TEACHERS=open` alone does not count */
    teaches?: string;
    token?: string;
    /** of a token that is for some projects alone */
    projects?: string;
    /** no user is known: `id` and `moderator` are not looked at */
    unknown?: true;
}

/** Whoever reads what everybody may. */
export const everybody: ReaderExpressions = { id: 'null::bigint', moderator: 'false', unknown: true };

/** The parameters that `readerValues` fills, after so many others. */
export const readerParameters = (after: number): ReaderExpressions => ({ id: `$${after + 1}::bigint`, moderator: `$${after + 2}::boolean`, teaches: `$${after + 3}::boolean`, token: `$${after + 4}::bytea` });

/** The types of the parameters that `readerValues` fills. */
export const readerTypes: readonly string[] = ['bigint', 'boolean', 'boolean', 'bytea'];

export const readerValues = ({ id, moderator, teaches = false, token = null }: Reader): unknown[] => [id, moderator, teaches, token];

/**
 * The variants of a statement by reader. Who sends no token has a statement of their own, which only looks for what is for everybody: that is faster, and
 * takes as long for what is not as for what does not exist. So has who is known by their token alone. With one text for all, PostgreSQL took 9 % more CPU
 * for a project, 23 % for a page, 25 % for the tag of all pages and 39 % for an element (24 November 2026, medians of 5 alternating runs, no token sent).
 * @param declaration without the parameters of the reader, which come after the others
 * @param text SQL for a reader
 * @param prepare makes the statement, if it is no plain one
 * @returns the statement for a reader, with all of its parameters
 */
export function forReaders<const Row extends Columns>(
    declaration: Declaration<Row>, text: (reader: ReaderExpressions) => string, prepare: (declaration: Declaration<Row>, text: string) => Statement<RowOf<Row>> = statement
): (reader: Reader, values: readonly unknown[]) => [Statement<RowOf<Row>>, unknown[]] {
    const { parameters = [] } = declaration;
    const after = parameters.length;
    const forReader = (types: readonly string[], reader: ReaderExpressions): Statement<RowOf<Row>> => prepare({ ...declaration, parameters: [...parameters, ...types] }, text(reader));
    const open = forReader([], everybody);
    const bearer = forReader(['bytea'], { ...everybody, token: `$${after + 1}::bytea` });
    const known = forReader(readerTypes, readerParameters(after));
    return (reader, values) => {
        const { id, token = null } = reader;
        if (id !== null) {
            return [known, [...values, ...readerValues(reader)]];
        }

        return token === null ? [open, [...values]] : [bearer, [...values, token]];
    };
}

/** SQL for whether somebody may see the project in a row because of who they are. It is null, and not false, for some who may not. */
export const maySee = (row: string, { id, moderator, teaches, projects }: ReaderExpressions): string => `((${row}.user_id = ${id} or ${moderator} or ${isMember(row, id)} or ${isOfAudience(row, id, teaches)})${projects === undefined ? '' : ` and (${projects} is null or ${row}.id = any(${projects}))`})`;

/** SQL for whether the sender of a token may see the project in a row. Moderators see no more by it, because their reads are noted; nor do those who can teach only because everybody can. */
const maySeeWith = (row: string, token: string): string => `exists (
    select ${fromValidToken(token, 'r')} and t.scope && array['projects', 'read'] and ${live('r')} and ${maySee(row, { id: 'r.id', moderator: 'false', teaches: canTeach('r', 'false'), projects: 't.projects' })})`;

/** SQL for whether a reader may see the project in a row. It is null, and not false, for some who may not. */
export const mayRead = (row: string, reader: ReaderExpressions): string => `(${isOpen(row)}${reader.unknown ? '' : ` or ${maySee(row, reader)}`}${reader.token === undefined ? '' : ` or ${maySeeWith(row, reader.token)}`})`;

/** The result of a read, and whether that is for everybody. */
export interface Readable {
    open: boolean;
    /** ids of the projects beside the one in the path that it shows and that are perhaps not for everybody */
    others?: readonly string[] | null;
}
