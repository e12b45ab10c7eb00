import { assignmentJson, workJson, workerJson } from '../../api/representations/assignment';
import { somebodyJson } from '../../api/representations/user';
import type { CurrentUser } from '../../api/request/caller';
import { showClass } from '../../classes/queries';
import { inAllShards } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { readNow } from '../../database/statements/snapshot';
import type { Read } from '../../database/statements/snapshot';
import { statement } from '../../database/statements/statement';
import { findHandedIn } from '../../rules/handed-in';
import type { AssetStorage } from '../assets/storage';
import { FORMAT } from '../format/schema';
import { zipOf } from '../zip/write-zip';
import type { NewEntry } from '../zip/write-zip';
import { entriesAt, entriesOf } from './entries';
import { findExported } from './queries';
import { listFile, rowsOf } from './takeout';

/** The dependencies of a takeout of a class. */
interface ClassTakeoutServices {
    db: Database;
    storage: AssetStorage;
    classId: string;
    teacher: CurrentUser & { everybody: boolean };
    /** Reads a project in pieces. */
    inPieces<Item>(pieces: (read: Read) => AsyncGenerator<Item>): AsyncGenerator<Item>;
}

const people = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' } }, `
    select u.id::text as id, ${jsonObject({ user: somebodyJson, role: plainQuoted('k.role'), name: orNull(quoted('k.name')), since: plainQuoted(isoTime('k.since')) })} as json
    from class_people k join users u on u.id = k.user_id and ${live('u')} where k.class_id = $1 and u.id > $2::bigint order by u.id limit 100`);

// Also those that were deleted and have works.
const assignments = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' } }, `
    select a.id::text as id, ${jsonObject({ assignment: assignmentJson, works: `'[' || coalesce((
        select string_agg(${jsonObject({ pupil: workerJson, work: workJson })}, ',' order by k.name, w.id)
        from works w left join users u on u.id = w.user_id left join class_people k on k.class_id = a.class_id and k.user_id = w.user_id where w.assignment_id = a.id), '') || ']'` })} as json
    from assignments a where a.class_id = $1 and a.id > $2::bigint order by a.id limit 10`);

const handedIn = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', user_id: 'bigint', project_id: 'bigint', point: 'text' } }, `
    select w.id::text as id, w.user_id, w.project_id, w.points[cardinality(w.points)]::text as point from assignments a join works w on w.assignment_id = a.id
    where a.class_id = $1 and w.user_id is not null and w.project_id is not null and w.points <> '{}' and w.id > $2::bigint order by w.id limit 100`);

const projects = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', user_id: 'bigint' }, place: inAllShards({ kind: 'first', count: 100 }) }, `
    select p.id::text as id, p.user_id from class_projects a join projects p on p.id = a.project_id and ${live('p')} where a.class_id = $1 and a.project_id > $2::bigint order by a.project_id limit 100`);

async function* classFile({ db, classId }: ClassTakeoutServices): AsyncGenerator<string> {
    const { json } = await showClass(db, classId);
    yield `{"format":"${FORMAT.class}","version":${FORMAT.version},"made_at":"${new Date().toISOString()}",\n"class":${json}}\n`;
}

/** The files of a takeout of a class. The teacher's right is looked at again for each work and project. Only lists of ids, and what is being sent, are in memory. */
export async function* classTakeoutEntries(services: ClassTakeoutServices): AsyncGenerator<NewEntry> {
    const { db, storage, classId, teacher, inPieces } = services;
    const read = readNow(db);
    yield { name: 'class.json', content: classFile(services) };
    yield { name: 'people.json', content: listFile('people', rowsOf(read, people, classId)) };
    yield { name: 'assignments.json', content: listFile('assignments', rowsOf(read, assignments, classId)) };
    for await (const { id, user_id: user, project_id: project, point } of rowsOf(read, handedIn, classId)) {
        const found = await findHandedIn(read, [user, project], point, teacher);
        if (found !== undefined) {
            yield { name: `works/${id}.zip`, compress: false, content: zipOf(inPieces((inSnapshot) => entriesAt(inSnapshot, storage, project, found))) };
        }
    }

    for await (const { id, user_id: user } of rowsOf(read, projects, classId)) {
        if (await findExported(read, user, id, teacher) !== undefined) {
            yield { name: `projects/${id}.zip`, compress: false, content: zipOf(inPieces((inSnapshot) => entriesOf(inSnapshot, storage, { find: (reader) => findExported(reader, user, id, teacher), history: false }))) };
        }
    }
}
