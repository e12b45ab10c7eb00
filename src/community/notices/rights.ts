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

const comments = statement({ parameters: ['bigint[]'], row: { ids: 'bigint[]?' }, place: inAllShards() }, `
    select array_agg(k.id) as ids ${fromShownComments('k.id = any($1::bigint[])')}`);

const personColumns = { n: 'integer', id: 'text', username: 'text', active: 'boolean', blocked: 'boolean' } as const;

const people = statement({ parameters: ['bigint[]', 'bigint[]'], row: personColumns }, `
    select w.n::int as n, u.id::text as id, u.username, ${live('u')} as active, ${hasBlocked('w.reader', 'u.id')} as blocked
    from unnest($1::bigint[], $2::bigint[]) with ordinality as w (reader, by, n)
    cross join lateral (select u.* ${fromUsers('u.id = w.by')}) u
    where ${isActiveUser('w.reader', 'r')}`);

type Project = RowOf<typeof projectColumns>;
type Assignment = RowOf<typeof assignmentColumns>;
type Person = RowOf<typeof personColumns>;

type Answer<Row> = (reader: string, id: string) => Row | undefined;

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
    person(reader: string, id: string): Person | undefined;
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
    const [ofProjects, ofAssignments, ofPeople] = [new Pairs(), new Pairs(), new Pairs()];
    const commented = new Set<string>();
    for (const { kind, reader, project, thing, by } of all) {
        const needs = needsOf(kind);
        ofProjects.add(reader, project);
        ofPeople.add(reader, by);
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

    const [project, assignment, person, shown] = await Promise.all([
        ofProjects.ask((readers, ids) => run(db, projects, [readers, ids, everybody, only])),
        ofAssignments.ask((readers, ids) => run(db, assignments, [readers, ids, everybody])),
        ofPeople.ask((readers, ids) => run(db, people, [readers, ids])),
        commented.size === 0 ? [] : run(db, comments, [[...commented]])
    ]);
    const comment = new Set(shown.flatMap(({ ids }) => ids ?? []));
    return {
        project, assignment, person,
        maySee: ({ kind, reader, project: id, thing, by }) => {
            const needs = needsOf(kind);
            return person(reader, by)?.blocked !== true && (!needsProject(kind) || project(reader, id) !== undefined)
                && (needs !== 'remix' || project(reader, thing) !== undefined)
                && (needs !== 'assignment' || assignment(reader, thing) !== undefined)
                && (needs !== 'comment' || comment.has(thing));
        }
    };
}
