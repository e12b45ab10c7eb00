import { fromUsers, isActiveUser, joinActiveUser } from '../../accounts/users/fragments';
import { assignmentFor } from '../../classes/assignments/fragments';
import { canTeach } from '../../classes/fragments';
import { inAllShards } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, statement } from '../../database/statements/statement';
import { joinLiveProject } from '../../projects/fragments';
import { mayRead } from '../../rules/visibility';
import { hasBlocked } from '../blocks/fragments';
import { fromShownComments } from '../comments/fragments';
import { needsOf, needsProject } from './kinds';
import type { NoticeKind } from './kinds';

/*
 * What receivers of notices may see at this moment. Each question is one statement for any number of notices, as the rows are in different
 * places on a cluster. Ids of none are 0.
 */

/** The thing that a notice tells of, and to whom. */
export interface Told {
    kind: NoticeKind;
    reader: string;
    project: string;
    /** the comment, statement, remix or assignment */
    thing: string;
    /** who did it */
    by: string;
}

const projectColumns = { n: 'integer', id: 'text', user_id: 'text', title: 'text' } as const;

// Moderators see no more here: what they read of others is noted.
const asReader = { id: 'r.id', moderator: 'false', teaches: canTeach('r', '$3::boolean'), projects: '$4::bigint[]' };

const projects = statement({ parameters: ['bigint[]', 'bigint[]', 'boolean', 'bigint[]'], row: projectColumns, place: inAllShards() }, `
    select w.n::int as n, p.id::text as id, p.user_id::text as user_id, p.title
    from unnest($1::bigint[], $2::bigint[]) with ordinality as w (reader, project, n)
    ${joinActiveUser('w.reader', 'r')}
    ${joinLiveProject('w.project')} and ${mayRead('p', asReader)}`);

const assignmentColumns = { n: 'integer', id: 'text', class_id: 'text', title: 'text' } as const;

const assignments = statement({ parameters: ['bigint[]', 'bigint[]', 'boolean'], row: assignmentColumns }, `
    select w.n::int as n, a.id::text as id, a.class_id::text as class_id, a.title
    from unnest($1::bigint[], $2::bigint[]) with ordinality as w (reader, assignment, n)
    ${assignmentFor('w.assignment', 'w.reader', '$3::boolean')}`);

/** As one text, which is read faster than an array. */
const comments = statement({ parameters: ['bigint[]'], row: { ids: 'text?' }, place: inAllShards() }, `
    select string_agg(k.id::text, ' ') as ids ${fromShownComments('k.id = any($1::bigint[])')}`);

const blocks = statement({ parameters: ['bigint[]', 'bigint[]'], row: { n: 'integer' } }, `
    select w.n::int as n from unnest($1::bigint[], $2::bigint[]) with ordinality as w (reader, by, n) where ${hasBlocked('w.reader', 'w.by')}`);

const personColumns = { n: 'integer', id: 'text', username: 'text', active: 'boolean' } as const;

const people = statement({ parameters: ['bigint[]', 'bigint[]'], row: personColumns }, `
    select w.n::int as n, u.id::text as id, u.username, ${live('u')} as active
    from unnest($1::bigint[], $2::bigint[]) with ordinality as w (reader, by, n)
    cross join lateral (select u.* ${fromUsers('u.id = w.by')}) u
    where ${isActiveUser('w.reader', 'r')}`);

type Project = RowOf<typeof projectColumns>;
type Assignment = RowOf<typeof assignmentColumns>;
export type Person = RowOf<typeof personColumns>;

export type Answer<Row> = (reader: string, id: string) => Row | undefined;

/** Pairs of ids, each once. */
class Pairs {
    readonly #pairs = new Map<string, readonly [string, string]>();

    add(reader: string, id: string): void {
        if (id !== '0') {
            this.#pairs.set(`${reader} ${id}`, [reader, id]);
        }
    }

    /** Asks about all of them. @returns the rows, by their pair */
    async ask<Row extends { n: number }>(read: (readers: string[], ids: string[]) => Promise<Row[]>): Promise<Answer<Row>> {
        const keys = [...this.#pairs.keys()];
        const pairs = [...this.#pairs.values()];
        const rows = keys.length === 0 ? [] : await read(pairs.map(([reader]) => reader), pairs.map(([, id]) => id));
        const found = new Map(rows.map((row) => [keys[row.n - 1], row]));
        return (reader, id) => found.get(`${reader} ${id}`);
    }
}

/** The things that receivers may see of those that some notices tell of. */
export interface Rights {
    project(reader: string, id: string): Project | undefined;
    assignment(reader: string, id: string): Assignment | undefined;
    /** whether they may know of it */
    maySee(told: Told): boolean;
}

export interface RightsOptions {
    /** whether all teach whom no class manages (`TEACHERS=open`) */
    everybody: boolean;
    /** of a token that is for some projects alone */
    projects?: readonly string[] | null;
}

/** Looks up what receivers may see of all this at the moment. */
export async function findRights(db: Database, all: readonly Told[], { everybody, projects: only = null }: RightsOptions): Promise<Rights> {
    const [ofProjects, ofAssignments, ofBlocks] = [new Pairs(), new Pairs(), new Pairs()];
    const commented = new Set<string>();
    for (const { kind, reader, project, thing, by } of all) {
        const needs = needsOf(kind);
        ofProjects.add(reader, project);
        ofBlocks.add(reader, by);
        if (needs === 'remix') {
            ofProjects.add(reader, thing);
        }
        else if (needs === 'assignment') {
            ofAssignments.add(reader, thing);
        }
        else if (needs === 'comment') {
            commented.add(thing);
        }
    }

    const [project, assignment, blocked, shown] = await Promise.all([
        ofProjects.ask((readers, ids) => run(db, projects, [readers, ids, everybody, only])),
        ofAssignments.ask((readers, ids) => run(db, assignments, [readers, ids, everybody])),
        ofBlocks.ask((readers, ids) => run(db, blocks, [readers, ids])),
        commented.size === 0 ? [] : run(db, comments, [[...commented]])
    ]);
    const comment = new Set(shown.flatMap(({ ids }) => ids?.split(' ') ?? []));
    return {
        project, assignment,
        maySee: ({ kind, reader, project: id, thing, by }) => {
            const needs = needsOf(kind);
            return blocked(reader, by) === undefined && (!needsProject(kind) || project(reader, id) !== undefined)
                && (needs !== 'remix' || project(reader, thing) !== undefined)
                && (needs !== 'assignment' || assignment(reader, thing) !== undefined)
                && (needs !== 'comment' || comment.has(thing));
        }
    };
}

/** Looks up those who did something, of whom receivers are to be told. */
export function findPeople(db: Database, all: readonly Pick<Told, 'reader' | 'by'>[]): Promise<Answer<Person>> {
    const pairs = new Pairs();
    all.forEach(({ reader, by }) => pairs.add(reader, by));
    return pairs.ask((readers, ids) => run(db, people, [readers, ids]));
}
