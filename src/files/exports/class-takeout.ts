import { parseLike } from '../../database/samples';
import { joinLiveProject } from '../../projects/fragments';
import { joinActiveUser, joinUser } from '../../accounts/users/fragments';
import { assignmentJson, workJson, workerJson } from '../../classes/assignments/json';
import { somebodyJson } from '../../api/representations/user';
import type { CurrentUser } from '../../api/request/caller';
import { ChangedWhileSent } from '../../api/request/streamed-body';
import { showClass } from '../../classes/queries';
import { inAllShards } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
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
import { htmlFile, htmlFileAt } from './html-file';
import type { From } from './html-file';
import { findExported } from './queries';
import { listFile, rowsOf } from './takeout';
import { escapedHtml } from '../../api/representations/escaped-html';

/** The dependencies of a takeout of a class. */
interface ClassTakeoutServices {
    db: Database;
    storage: AssetStorage;
    classId: string;
    teacher: CurrentUser & { everybody: boolean };
    /** whose work is taken; that of all if left out */
    pupil: string | undefined;
    /** what is in each page beside a work; it is read if there is one */
    from(): Promise<From>;
    /** Reads a project in pieces. */
    inPieces<Item>(pieces: (read: Read) => AsyncGenerator<Item>): AsyncGenerator<Item>;
}

/** A work or a project that is in the zip. */
interface ListedWork {
    user: string;
    title: string;
    /** its name without an ending */
    file: string;
}

const people = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' } }, `
    select u.id::text as id, ${jsonObject({ user: somebodyJson, role: plainQuoted('k.role'), name: orNull(quoted('k.name')), since: plainQuoted(isoTime('k.since')) })} as json
    from class_people k ${joinActiveUser('k.user_id')} where k.class_id = $1 and u.id > $2::bigint order by u.id limit 100`);

// Also those that were deleted and have works.
const assignments = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', json: 'text' } }, `
    select a.id::text as id, ${jsonObject({ assignment: assignmentJson, works: `'[' || coalesce((
        select string_agg(${jsonObject({ pupil: workerJson, work: workJson })}, ',' order by k.name, w.id)
        from works w left ${joinUser('w.user_id')} left join class_people k on k.class_id = a.class_id and k.user_id = w.user_id where w.assignment_id = a.id), '') || ']'` })} as json
    from assignments a where a.class_id = $1 and a.id > $2::bigint order by a.id limit 10`);

const handedIn = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', user_id: 'bigint', project_id: 'bigint', point: 'text', title: 'text' } }, `
    select w.id::text as id, w.user_id, w.project_id, a.title, w.points[cardinality(w.points)]::text as point from assignments a join works w on w.assignment_id = a.id
    where a.class_id = $1 and w.user_id is not null and w.project_id is not null and w.points <> '{}' and w.id > $2::bigint order by w.id limit 100`);

const projects = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', user_id: 'bigint' }, place: inAllShards({ kind: 'first', count: 100 }) }, `
    select p.id::text as id, p.user_id from class_projects a ${joinLiveProject('a.project_id')} where a.class_id = $1 and a.project_id > $2::bigint order by a.project_id limit 100`);

async function* classFile({ db, classId }: ClassTakeoutServices): AsyncGenerator<string> {
    const { json } = await showClass(db, classId);
    yield `{"format":"${FORMAT.class}","version":${FORMAT.version},"made_at":"${new Date().toISOString()}",\n"class":${json}}\n`;
}

/** The files of a takeout of a class. The teacher's right is looked at again for each work and project. Only lists of ids and titles, and what is being sent, are in memory. */
export async function* classTakeoutEntries(services: ClassTakeoutServices): AsyncGenerator<NewEntry> {
    const { db, storage, classId, teacher, pupil, inPieces } = services;
    const read = readNow(db);
    const listed: ListedWork[] = [];
    if (pupil === undefined) {
        yield { name: 'class.json', content: classFile(services) };
        yield { name: 'people.json', content: listFile('people', rowsOf(read, people, classId)) };
        yield { name: 'assignments.json', content: listFile('assignments', rowsOf(read, assignments, classId)) };
    }

    for await (const { id, user_id: user, project_id: project, point, title } of rowsOf(read, handedIn, classId)) {
        const found = pupil === undefined || pupil === user ? await findHandedIn(read, [user, project], point, teacher) : undefined;
        if (found !== undefined) {
            const file = `works/${id}`;
            yield { name: `${file}.zip`, compress: false, content: zipOf(inPieces((inSnapshot) => entriesAt(inSnapshot, storage, project, found))) };
            yield { name: `${file}.html`, content: pageOf(services, (inSnapshot, about) => htmlFileAt(inSnapshot, storage, { project, point: found, title }, about)) };
            listed.push({ user, title, file });
        }
    }

    for await (const { id, user_id: user } of rowsOf(read, projects, classId)) {
        const find = (reader: Read): ReturnType<typeof findExported> => findExported(reader, user, id, teacher);
        const found = pupil === undefined || pupil === user ? await find(read) : undefined;
        if (found !== undefined) {
            const file = `projects/${id}`;
            yield { name: `${file}.zip`, compress: false, content: zipOf(inPieces((inSnapshot) => entriesOf(inSnapshot, storage, { find, history: false }))) };
            yield { name: `${file}.html`, content: pageOf(services, (inSnapshot, about) => htmlFile(inSnapshot, storage, async (reader) => await find(reader) ?? changed(), about)) };
            const { title } = parseLike<{ title: string }>(found.project, { title: '' });
            listed.push({ user, title, file });
        }
    }

    yield { name: 'index.html', content: indexFile(services, listed) };
}

/** A project as a page that plays it. */
async function* pageOf({ from, inPieces }: ClassTakeoutServices, make: (read: Read, about: From) => AsyncGenerator<string>): AsyncGenerator<string> {
    const about = await from();
    yield* inPieces((read) => make(read, about));
}

/** @throws ChangedWhileSent always */
function changed(): never {
    throw new ChangedWhileSent();
}

/** The works of somebody, as links. */
const worksOf = (name: string, works: readonly ListedWork[]): string => (works.length === 0 ? '' : `<h2 dir="auto">${escapedHtml(name)}</h2>
<ul>
${works.map(({ file, title }) => `<li><a dir="auto" href="${file}.html">${escapedHtml(title)}</a> · <a href="${file}.zip">zip</a></li>\n`).join('')}</ul>\n`);

interface ListedPerson {
    user: { id: string; username: string };
    name: string | null;
}

/** The page that leads a person to what is in the zip: every pupil's works, each as a page, and as a file to import. */
async function* indexFile({ db, classId }: ClassTakeoutServices, listed: readonly ListedWork[]): AsyncGenerator<string> {
    const { class: { title } } = parseLike<{ class: { title: string } }>(`{"class":${(await showClass(db, classId)).json}}`, { class: { title: '' } });
    yield `<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n<title>${escapedHtml(title)}</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;margin:0 auto;max-width:44rem;padding:1rem}a{display:inline-block;padding-block:.35rem}h2{margin-block:1.5rem 0}ul{margin-block:.25rem}</style>\n</head>\n<body>\n<h1 dir="auto">${escapedHtml(title)}</h1>\n`;
    const left = new Map<string, ListedWork[]>();
    listed.forEach((work) => left.set(work.user, [...left.get(work.user) ?? [], work]));
    for await (const { json } of rowsOf(readNow(db), people, classId)) {
        const { user, name } = parseLike<ListedPerson>(json, { user: { id: '', username: '' }, name: '' }, { name: null });
        yield worksOf(name ?? user.username, left.get(user.id) ?? []);
        left.delete(user.id);
    }

    // Of those who have left the class.
    yield worksOf('…', [...left.values()].flat());
    yield '</body>\n</html>\n';
}
